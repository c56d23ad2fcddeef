// The first request on a connection: `initialize` for a fresh start, or `reconnect` after a lost connection.
import { present } from '../../src/base/present.ts';
import { errorCodes } from '../../src/protocols/ahp/errors.ts';
import type { InitializeResult, Requests } from '../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import { rootChannel } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Channels } from './channels.ts';
import { isRecord } from '../../src/base/isRecord.ts';
import { RequestError } from './rpc.ts';
import type { Rpc } from './rpc.ts';

export interface ClientIdentity {
  readonly clientId: string;
  /** The name that other clients see. Default: the console's. */
  readonly name?: string;
  readonly version?: string;
}

const offeredVersions = ['1.0.0', '0.9.0'];

export type Greeting = { readonly host: InitializeResult } | { readonly incompatible: string };

/** Starts afresh. Actions sent on an earlier connection may or may not have arrived, so they are given up. */
export async function initialize(
  rpc: Rpc,
  channels: Channels,
  { clientId, name, version }: ClientIdentity,
): Promise<Greeting> {
  try {
    const params = {
      channel: rootChannel,
      protocolVersions: offeredVersions,
      clientId,
      clientInfo: present({ name: name ?? 'parley-console', title: name ?? 'Parley console', version }),
      initialSubscriptions: [rootChannel],
    };
    return await rpc.requestInOrder('initialize', params, (host) => {
      channels.lastSeq = host.serverSeq;
      for (const { uri } of channels.all) channels.giveUpSent(uri);
      for (const snapshot of host.snapshots) channels.load(snapshot);
      return { host };
    });
  } catch (error) {
    if (error instanceof RequestError && error.code === errorCodes.unsupportedProtocolVersion) {
      return { incompatible: supportedBy(error.data) };
    }
    throw error;
  }
}

/** Continues where the lost connection ended. False if the host no longer knows this client. */
export async function resume(rpc: Rpc, channels: Channels, { clientId }: ClientIdentity): Promise<boolean> {
  // A channel without state cannot be resumed; it is subscribed to again.
  const subscriptions = channels.all
    .filter(({ status }) => status.peek().kind === 'open')
    .map(({ uri }) => uri);
  try {
    const params = { channel: rootChannel, clientId, lastSeenServerSeq: channels.lastSeq, subscriptions };
    await rpc.requestInOrder('reconnect', params, (missed) => bringUpToDate(channels, subscriptions, missed));
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.code < 0) return false;
    throw error;
  }
}

function bringUpToDate(
  channels: Channels,
  subscriptions: readonly URI[],
  missed: Requests['reconnect']['result'],
): void {
  if (missed.type === 'replay') {
    // Our actions that are not in the replay never arrived, so they stay proposed and are sent again.
    for (const envelope of missed.actions) channels.receive(envelope);
    for (const uri of missed.missing) channels.lose(uri, goneText);
    return;
  }
  const loaded = new Map(missed.snapshots.map((snapshot) => [snapshot.resource, snapshot]));
  for (const uri of subscriptions) {
    const snapshot = loaded.get(uri);
    channels.giveUpSent(uri);
    if (snapshot) channels.load(snapshot);
    else channels.lose(uri, goneText);
  }
  channels.lastSeq = Math.max(channels.lastSeq, ...missed.snapshots.map(({ fromSeq }) => fromSeq));
}

const goneText = 'The host no longer has it.';

function supportedBy(data: unknown): string {
  const versions =
    isRecord(data) && Array.isArray(data['supportedVersions'])
      ? data['supportedVersions'].join(', ')
      : 'unknown';
  return `The host speaks other versions of AHP (${versions}).`;
}
