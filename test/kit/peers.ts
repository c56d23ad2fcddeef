// Peers for tests: one on a bare wire, or two on each other; all are closed after each test.
import { afterEach } from 'vitest';
import { createMemoryPair } from '../../src/rpc/transports/memory.ts';
import type { MemoryTransport } from '../../src/rpc/transports/memory.ts';
import { createPeer } from '../../src/rpc/peer.ts';
import type { Handler, Peer, PeerOptions, PeerProblem } from '../../src/rpc/peer.ts';
import { RpcError } from '../../src/rpc/rpcError.ts';

const cancel = { method: 'stop', idKey: 'requestId' };
const open: Peer[] = [];

afterEach(() => {
  for (const peer of open.splice(0)) peer.close();
});

interface RawOptions {
  readonly limits?: PeerOptions['limits'];
  readonly transport?: PeerOptions['limits'];
  readonly peer?: Partial<PeerOptions>;
}

/** A peer whose other side is a bare wire. */
export function raw(handle: Partial<Handler>, options: RawOptions = {}) {
  const [here, wire] = createMemoryPair(options.transport);
  const received: { id?: unknown }[] = [];
  wire.listen({
    message: (text) => received.push(JSON.parse(text) as { id?: unknown }),
    problem: () => {},
    closed: () => {},
  });
  const problems: PeerProblem[] = [];
  const client = peerOn(here, handle, {
    ...(options.limits && { limits: options.limits }),
    ...options.peer,
    problem: (p) => problems.push(p),
  });
  return { client, wire, received, problems };
}

/** Two peers with the same handler. */
export function pair(handle: Partial<Handler>) {
  const [a, b] = createMemoryPair();
  const problems: PeerProblem[] = [];
  const options = { problem: (problem: PeerProblem) => problems.push(problem) };
  return { left: peerOn(a, handle, options), right: peerOn(b, handle, options), problems };
}

function peerOn(transport: MemoryTransport, handle: Partial<Handler>, options: Partial<PeerOptions>): Peer {
  const peer = createPeer(transport, {
    cancel,
    ...options,
    handle: { request: () => null, notification: () => {}, ...handle },
  });
  open.push(peer);
  return peer;
}

export function untilAborted(then: 'throw' | 'return' | 'refuse'): Handler['request'] {
  return (_method, _params, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        if (then === 'return') resolve('partial');
        else reject(then === 'throw' ? new Error('aborted') : new RpcError(7, 'own'));
      });
    });
}

export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
