// `parley chat` without a redrawn region, for pipes, screen readers and simple terminals. Lines are prompts,
// answers or remarks; what happens is printed as it happens, whoever causes it.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import type { ChatInputAnswer, Message } from '../../protocols/ahp/v1_0/message.ts';
import { rootChannel } from '../../protocols/ahp/v1_0/state.ts';
import type { ChatState } from '../../protocols/ahp/v1_0/state.ts';
import { foundHost, lostHost } from './connectionTexts.ts';
import type { HostClient } from '../client/hostClient.ts';
import { approvalAnswer, approvalKeys, contentKey, parseQuestionAnswer, waitingIn } from './answers.ts';
import type { PendingInput } from './answers.ts';
import { steeringHint, typedText } from './typedText.ts';
import { ChatView, questionText } from './view.ts';
import { PasteFilter } from './pasteFilter.ts';
import { endsLine, forTerminal, paintFor, print, printError, wipeLine } from '../output.ts';

/** How much of an earlier session is printed when the user reattaches. */
const shownTurns = 3;

const help =
  'Type a message; messages wait in a queue while the agent works. !TEXT steers the turn, /stop or ' +
  'Ctrl-C stops it, /queue lists the queue, /drop N removes a message, ' +
  '/permissions M sets the permission mode, /quit or Ctrl-D leaves.';

