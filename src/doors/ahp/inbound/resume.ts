// Continues the connection of a client whose last host is gone. The client does not notice: it gets the
// actions that it has missed, and its requests are answered.
import * as z from 'zod';
import { interruptedRequest, pipeMethods } from '../../../host/door.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { ahpError, explainLoss } from '../errors.ts';
import type { ServedClient } from '../initialize.ts';

/** Requests that may be handled again by another host, because the second time changes nothing more. */
const repeatable: ReadonlySet<string> = new Set([
  'ping',
  'listSessions',
  'subscribe',
  'fetchTurns',
  'resourceRead',
  'resourceList',
  'resourceResolve',
  'completions',
  'resolveSessionConfig',
  'sessionConfigCompletions',
]);

const keptValues = z.looseObject({
  client: z.string(),
  /** The protocol version that the client speaks; the host may not have stored that it knows the client. */
  version: z.string().optional(),
  seen: z.number().default(0),
  renumbered: z.boolean().default(false),
});
const resumeParams = z.object({ kept: keptValues });
const againParams = z.object({ method: z.string(), params: z.unknown() });
const ownAction = z.object({ origin: z.object({ clientId: z.string(), clientSeq: z.number() }) });

export class PipeResumption {
  readonly #client: () => ServedClient;
  readonly #peer: () => Peer;
  /** The numbers of the client's actions that the last host has stored. */
  readonly #stored = new Set<number>();

  constructor(client: () => ServedClient, peer: () => Peer) {
    this.#client = client;
    this.#peer = peer;
  }

  handles(method: string): boolean {
    return method === pipeMethods.resume || method === pipeMethods.again || method === pipeMethods.live;
  }

  request(method: string, params: unknown): unknown {
    if (method === pipeMethods.resume) return this.#resume(params);
    return method === pipeMethods.again ? this.#again(params) : {};
  }

  /** Whether the pipe repeats an action that is in the log already. */
  isStored(method: string, params: unknown): boolean {
    if (method !== 'dispatchAction' || this.#stored.size === 0) return false;
    const read = z.object({ clientSeq: z.number() }).safeParse(params);
    return read.success && this.#stored.has(read.data.clientSeq);
  }

  async #resume(params: unknown): Promise<object> {
    const read = resumeParams.safeParse(params);
    if (!read.success) throw ahpError('invalidParams', read.error.message);
    const { client, version, seen, renumbered, ...kept } = read.data.kept;
    if (renumbered) throw notResumable();
    const subscriptions = Object.keys(kept).flatMap((key) =>
      key.startsWith('channel:') ? [key.slice('channel:'.length)] : [],
    );
    const request = { channel: 'ahp-root://', clientId: client, lastSeenServerSeq: seen, subscriptions };
    return new Promise((resolve, reject) => {
      const answered = this.#client().reconnect(request, 'actions', version);
      if (!isThenable(answered)) return reject(ahpError('internalError', 'There is nothing to resume.'));
      // It calls back synchronously, so the actions come before everything that is published later.
      answered.then(
        (result) => resolve(this.#replay(result, client)),
        (error) => reject(explainLoss(error)),
      );
    });
  }

  #replay(result: unknown, client: string): object {
    const { type, actions } = replayed.parse(result);
    if (type !== 'replay') throw notResumable();
    for (const action of actions) this.#show(action, client);
    return {};
  }

  #show(action: unknown, client: string): void {
    const own = ownAction.safeParse(action);
    if (own.success && own.data.origin.clientId === client) this.#stored.add(own.data.origin.clientSeq);
    this.#peer().notify('action', action);
  }

  #again(params: unknown): unknown {
    const { method, params: given } = againParams.parse(params);
    const { version } = this.#client();
    if (method === 'initialize') return version?.initialize(given);
    if (method === 'reconnect') return version?.reconnect(given, 'actions or snapshots');
    if (repeatable.has(method)) return version?.request(method, given);
    throw new RpcError(rpcCodes.internalError, interruptedRequest.message, interruptedRequest.data);
  }
}

function notResumable(): Error {
  return ahpError('internalError', 'The session is not the one that the client knows; connect again.');
}

const replayed = z.object({ type: z.string(), actions: z.array(z.unknown()).default([]) });

interface Thenable {
  then(done: (result: unknown) => unknown, failed: (error: unknown) => unknown): unknown;
}

function isThenable(value: unknown): value is Thenable {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
