// `parley devices`: lists, adds, changes and signs out the browsers and phones that may connect.
import { readHostInfo } from '../../app/hostInfo.ts';
import { didYouMean } from '../../base/nearest.ts';
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import { isRole, roles, roleText } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import { isAutonomy } from '../../host/settings/autonomy.ts';
import { autonomyLevels } from '../../model/event.ts';
import type { Autonomy } from '../../model/event.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import type { Peer } from '../../rpc/peer.ts';
import { addressForDevices } from '../client/addressForDevices.ts';
import { runHostCommand } from '../client/hostCommand.ts';
import type { HostCommand as Command } from '../client/hostCommand.ts';
import { certificateNote, qrCode } from '../start/invite.ts';
import { age, columns, noMore, readArgs, safe, short, UsageError } from '../say.ts';
import { print } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

interface DeviceRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly most?: Autonomy;
  readonly since: number;
  readonly connections: number;
}

export function run(args: readonly string[]): Promise<number> {
  return runHostCommand('devices', commands, args);
}

const list: Command = (args) => {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  noMore(positionals);
  return async (peer) => {
    const rows = await devicesOf(peer);
    if (values.json) print(`${jsonText(rows, 2)}\n`);
    else if (rows.length === 0) print('No devices are signed in. Add one with parley devices add.\n');
    else print(`${columns(rows.map(rowOf)).join('\n')}\n`);
    return 0;
  };
};

const add: Command = (args) => {
  const { values, positionals } = readArgs(args, {
    role: { type: 'string', default: 'approve' },
    most: { type: 'string' },
  });
  noMore(positionals);
  const role = readRole(values.role);
  const most = readMost(values.most);
  return async (peer) => {
    const reachable = await addressForDevices(peer);
    const { at, fingerprint = ownFingerprint() } = reachable ?? {};
    const answer = await peer.request('devices/link', { role, ...most, ...present({ at }) });
    const link = isRecord(answer) ? String(answer['link']) : '';
    // No phone reaches the loopback address of this machine.
    const picture = reachable ? await qrCode(link) : '';
    print(
      `${picture}${link}\n\nSingle use, valid for 10 minutes. The device may ` +
        `${roleText[role]}${limitText(most)}.\n${certificateNote(fingerprint)}${reachable ? '' : thisMachineOnly}`,
    );
    return 0;
  };
};

const thisMachineOnly =
  'Only browsers on this machine reach the host. To allow other devices, open the console with parley and ' +
  'choose Settings, Devices, Allow other devices….\n';

const change: Command = (args) => {
  const { values, positionals } = readArgs(args, { most: { type: 'string' } });
  const [id, wanted, ...more] = positionals;
  noMore(more);
  if (id === undefined || wanted === undefined)
    throw new UsageError(`Usage: parley devices role ID ROLE. The role is ${roles.join(', ')}.`);
  const role = readRole(wanted);
  const most = readMost(values.most);
  return async (peer) => {
    const device = await deviceNamed(peer, id);
    await peer.request('devices/change', { id: device.id, role, ...most });
    print(`${short(device.name, 60)} may now ${roleText[role]}${limitText(most)}.\n`);
    return 0;
  };
};

const revoke: Command = (args) => {
  const [id, ...more] = readArgs(args, {}).positionals;
  noMore(more);
  if (id === undefined) throw new UsageError('Missing device ID.');
  return async (peer) => {
    const device = await deviceNamed(peer, id);
    await peer.request('devices/revoke', { id: device.id });
    print(`${short(device.name, 60)} is signed out.\n`);
    return 0;
  };
};

const commands: { readonly [verb: string]: Command } = { list, add, role: change, revoke };

function ownFingerprint(): string | undefined {
  return readHostInfo(dataPaths(process.env).info)?.fingerprint;
}

async function devicesOf(peer: Peer): Promise<readonly DeviceRow[]> {
  const answer = await peer.request('devices/list');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the host is ours
  return Array.isArray(answer) ? (answer as readonly DeviceRow[]) : [];
}

/** The ID can be shortened to a unique prefix. */
async function deviceNamed(peer: Peer, id: string): Promise<DeviceRow> {
  const [device, ...more] = (await devicesOf(peer)).filter((candidate) => candidate.id.startsWith(id));
  if (!device) throw new Error(`Unknown device "${id}". Try: parley devices`);
  if (more.length > 0)
    throw new UsageError(`Several devices start with "${id}". Use more characters of the ID.`);
  return device;
}

function readRole(role: string): Role {
  if (!isRole(role))
    throw new UsageError(
      `Invalid role "${role}".${didYouMean(role, roles)} Use one of: ${roles.join(', ')}.`,
    );
  return role;
}

function readMost(most: string | undefined): { readonly most?: Autonomy } {
  if (most === undefined) return {};
  if (!isAutonomy(most))
    throw new UsageError(
      `Invalid permission mode "${most}".${didYouMean(most, autonomyLevels)} ` +
        `Use one of: ${autonomyLevels.join(', ')}.`,
    );
  return { most };
}

function limitText({ most }: { readonly most?: Autonomy }): string {
  if (most === 'full') return ', and choose any permission mode';
  return most === undefined ? '' : `, and choose at most the permission mode ${most}`;
}

function rowOf({ id, name, role, most, since, connections }: DeviceRow): readonly string[] {
  return [
    id.slice(0, 8),
    most === undefined ? role : `${role}, at most ${most}`,
    connections > 0 ? 'connected' : '',
    age(since, Date.now()),
    safe(short(name, 80)),
  ];
}
