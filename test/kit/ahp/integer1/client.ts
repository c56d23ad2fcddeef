// A client of AHP version 1 for tests: keeps its own copy of every resource with the reducers of that
// version, and can be cut off.
import type { AhpOptions } from '../../../../src/doors/ahp/options.ts';
import { ahpDoor } from '../../../../src/doors/ahp/door.ts';
import type { Host } from '../../../../src/host/host.ts';
import type { Role } from '../../../../src/host/policy/roles.ts';
import { present } from '../../../../src/base/present.ts';
import { reducers } from './reduce.ts';
import { createMemoryPair } from '../../../../src/rpc/transports/memory.ts';
import type { Transport } from '../../../../src/rpc/transports/transport.ts';
import { clientsOf } from '../../ahp.ts';
import { wire } from '../../wire.ts';
import type { Answers, Loose, ReceivedNotification, Wire } from '../../wire.ts';

export interface V1Client extends Wire {
  readonly id: string;
  /** What the client believes about each resource it follows. */
  readonly views: Map<string, Loose>;
  readonly lastSeen: () => number;
  /** What was wrong with what the host said. */
  readonly problems: readonly string[];
  subscribe(resource: string): Promise<Loose>;
  dispatch(action: Loose): number;
  /** The action that a dispatch came back as, accepted or not. */
  echo(clientSeq: number): Promise<ReceivedNotification>;
  action(type: string, from?: number): Promise<ReceivedNotification>;
  /** Resolves when the copy of a resource satisfies a condition. */
  until(resource: string, holds: (state: Loose) => boolean): Promise<Loose>;
}

export interface V1Options {
  readonly id?: string;
  readonly role?: Role;
  readonly earlier?: V1Client | undefined;
  readonly answers?: Answers;
  readonly ports?: Pick<AhpOptions, 'files' | 'own' | 'terminals' | 'servers' | 'signIns'>;
}

/** A connection that has not said anything yet. */
export function v1Client(transport: Transport, { id = 'old-1', earlier, answers }: V1Options = {}): V1Client {
  const views = new Map<string, Loose>(earlier?.views);
  let seen = earlier?.lastSeen() ?? 0;
  let clientSeq = 0;
  const problems: string[] = [];
  const base = wire(transport, answers);
  const apply = ({ channel, action, serverSeq, rejectionReason }: Loose) => {
    if (channel !== undefined) problems.push(`an action with a channel: ${action.type}`);
    if (rejectionReason !== undefined) return;
    if (serverSeq <= seen) problems.push(`number ${serverSeq} after ${seen}`);
    seen = Math.max(seen, serverSeq);
    const resource = action.session ?? action.terminal ?? 'agenthost:/root';
    const view: Loose = views.get(resource);
    if (view !== undefined) views.set(resource, reduce(resource, action)(view));
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
    ]) {
      views.set(resource, state);
      seen = Math.max(seen, fromSeq);
    }
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
    subscribe: async (resource) => learn(await base.request('subscribe', { resource })).snapshot.state,
    dispatch: (action) => {
      clientSeq += 1;
      base.notify('dispatchAction', { clientSeq, action });
      return clientSeq;
    },
    echo: (seq) =>
      base.wait(
        ({ method, params }) =>
          method === 'action' && params.origin?.clientId === id && params.origin.clientSeq === seq,
      ),
    action: (type, from) =>
      base.wait(({ method, params }) => method === 'action' && params.action.type === type, from),
    until: async (resource, holds) => {
      for (;;) {
        const view: Loose = views.get(resource);
        if (view !== undefined && holds(view)) return view;
        await base.wait(() => true, base.said.length);
      }
    },
  };
}

export function attachV1(host: Host, options: V1Options & { readonly principal?: string } = {}): V1Client {
  const [clientEnd, hostEnd] = createMemoryPair();
  const { principal = 'owner', role, ports } = options;
  void ahpDoor({
    version: '1.2.3',
    caller: { principal, ...present({ role }) },
    clients: clientsOf(host),
    extension: undefined,
    ...ports,
  }).serve(hostEnd, host);
  return v1Client(clientEnd, options);
}

export async function connectV1(host: Host, options: V1Options = {}): Promise<V1Client> {
  const client = attachV1(host, options);
  await client.request('initialize', {
    protocolVersion: 1,
    clientId: client.id,
    initialSubscriptions: ['agenthost:/root'],
  });
  return client;
}

/** The state as far as peers must agree on it: each reads its own clock. */
export function settledV1(state: Loose): Loose {
  const { modifiedAt: _, ...summary } = state.summary;
  return { ...state, summary };
}

function reduce(resource: string, action: Loose): (state: Loose) => unknown {
  if (resource === 'agenthost:/root') return (state) => reducers.root(state, action);
  return action.terminal === undefined
    ? (state) => reducers.session(state, action, 9999)
    : (state) => reducers.terminal(state, action);
}
