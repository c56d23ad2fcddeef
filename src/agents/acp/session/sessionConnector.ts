// Connects a conversation to its agent: opens it on first use, restores it after the program
// ended, and closes it.
import { untilDone } from '../../../base/waiting.ts';
import type { Confinement } from '../../../host/ports.ts';
import type { Problem } from '../../../model/event.ts';
import type { OpenConversation } from './applySettings.ts';
import { AgentProcess } from '../process/agentProcess.ts';
import { connectAgent, signInToAgent } from './openConversation.ts';
import type { ConnectOptions, ConnectPorts } from './openConversation.ts';
import { agentLimits } from './agentLimits.ts';
import type { AgentOffers } from './agentOffers.ts';
import { SessionSettingsOfAgent } from './settings.ts';
import type { PromptBuilder } from './promptBuilder.ts';

export interface SessionConnectorOptions extends ConnectPorts {
  readonly offers: AgentOffers;
  readonly promptBuilder: PromptBuilder;
}

/** How long to wait for the agent to close a session. */
const byePatience = 500;

export class SessionConnector {
  readonly #options: SessionConnectorOptions;
  #ref: string | undefined;
  #open: OpenConversation | undefined;
  #opening: Promise<OpenConversation | Problem> | undefined;
  #replaying = false;

  constructor(options: SessionConnectorOptions) {
    this.#options = options;
    this.#ref = options.where.ref;
  }

  /** Restores the conversation. */
  get ref(): string | undefined {
    return this.#ref;
  }

  /** The conversation as it was last open; its program may have ended since. */
  get open(): OpenConversation | undefined {
    return this.#open;
  }

  get alive(): OpenConversation | undefined {
    return this.#open?.link.alive ? this.#open : undefined;
  }

  get opening(): boolean {
    return this.#opening !== undefined;
  }

  /** While the agent repeats its past nothing of it is new. */
  get replaying(): boolean {
    return this.#replaying;
  }

  connect(): Promise<OpenConversation | Problem> {
    this.#opening ??= this.#find().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** The program outside a turn. Nobody waits long for its start, and it is not started in a sandbox. */
  async program(): Promise<AgentProcess | undefined> {
    const { alive } = this;
    const { pool, program, ports, times, where, current } = this.#options;
    if (alive || program.sandbox === 'on') return alive?.link;
    const [root = '/'] = current.roots;
    const late = new AbortController();
    const recall = ports.clock.after(times.cancel, () => late.abort());
    const cwd = await ports.files.realPath(root, root);
    const link = await untilDone(pool.link(where.session, { cwd, confined: undefined }), late.signal);
    recall();
    return link instanceof AgentProcess ? link : undefined;
  }

  signIn({ link }: OpenConversation): ReturnType<typeof signInToAgent> {
    const cwd = this.#options.current.roots[0] ?? '/';
    return signInToAgent(link, { ...this.#connecting(), cwd });
  }

  /** The next connection asks the agent for the conversation again. */
  doubt({ link, id }: OpenConversation): void {
    link.router.part(id, this.#options.user);
    this.#open = undefined;
  }

  /** The next connection starts a new conversation. */
  async restart(): Promise<void> {
    const open = this.#open;
    this.#ref = undefined;
    if (!open) return;
    this.doubt(open);
    await this.#bye(open);
  }

  async leave(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open) await this.#bye(open);
  }

  /** The conversation goes on in another program when the session enters or leaves the sandbox. */
  async #find(): Promise<OpenConversation | Problem> {
    const confined = await agentLimits(this.#options.program, this.#options);
    if (confined && 'code' in confined) return confined;
    const open = await this.#openIn(confined);
    if ('link' in open) this.#offerTurn(open, confined);
    return open;
  }

  async #openIn(confined: Confinement | undefined): Promise<OpenConversation | Problem> {
    const open = this.alive;
    if (!open) return this.#reopen(confined);
    if (JSON.stringify(open.link.confined) === JSON.stringify(confined)) return open;
    await this.#bye(open);
    return this.#reopen(confined);
  }

  /** The program asks for names on the network in the turn that runs now. */
  #offerTurn({ link }: OpenConversation, { reach }: Partial<Confinement> = {}): void {
    const { current } = this.#options;
    const { context } = current;
    if (reach && context)
      link.network.begin((target, signal) =>
        current.context === context ? reach(target, signal) : undefined,
      );
  }

  async #reopen(confined: Confinement | undefined): Promise<OpenConversation | Problem> {
    const { offers, promptBuilder, where } = this.#options;
    const again = this.#open !== undefined;
    const droppedBy = this.#open?.link.droppedBy;
    const isDropped = droppedBy !== undefined && droppedBy !== where.session;
    this.#open = undefined;
    const connected = await connectAgent(this.#connecting(), confined);
    if ('code' in connected) return connected;
    const { link, opened } = connected;
    const open: OpenConversation = {
      link,
      id: opened.id,
      settings: new SessionSettingsOfAgent(opened.settings),
    };
    this.#open = open;
    offers.opened(open.settings, link.hello, opened.how);
    promptBuilder.opened(opened, { link, again, isDropped });
    if (opened.id !== this.#ref) where.aside.bind(opened.id);
    this.#ref = opened.id;
    return open;
  }

  #connecting(): ConnectOptions {
    return {
      ...this.#options,
      ref: this.#ref,
      roots: this.#options.current.roots,
      replay: (phase) => void (this.#replaying = phase === 'begins'),
    };
  }

  async #bye({ link, id }: OpenConversation): Promise<void> {
    if (!link.alive) return;
    const endHurry = link.pace.hurry();
    if (link.hello.agentCapabilities.sessionCapabilities.close)
      await link.request('session/close', { sessionId: id }, byePatience).catch(() => {});
    endHurry();
    link.router.part(id, this.#options.user);
  }
}