export class PlainChat {
  readonly #link: HostClient;
  readonly #chat: URI;
  readonly #model: string | undefined;
  readonly #tty = process.stdin.isTTY && process.stdout.isTTY;
  readonly #pastes = this.#tty ? new PasteFilter(process.stdin) : undefined;
  readonly #lines: Interface = createInterface({
    input: this.#pastes ?? process.stdin,
    ...(this.#tty ? { output: process.stdout, terminal: true } : {}),
  });
  readonly #own = new Set<string>();
  readonly #paint = paintFor(process.stdout);
  readonly #view: ChatView;
  #state: ChatState | undefined;
  #answers: { readonly request: string; readonly given: { [question: string]: ChatInputAnswer } } | undefined;
  #held = '';
  /** Whether the output ends in the middle of a line. */
  #isMidLine = false;
  /** Whether the prompt is the last thing on the terminal. A dumb one shows it as often as it is drawn. */
  #isPrompted = false;
  /** The call that the user has read completely, and the one whose end is still held back. */
  #readable: string | undefined;
  #heldCall: string | undefined;
  #inputOver = false;
  #left = false;
  /** Lines are handled one after another; each sees the effect of the one before. */
  #taking: Promise<void>;
  #begin: () => void = () => {};
  #untaken = 0;
  #leave: (code: number) => void = () => {};
  readonly #done: Promise<number>;

  constructor(link: HostClient, chat: URI, model: string | undefined) {
    this.#link = link;
    this.#chat = chat;
    this.#model = model;
    this.#view = new ChatView({
      paint: this.#paint,
      write: (text) => this.#write(text),
      read: async (uri) =>
        (await link.request('resourceRead', { channel: rootChannel, uri, encoding: 'utf-8' })).data,
      isOwn: (turn) => this.#own.has(turn),
      ...(this.#tty
        ? { screen: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }) }
        : {}),
      asked: (content) => this.#wasAsked(content),
      printed: (state) => this.#rest(state),
    });
    this.#done = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.#taking = new Promise((resolve) => {
      this.#begin = resolve;
    });
    // Lines that are typed before the session is open wait for it.
    this.#listen();
  }

  async talk(again: boolean): Promise<number> {
    void this.#link.closed.then((reason) => this.#cut(reason));
    const stop = this.#link.onConnection((isOnline) =>
      this.#note(isOnline ? foundHost : (this.#link.problem ?? lostHost)),
    );
    // A user who leaves does not wait for a host that does not answer.
    const code = await Promise.race([this.#done, this.#open(again).then(() => this.#done)]);
    this.#left = true;
    stop();
    this.#lines.close();
    this.#pastes?.end();
    // A pipe that stays open would keep the process running.
    process.stdin.destroy();
    return code;
  }

  async #open(again: boolean): Promise<void> {
    const first = await this.#link.followChat(this.#chat, (state) => {
      this.#state = state;
      this.#view.show(state);
    });
    this.#state = first;
    this.#note(again ? `Session ${this.#id()}. ${help}` : `New session in ${process.cwd()}. ${help}`);
    this.#view.skip(first.turns.slice(0, -shownTurns));
    this.#begin();
    this.#view.show(first);
  }

  #cut(reason: string): void {
    if (this.#left) return;
    printError(`parley: ${reason} Nothing is lost; start parley chat again.\n`);
    this.#leave(1);
  }

  #listen(): void {
    this.#lines.on('line', (typed) => {
      const line = this.#pastes?.unfold(typed) ?? typed;
      this.#isPrompted = false;
      // In a terminal, a line answers what was shown while the user typed it, not output that was held back.
      const readable = this.#tty ? this.#readable : undefined;
      this.#flush();
      this.#untaken += 1;
      this.#taking = this.#taking
        .then(() => this.#take(line, this.#tty ? readable : this.#readable))
        .finally(() => {
          this.#untaken -= 1;
          if (this.#inputOver && this.#state) this.#rest(this.#state);
        });
    });
    this.#lines.on('close', () => this.#over());
    let isInterrupting = false;
    const interrupt = () => {
      // If the host does not answer, the second attempt to stop leaves the chat.
      if (isInterrupting) return this.#leave(4);
      isInterrupting = true;
      // Stop the line that was sent just before.
      const over = this.#taking.then(() => this.#interrupt());
      return void over.finally(() => (isInterrupting = false));
    };
    this.#lines.on('SIGINT', interrupt);
    process.on('SIGINT', interrupt);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#leave(4));
    process.stdout.on('error', () => this.#leave(0));
    if (this.#pastes) this.#pastes.beforeKeys = (keys) => this.#beforeKeys(keys);
    this.#pastes?.on('keypress', () => setImmediate(() => this.#pressed()));
  }

  /** What is typed while an answer streams stands on a line of its own. */
  #beforeKeys(keys: string): void {
    if (!this.#isMidLine || this.#lines.line !== '' || /^\p{Cc}/u.test(keys)) return;
    this.#isMidLine = false;
    print('\n');
    this.#prompt();
  }

  #pressed(): void {
    const waiting = this.#state && waitingIn(this.#state);
    if (/^ +$/.test(this.#lines.line) && waiting?.kind === 'approval' && this.#view.hasMore(waiting.call))
      this.#readOn();
    this.#flush();
  }

  #readOn(): void {
    this.#clearLine();
    this.#view.readOn();
    this.#prompt();
  }

  #wasAsked(content: string): void {
    if (this.#held === '') this.#readable = content;
    else this.#heldCall = content;
  }

  async #take(line: string, readable: string | undefined): Promise<void> {
    const state = this.#state;
    const { text } = typedText(line);
    if (!state) return;
    if (text === '/quit') return this.#leave(0);
    if (text === '/help') return this.#note(help);
    if (text === '/stop') return this.#interrupt();
    if (text === '/queue') return this.#note(queueText(state));
    const dropped = /^\/drop\s+(\d+)$/.exec(text)?.[1];
    if (dropped !== undefined) return this.#drop(state, Number(dropped));
    const waiting = waitingIn(state);
    if (text === '!') return this.#note(steeringHint);
    if (text.startsWith('!') && state.activeTurn) return this.#pending('steering', text.slice(1).trim());
    if (waiting) return this.#answer(waiting, text, readable);
    if (text === '') return this.#prompt();
    return state.activeTurn ? this.#pending('queued', text) : this.#start(text);
  }

  async #start(text: string): Promise<void> {
    const turnId = randomUUID();
    this.#own.add(turnId);
    return this.#tell(
      await this.#link.dispatch(this.#chat, {
        type: 'chat/turnStarted',
        turnId,
        startedAt: new Date().toISOString(),
        message: this.#message(text),
      }),
    );
  }

  async #pending(kind: 'queued' | 'steering', text: string): Promise<void> {
    if (text === '') return;
    const refused = await this.#link.dispatch(this.#chat, {
      type: 'chat/pendingMessageSet',
      kind,
      id: randomUUID(),
      message: this.#message(text),
    });
    this.#note(refused ?? (kind === 'queued' ? '(queued)' : '(steering)'));
  }

  async #drop({ queuedMessages = [] }: ChatState, place: number): Promise<void> {
    const message = queuedMessages[place - 1];
    if (!message) return this.#note(`No queued message ${place}. /queue lists them.`);
    const refused = await this.#link.dispatch(this.#chat, {
      type: 'chat/pendingMessageRemoved',
      kind: 'queued',
      id: message.id,
    });
    return this.#note(refused ?? `Removed: ${message.message.text}`);
  }

  async #answer(waiting: PendingInput, text: string, readable: string | undefined): Promise<void> {
    if (waiting.kind === 'approval') return this.#decide(waiting, text, readable);
    const { id, questions = [] } = waiting.request;
    if (this.#answers?.request !== id) this.#answers = { request: id, given: {} };
    const { given } = this.#answers;
    if (text === '/decline')
      return this.#tell(
        await this.#link.dispatch(this.#chat, {
          type: 'chat/inputCompleted',
          requestId: id,
          response: 'decline',
        }),
      );
    const next = questions.find((question) => !(question.id in given));
    if (next) {
      const answer = parseQuestionAnswer(next, text);
      if (typeof answer === 'string') return this.#note(`${answer} /decline declines.`);
      given[next.id] = answer;
    }
    const following = questions.find((question) => !(question.id in given));
    if (following) return this.#note(questionText(following));
    const refused = await this.#link.dispatch(this.#chat, {
      type: 'chat/inputCompleted',
      requestId: id,
      response: 'accept',
      answers: given,
    });
    // What was refused must not stand in the way of the next answer.
    if (refused !== undefined) this.#answers = undefined;
    return this.#tell(refused);
  }

  /**
   * A refusal is taken at any time; nothing is allowed that was not shown to its end before
   * the answer was typed.
   */
  async #decide(
    waiting: Extract<PendingInput, { readonly kind: 'approval' }>,
    text: string,
    readable: string | undefined,
  ): Promise<void> {
    const { call } = waiting;
    const action = approvalAnswer(waiting, text);
    const allows = action?.type === 'chat/toolCallConfirmed' && action.approved;
    if (this.#view.hasMore(call) && (allows || text === '')) {
      if (allows) this.#note('Read it to its end first.');
      return this.#readOn();
    }
    if (allows && readable !== contentKey(call))
      return this.#note(`This was shown only now: ${approvalKeys(call)}`);
    return action
      ? this.#tell(await this.#link.dispatch(this.#chat, action))
      : this.#note(`This waits for you: ${approvalKeys(call)}`);
  }

  async #interrupt(): Promise<void> {
    if (this.#tty) this.#clearLine();
    const turn = this.#state?.activeTurn;
    if (turn)
      return this.#tell(
        await this.#link.dispatch(this.#chat, { type: 'chat/turnCancelled', turnId: turn.id, duration: 0 }),
      );
    if (!this.#tty) return this.#leave(4);
    return this.#note('Nothing is running. Ctrl-D leaves.');
  }

  /** Like a shell: discards the typed text and shows the output that was held back. */
  #clearLine(): void {
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    print(wipeLine);
    this.#isPrompted = false;
    this.#flush();
  }

  /** Ctrl-D leaves immediately. Lines from a pipe are processed first. */
  #over(): void {
    this.#inputOver = true;
    if (!this.#tty) return this.#state ? this.#rest(this.#state) : undefined;
    if (this.#state?.activeTurn) this.#note(`Still running. Reattach: parley chat ${this.#id()}`);
    return this.#leave(0);
  }

  /** Everything there is has been printed. */
  #rest(state: ChatState): void {
    const waiting = waitingIn(state);
    const idle = !state.activeTurn && (state.queuedMessages ?? []).length === 0;
    if (this.#inputOver && this.#untaken > 0) return;
    if (this.#inputOver && !this.#tty && waiting) {
      printError(`parley: Needs an answer, but the input has ended. Reattach: parley chat ${this.#id()}\n`);
      return this.#leave(4);
    }
    if (this.#inputOver && !this.#tty && idle)
      return this.#leave(state.turns.at(-1)?.state === 'error' ? 1 : 0);
    return idle || waiting ? this.#prompt() : undefined;
  }

  #prompt(): void {
    if (!this.#tty || this.#left || this.#isPrompted || this.#lines.line !== '') return;
    this.#isPrompted = true;
    this.#lines.setPrompt(forTerminal(this.#paint.bold('> ')));
    this.#lines.prompt();
  }

  #tell(refused: string | undefined): void {
    if (refused !== undefined) this.#note(refused);
  }

  #note(text: string): void {
    this.#write(`${this.#paint.dim(text)}\n`);
    if (this.#state && (!this.#state.activeTurn || waitingIn(this.#state))) this.#prompt();
  }

  /** Output waits while the user types, and is shown when the line is sent or empty. */
  #write(text: string): void {
    if (this.#tty && this.#lines.line !== '') {
      this.#held += text;
      return;
    }
    this.#flush();
    this.#print(text);
  }

  #print(text: string): void {
    print(text);
    if (text === '') return;
    this.#isMidLine = !endsLine(text);
    this.#isPrompted = false;
  }

  #flush(): void {
    if (this.#held === '' || (this.#tty && this.#lines.line !== '')) return;
    const text = this.#held;
    this.#held = '';
    this.#print(text);
    this.#readable = this.#heldCall ?? this.#readable;
    this.#heldCall = undefined;
  }

  #message(text: string): Message {
    return {
      text,
      origin: { kind: 'user' },
      ...(this.#model === undefined ? {} : { model: { id: this.#model } }),
    };
  }

  #id(): string {
    return decodeURIComponent(this.#chat.slice(this.#chat.lastIndexOf('/') + 1));
  }
}

function queueText({ queuedMessages = [] }: ChatState): string {
  return (
    queuedMessages.map(({ message }, at) => `${at + 1}. ${message.text}`).join('\n') || 'The queue is empty.'
  );
}
