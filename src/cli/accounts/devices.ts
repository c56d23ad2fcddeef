// `parley devices`: which browsers and phones may come in, what each may do, and how one more is signed in or one is sent away.
import { readFileSync } from 'node:fs';
import { isRole, roles, roleWords } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import type { Peer } from '../../rpc/peer.ts';
import { hostControl } from '../client/controlClient.ts';
import { certificateWords, picture } from '../start/invite.ts';
import { jsonText, print } from '../output.ts';
import { age, columns, noMore, readArgs, safe, short, UsageError } from '../say.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly since: number;
  readonly connections: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const [verb = 'list', ...rest] = args[0]?.startsWith('-') ? ['list', ...args] : args;
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (!command) throw new UsageError(`there is no parley devices ${verb}. Try list, add, role or revoke.`);
  const act = command(rest);
  const peer = await hostControl('start');
  if (!peer) throw new Error('the host cannot be reached.');
  try {
    return await act(peer);
  } finally {
    peer.close();
  }
}

/** Each reads its words before any host is asked. */
type Command = (args: readonly string[]) => (peer: Peer) => Promise<number>;

const list: Command = (args) => {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  noMore(positionals);
  return async (peer) => {
    const rows = await devicesOf(peer);
    if (values.json) print(`${jsonText(rows, 2)}\n`);
    else if (rows.length === 0) print('No device is signed in. parley devices add makes a link for one.\n');
    else print(`${columns(rows.map(rowOf)).join('\n')}\n`);
    return 0;
  };
};

const add: Command = (args) => {
  const { values, positionals } = readArgs(args, { role: { type: 'string', default: 'approve' } });
  noMore(positionals);
  const role = roleNamed(values.role);
  return async (peer) => {
    const answer = await peer.request('devices/link', { role });
    const link = typeof answer === 'object' && answer !== null && 'link' in answer ? String(answer.link) : '';
    print(
      `${await picture(link)}${link}\n\nThis link works once, within ten minutes. Whoever opens it may ${roleWords[role]}.\n${certificateWords(fingerprint())}`,
    );
    return 0;
  };
};

const change: Command = (args) => {
  const [id, wanted, ...more] = readArgs(args, {}).positionals;
  noMore(more);
  if (id === undefined || wanted === undefined)
    throw new UsageError(`say parley devices role ID ROLE, where the role is ${roles.join(', ')}.`);
  const role = roleNamed(wanted);
  return async (peer) => {
    const device = await deviceNamed(peer, id);
    await peer.request('devices/change', { id: device.id, role });
    print(`${short(device.name, 60)} may now ${roleWords[role]}.\n`);
    return 0;
  };
};

const revoke: Command = (args) => {
  const [id, ...more] = readArgs(args, {}).positionals;
  noMore(more);
  if (id === undefined) throw new UsageError('name the device by its id.');
  return async (peer) => {
    const device = await deviceNamed(peer, id);
    await peer.request('devices/revoke', { id: device.id });
    print(`${short(device.name, 60)} is signed out.\n`);
    return 0;
  };
};

const commands: { readonly [verb: string]: Command } = { list, add, role: change, revoke };

async function devicesOf(peer: Peer): Promise<readonly Row[]> {
  const answer = await peer.request('devices/list');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the host is ours
  return Array.isArray(answer) ? (answer as readonly Row[]) : [];
}

/** Any beginning of an id that fits one alone. */
async function deviceNamed(peer: Peer, id: string): Promise<Row> {
  const [device, ...more] = (await devicesOf(peer)).filter((candidate) => candidate.id.startsWith(id));
  if (!device) throw new Error(`there is no device ${id}; parley devices lists them.`);
  if (more.length > 0) throw new UsageError(`${id} fits several devices; write more of it.`);
  return device;
}

function roleNamed(role: string): Role {
  if (!isRole(role)) throw new UsageError(`"${role}" is no role; a device may ${roles.join(', ')}.`);
  return role;
}

function rowOf({ id, name, role, since, connections }: Row): readonly string[] {
  return [
    id.slice(0, 8),
    role,
    connections > 0 ? 'connected' : '',
    age(since, Date.now()),
    safe(short(name, 80)),
  ];
}

function fingerprint(): string | undefined {
  const info: unknown = JSON.parse(readFileSync(dataPaths(process.env).info, 'utf8'));
  return typeof info === 'object' && info !== null && 'fingerprint' in info
    ? String(info.fingerprint)
    : undefined;
}
