// One running agent program and its connection: starts it, does the handshake, and routes its
// messages to conversations.
import { hasNotBegun, mostAttempts } from '../../../rpc/processes/beginning.ts';
import type { Clock, Confinement } from '../../../host/ports.ts';
import type { Problem, SessionId } from '../../../model/event.ts';
import type { InitializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { elicitationComplete } from '../../../protocols/acp/v1/clientSchema.ts';
import { cancelRequest, resourceNotFound, sessionUpdate } from '../../../protocols/acp/v1/methods.ts';
import { isRecord } from '../../../base/isRecord.ts';
import { mcpMessage } from '../../../protocols/acp/v1/unstableSchema.ts';
import { observeTransport } from '../../../rpc/transports/observe.ts';
import { createPeer } from '../../../rpc/peer.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { ProcessExit } from './processExit.ts';
import type { ExitReport } from './processExit.ts';
import { initializeAgent, startFailure } from './handshake.ts';
import { version1Wire } from './agentWire.ts';
import type { AgentWire } from './agentWire.ts';
import { ReportedTerminals } from '../v2/reportedTerminals.ts';
import { Version2Wire } from '../v2/wire.ts';
import { LentServers } from '../session/lentServers.ts';
import type { AgentProgram, AgentTimes, LaunchProgram, ProgramPlace } from './program.ts';
import { QuietTimer } from './quietTimer.ts';
import { ReadingPace } from './readingPace.ts';
import { TurnNetwork } from './turnNetwork.ts';
import { ConversationRouter } from './conversationRouter.ts';

export interface AgentProcessOptions extends ProgramPlace {
  readonly program: AgentProgram;
  readonly launch: LaunchProgram;
  readonly clock: Clock;
  readonly times: AgentTimes;
  /** Parley's version for the handshake. */
  readonly version: string;
}

/** Counts of messages that were dropped. */
export interface DroppedMessages {
  /** Lines that are not messages, and responses without a request. */
  garbage: number;
  /** Messages about unknown conversations. */
  unaddressed: number;
  /** Notifications that we do not know. */
  ignored: number;
}

export class AgentProcess {
  readonly #options: AgentProcessOptions;
  readonly #peer: Peer;
  readonly #exit: ProcessExit;
  readonly #transport: ReturnType<LaunchProgram>;
  readonly #listeners = new Set<() => void>();
  readonly router = new ConversationRouter();
  readonly pace: ReadingPace;
  /** Where the program asks for names on the network if it is confined. */
  readonly network = new TurnNetwork();
  readonly dropped: DroppedMessages = { garbage: 0, unaddressed: 0, ignored: 0 };
  readonly pid: number | undefined;
  /** The tool servers that the agent may use through us. */
  readonly lent = new LentServers({
    request: (method, params) => this.request(method, params),
    notify: (method, params) => this.notify(method, params),
  });
  /** The terminals that the agent runs itself and tells about. */
  readonly reported = new ReportedTerminals();
  #hello: InitializeAnswer | undefined;
  #wire: AgentWire;
  #waiting = 0;
  #closing = false;

  private constructor(options: AgentProcessOptions) {
    this.#options = options;
    const { program, launch, clock, cwd, confined, project } = options;
    this.#exit = new ProcessExit(program, clock);
    const limits = confined && { ...confined, reach: this.network.reach };
    const place = { cwd, confined: limits, project };
    const transport = launch(program, { ...place, stderr: (line) => this.#stderr(line) });
    this.pid = transport.pid;
    this.#transport = transport;
    this.pace = new ReadingPace(transport, () => this.router.room());
    this.#peer = createPeer(observeTransport(transport, { incoming: () => this.#took() }), {
      handle: {
        request: (method, params, { signal }) => this.#request(method, params, signal),
        notification: (method, params) => this.#notification(method, params),
      },
      cancel: cancelRequest,
      lenient: true,
      malformed: 'report',
      problem: () => void (this.dropped.garbage += 1),
    });
    this.#wire = version1Wire(this.#peer);
    this.#exit.watch(transport.exited, this.#peer.closed);
  }

  /** Resolves when the handshake is done; a failed start or handshake is a problem. */
  static async start(options: AgentProcessOptions, attempts = mostAttempts): Promise<AgentProcess | Problem> {
    const link = new AgentProcess(options);
    const problem = await link.#initialize();
    if (!problem) return link;
    await link.close();
    return attempts > 1 && hasNotBegun(link.#transport) ? AgentProcess.start(options, attempts - 1) : problem;
  }

  get hello(): InitializeAnswer {
    if (!this.#hello) throw new Error('The agent has not answered yet.');
    return this.#hello;
  }

  /** The limits of the sandbox that it runs in. */
  get confined(): Confinement | undefined {
    return this.#options.confined;
  }

  /** What the project adds to its environment. */
  get project(): ProgramPlace['project'] {
    return this.#options.project;
  }

  get alive(): boolean {
    return !this.#exit.dead && !this.#closing && !this.#transport.dying;
  }

  /** Whether the agent owes us an answer. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** Resolves shortly after the program has ended. */
  get left(): Promise<ExitReport> {
    return this.#exit.left;
  }

  /**
   * Rejects with an RpcError, also if the program ends first, or if the agent is silent for
   * `silence` milliseconds.
   */
  async request(method: string, params: unknown, silence?: number): Promise<unknown> {
    this.#waiting += 1;
    const bored = this.#boredom(method, silence);
    try {
      return await Promise.race([this.#wire.request(method, params), this.#end(), bored.promise]);
    } catch (error) {
      // The exit of the program explains more than the closed connection.
      throw error instanceof RpcError && error.code === rpcCodes.connectionClosed
        ? await this.#end().catch((end: unknown) => end)
        : error;
    } finally {
      bored.end();
      this.#waiting -= 1;
    }
  }

  async #end(): Promise<never> {
    const { message } = await this.left;
    throw new RpcError(rpcCodes.connectionClosed, message);
  }

  #boredom(method: string, silence: number | undefined): { readonly promise: Promise<never>; end(): void } {
    let end = () => {};
    const promise = new Promise<never>((_, reject) => {
      if (silence === undefined) return;
      const words =
        `${this.#options.program.name} did not answer ${method} and sent nothing for ` +
        `${Math.round(silence / 1_000) > 1 ? `${Math.round(silence / 1_000)} seconds` : 'a second'}.`;
      const time = { clock: this.#options.clock, milliseconds: silence, pace: this.pace };
      const quiet = new QuietTimer(time, () => reject(new RpcError(noAnswer, words)));
      const deafen = this.listen(() => quiet.restart());
      end = () => {
        quiet.end();
        deafen();
      };
    });
    return { promise, end: () => end() };
  }

  notify(method: string, params: unknown): void {
    this.#peer.notify(method, params);
  }

  /** Calls back on every message. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The session whose request ended the program for all sessions. */
  droppedBy: SessionId | undefined;

  /** Asks the program to end, then kills it. Turns that are under way fail with the reason. */
  async close(why?: string): Promise<void> {
    this.#closing = true;
    this.lent.close();
    this.#exit.expect(why);
    this.#peer.close();
    await this.#peer.closed;
  }

  async #initialize(): Promise<Problem | undefined> {
    const { program, version, times } = this.#options;
    try {
      const hello = await initializeAgent({ program, version }, (params) =>
        this.request('initialize', params, times.setup),
      );
      if ('code' in hello) return hello;
      this.#hello = hello;
      if (hello.protocolVersion === 2)
        this.#wire = new Version2Wire({
          peer: this.#peer,
          terminals: this.reported,
          update: (session, update) => this.#deliver(session, update),
        });
      return undefined;
    } catch (error) {
      return { code: 'agent-start', message: startFailure(program, this.#exit.gone, error) };
    }
  }

  #stderr(line: string): void {
    this.#exit.said(line);
    this.#heard();
  }

  #took(): void {
    this.#heard();
    this.pace.took();
  }

  #heard(): void {
    for (const listener of this.#listeners) listener();
  }

  #notification(method: string, params: unknown): void {
    if (method === sessionUpdate) return this.#update(params);
    if (method === mcpMessage) return this.lent.receive(params);
    const completed = method === 'elicitation/complete' ? elicitationComplete.safeParse(params) : undefined;
    if (completed?.success) for (const user of this.router.all) user.elicited(completed.data.elicitationId);
    else this.dropped.ignored += 1;
  }

  #update(params: unknown): void {
    const session = isRecord(params) ? params['sessionId'] : undefined;
    const update = isRecord(params) ? params['update'] : undefined;
    if (typeof session !== 'string') this.dropped.unaddressed += 1;
    else this.#deliver(session, update);
  }

  #deliver(session: string, update: unknown): void {
    for (const one of this.#wire.updates(session, update))
      if (!this.router.update(session, one)) this.dropped.unaddressed += 1;
  }

  async #request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (method.startsWith('mcp/')) return this.lent.handle(method, params);
    const asked = this.#wire.asked(method, params);
    if (asked === undefined) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
    const user = await this.router.of(asked);
    if (user) return user.request(method, asked, signal);
    this.dropped.unaddressed += 1;
    throw new RpcError(resourceNotFound, 'Unknown session');
  }
}

/** Never on the wire. */
const noAnswer = -32_097;
