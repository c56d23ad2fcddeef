// An AHP client for tests: connects in memory, keeps its own copy of every channel with the protocol's
// reducers, and can be cut off.
import { memoPerObject } from '../../src/base/memo.ts';
import { present } from '../../src/base/present.ts';
import { Clients } from '../../src/doors/ahp/clients.ts';
import type { AhpOptions } from '../../src/doors/ahp/options.ts';
import { ahpDoor } from '../../src/doors/ahp/door.ts';
import type { Host } from '../../src/host/host.ts';
import type { Role } from '../../src/host/policy/roles.ts';
import { reducers } from '../../src/protocols/ahp/v1_0/reduce.ts';
import { createMemoryPair } from '../../src/rpc/transports/memory.ts';
import type { MemoryTransport } from '../../src/rpc/transports/memory.ts';
import type { Transport } from '../../src/rpc/transports/transport.ts';
import { wire } from './wire.ts';
import type { Answers, Loose, ReceivedNotification, Wire } from './wire.ts';

export interface AhpClient extends Wire {
  readonly id: string;
  /** What the client believes about each channel it follows. */
  readonly views: Map<string, Loose>;
  readonly lastSeen: () => number;
  /** What was wrong with what the host said. */
  readonly problems: readonly string[];
  subscribe(channel: string): Promise<Loose>;
  dispatch(channel: string, action: Loose): number;
  /** The action that a dispatch came back as, accepted or not. */
  echo(clientSeq: number): Promise<ReceivedNotification>;
  action(type: string, from?: number): Promise<ReceivedNotification>;
}

export interface ConnectOptions {
  readonly id?: string;
  readonly principal?: string;
  readonly role?: Role;
  readonly defaultDirectory?: string;
  /** What the client answers where the host asks it. */
  readonly answers?: Answers;
  readonly ports?: Pick<AhpOptions, 'files' | 'own' | 'resumable' | 'terminals' | 'servers' | 'signIns'>;
}

const clients = memoPerObject<Host, Clients>();

/** What all connections of a test to one host share. */
export const clientsOf = (host: Host): Clients => clients(host, (one) => new Clients(one));

/** A connection that has not said anything yet. */
export function attach(
  host: Host,
  { id = 'client-1', principal = 'owner', role, defaultDirectory, ports, answers }: ConnectOptions = {},
  earlier?: AhpClient,
): AhpClient & { readonly transport: MemoryTransport } {
  const [clientEnd, hostEnd] = createMemoryPair();
  void ahpDoor({
    version: '1.2.3',
    caller: { principal, ...present({ role }) },
    clients: clientsOf(host),
    extension: undefined,
    ...ports,
    ...(defaultDirectory === undefined ? {} : { defaultDirectory }),
  }).serve(hostEnd, host);
  return Object.assign(newestClient(clientEnd, id, { earlier, answers }), { transport: clientEnd });
}

/** The same over any connection, which need not be in memory. */
export function newestClient(
  clientEnd: Transport,
  id: string,
  {
    earlier,
    answers,
  }: { readonly earlier?: AhpClient | undefined; readonly answers?: Answers | undefined } = {},
): AhpClient {
  const views = new Map<string, Loose>(earlier?.views);
  let seen = earlier?.lastSeen() ?? 0;
  let last = '';
  let clientSeq = 0;
  const problems: string[] = [];
  const base = wire(clientEnd, answers);
  const take = (channel: string, state: unknown, fromSeq: number) => {
    views.set(channel, state);
    seen = Math.max(seen, fromSeq);
  };
  const apply = ({ channel, action, serverSeq, rejectionReason }: Loose) => {
    if (rejectionReason !== undefined) return;
    // The same action under two spellings of its channel has one number; otherwise numbers grow.
    if (serverSeq < seen || (serverSeq === seen && channel === last))
      problems.push(`number ${serverSeq} on ${channel} after ${seen} on ${last}`);
    last = channel;
    seen = Math.max(seen, serverSeq);
    const view: Loose = views.get(channel);
    if (view !== undefined) views.set(channel, reducerFor(channel)(view, action));
  };
  const push = base.said.push.bind(base.said);
  base.said.push = (...all) => {
    for (const said of all) if (said.method === 'action') apply(said.params);
    return push(...all);
  };
  const learn = (result: Loose) => {
    for (const { resource, state, fromSeq } of [
      ...(result?.snapshots ?? []),
      ...(result?.snapshot ? [result.snapshot] : []),
    ])
      take(resource, state, fromSeq);
    for (const envelope of result?.actions ?? []) apply(envelope);
    return result;
  };
  return {
    ...base,
    id,
    views,
    problems,
    lastSeen: () => seen,
    request: async (method, params) => learn(await base.request(method, params)),
    subscribe: async (channel) => learn(await base.request('subscribe', { channel })),
    dispatch: (channel, action) => {
      clientSeq += 1;
      base.notify('dispatchAction', { channel, clientSeq, action });
      return clientSeq;
    },
    echo: (seq) =>
      base.wait(
        ({ method, params }) =>
          method === 'action' && params.origin?.clientId === id && params.origin.clientSeq === seq,
      ),
    action: (type, from) =>
      base.wait(({ method, params }) => method === 'action' && params.action.type === type, from),
  };
}

export async function connect(
  host: Host,
  options: ConnectOptions & { readonly versions?: readonly string[] } = {},
): Promise<AhpClient & { readonly transport: MemoryTransport }> {
  const client = attach(host, options);
  await client.request('initialize', {
    channel: 'ahp-root://',
    protocolVersions: options.versions ?? ['1.0.0'],
    clientId: client.id,
    clientInfo: { name: 'tester', title: `Tester ${client.id}` },
    initialSubscriptions: ['ahp-root://'],
  });
  return client;
}

export function reducerFor(channel: string): (state: Loose, action: Loose) => unknown {
  if (channel === 'ahp-root://') return reducers.root;
  if (channel.includes('terminal:')) return reducers.terminal;
  if (channel.startsWith('ahp-changeset:')) return reducers.changeset;
  if (channel.startsWith('ahp-resource-watch:')) return reducers.resourceWatch;
  return channel.startsWith('ahp-chat:') ? reducers.chat : reducers.session;
}
