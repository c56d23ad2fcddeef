// Requests of an agent to Parley: files, terminals, permissions and forms. Each goes to the turn it belongs
// to.
import type { Files } from '../../../host/ports.ts';
import { requestPermission } from '../../../protocols/acp/v1/methods.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { CurrentTurn } from '../session/currentTurn.ts';
import type { SessionConnector } from '../session/sessionConnector.ts';
import type { IdleUpdates } from '../session/idleUpdates.ts';
import { readClientFile, readingOf, writeClientFile, writingOf } from './clientFiles.ts';
import type { FileAccess } from './clientFiles.ts';
import type { Elicitations } from './openElicitations.ts';
import { cancelledAnswer } from './permissions.ts';
import type { AgentProgram } from '../process/program.ts';
import { startingOf } from './terminals.ts';
import type { AgentTerminals } from './terminals.ts';

export interface ClientRequestsOptions {
  readonly program: AgentProgram;
  readonly files: Files;
  readonly terminals: AgentTerminals;
  readonly elicitations: Elicitations;
  readonly idleUpdates: IdleUpdates;
  readonly connector: SessionConnector;
  readonly current: CurrentTurn;
}

export class ClientRequests {
  readonly #options: ClientRequestsOptions;

  constructor(options: ClientRequestsOptions) {
    this.#options = options;
  }

  async request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const { files, terminals, elicitations, idleUpdates, program, connector, current } = this.#options;
    const { roots, context } = current;
    const place = { files, roots, bench: context?.workspace.workbench() };
    if (method === 'fs/read_text_file') return this.#read(params, { place, signal });
    if (method === 'terminal/create' || method === 'fs/write_text_file')
      return this.#act(method, params, { place, signal });
    if (method.startsWith('terminal/')) return terminals.handle(method, params);
    // Requests that arrive after a stop belong to the stopped turn.
    if (idleUpdates.deaf && method === requestPermission) return cancelledAnswer;
    // A question on the way to a conversation, such as a sign-in, cannot wait for a turn in it.
    if (connector.opening && context && method === 'elicitation/create')
      return elicitations.ask(params, { context, name: program.name, signal, toolOf: () => undefined });
    const turn = await idleUpdates.turn();
    if (!turn) throw new RpcError(rpcCodes.internalError, 'The conversation is closed.');
    return method === 'elicitation/create'
      ? turn.elicitation(params, signal)
      : turn.permission(params, signal);
  }

  /** Most reads are free and leave no trace. */
  async #read(
    params: unknown,
    { place, signal }: { place: FileAccess; signal: AbortSignal },
  ): Promise<unknown> {
    const { idleUpdates, current } = this.#options;
    const action = await readingOf(params, place);
    const read = () => readClientFile(params, action.path, place);
    const { effect, rule } = await current.judgeReading(action);
    if (effect === 'allow') return read();
    const turn = idleUpdates.deaf || !current.context ? undefined : await idleUpdates.turn();
    if (!turn) throw new RpcError(rpcCodes.internalError, `Refused: ${rule}.`);
    return turn.act(action, signal, read);
  }

  async #act(
    method: 'terminal/create' | 'fs/write_text_file',
    params: unknown,
    { place, signal }: { place: FileAccess; signal: AbortSignal },
  ): Promise<unknown> {
    const { idleUpdates, terminals } = this.#options;
    const action =
      method === 'terminal/create' ? await startingOf(params, place) : await writingOf(params, place);
    const turn = idleUpdates.deaf ? undefined : await idleUpdates.turn();
    if (!turn) throw new RpcError(rpcCodes.internalError, 'The turn was stopped.');
    return turn.act<object>(action, signal, async (how) =>
      method === 'terminal/create'
        ? terminals.create(params, action.path, how)
        : writeClientFile(params, action.path, place),
    );
  }
}
