// `parley chat` on a terminal: a transcript that is printed once, and below it a region that is redrawn.
import { filePath } from '../../../base/fileUri.ts';
import type { ClientAction } from '../../../protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../../protocols/ahp/v1_0/content.ts';
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import type { ChatState, SessionState } from '../../../protocols/ahp/v1_0/state.ts';
import { checkedOutBranch } from '../../../io/git/checkedOutBranch.ts';
import { dataDirectory } from '../../../io/settings/dataPaths.ts';
import type { HostClient } from '../../client/hostClient.ts';
import { paintFor, print } from '../../output.ts';
import { safe } from '../../say.ts';
import type { ListedChoice } from '../../terminal/choiceList.ts';
import type { KeyPress } from '../../terminal/keys.ts';
import { LiveRegion } from '../../terminal/liveRegion.ts';
import type { RawTerminal } from '../../terminal/rawTerminal.ts';
import { textWidth, wrapText } from '../../terminal/styledText.ts';
import { waitingElsewhere, waitingIn } from '../answers.ts';
import { foundHost, lostHost, nothingToStop } from '../connectionTexts.ts';
import { steeringHint, typedText } from '../typedText.ts';
import { AskPanel } from './askPanel.ts';
import { Composer } from './composer.ts';
import { modelOf } from './figures.ts';
import { inputProblem, shownInput } from './editedInput.ts';
import { editText } from './externalEditor.ts';
import type { FirstInput } from '../firstInput.ts';
import { inputBox } from './inputBox.ts';
import { clientCommands } from './keyHelp.ts';
import { LiveOutputs } from './liveOutputs.ts';
import { runLocally } from './localCommands.ts';
import type { CommandEffects } from './localCommands.ts';
import { InputHistory } from './inputHistory.ts';
import { Messages } from './messages.ts';
import type { Outgoing } from './messages.ts';
import { Picker } from './picker.ts';
import { RunningJobs } from './runningJobs.ts';
import { modelChoices, nextPermissions } from './sessionChoices.ts';
import { activityLine, headLine, permissionsOf, statusLine } from './statusLine.ts';
import { Transcript } from './transcript.ts';

export interface ChatScreenOptions {
  /** Owns the terminal until the session is open. */
  readonly input: FirstInput;
  readonly link: HostClient;
  readonly session: URI;
  readonly chat: URI;
  readonly model: string | undefined;
}

/** How the screen was left: for good, or for another session. */
export type ScreenEnd =
  | { readonly kind: 'left'; readonly code: number }
  | { readonly kind: 'open'; readonly session: string };

/** How much of an earlier session is printed. */
const shownTurns = 3;
/**
 * Lines that still grow leave half of the screen free, except for these. A terminal of half the width wraps
 * them to twice as many, and what it moves to its scroll-back could not be taken back.
 */
const fewestLive = 3;
/** States that follow each other faster are drawn together, in milliseconds. */
const frameTime = 30;
const secondPress = 1_500;

export class ChatScreen {
  readonly #options: ChatScreenOptions;
  readonly #paint = paintFor(process.stdout);
  readonly #terminal: RawTerminal;
  readonly #region = new LiveRegion(() => this.#terminal);
  readonly #transcript: Transcript;
  readonly #outputs: LiveOutputs;
  readonly #asks: AskPanel;
  readonly #composer: Composer;
  readonly #messages: Messages;
  readonly #jobs: RunningJobs;
  readonly #history = new InputHistory(dataDirectory(process.env));
  readonly #effects: CommandEffects;
  #chat: ChatState | undefined;
  #session: SessionState | undefined;
  #model: string | undefined;
  /** The model of a session for which nobody has chosen one. */
  #usualModel: string | undefined;
  #picker: Picker | undefined;
  /** The terminal is ours. */
  #isOpen = false;
  /** Set while keys are handled that the user pressed before anything was shown: they only write text. */
  #isBlind = false;
  /** The terminal is no longer ours, or never will be. */
  #isOver = false;
  /** Set from Ctrl-Z until the terminal is ours again; nothing is drawn meanwhile. */
  #isSuspended = false;
  readonly #unprinted: string[] = [];
  #notice = '';
  #leaveBy = 0;
  #frame: NodeJS.Timeout | undefined;
  #clock: NodeJS.Timeout | undefined;
  #printing: Promise<void> = Promise.resolve();
  #end: (end: ScreenEnd) => void = () => {};
  readonly #ended = new Promise<ScreenEnd>((resolve) => {
    this.#end = resolve;
  });

  constructor(options: ChatScreenOptions) {
    const { input, link, chat } = options;
    this.#options = options;
    this.#terminal = input.terminal;
    this.#model = options.model;
    const read = async (uri: string) =>
      (await link.request('resourceRead', { channel: rootChannel, uri, encoding: 'utf-8' })).data;
    this.#messages = new Messages(link, chat, () => this.#chat);
    this.#jobs = new RunningJobs(link, this.id);
    this.#effects = this.#commandEffects();
    this.#outputs = new LiveOutputs(link, () => this.#changed());
    this.#transcript = new Transcript({
      paint: this.#paint,
      read,
      columns: () => this.#terminal.columns,
      now: () => Date.now(),
      running: (call) => this.#outputs.of(call),
    });
    this.#asks = new AskPanel({
      paint: this.#paint,
      read,
      changed: () => this.#draw(),
      dispatch: (channel, action) => void this.#dispatch(action, channel),
      note: (text) => this.#note(text),
      folder: () => this.#session?.workingDirectories?.[0],
    });
    this.#composer = new Composer({
      complete: async (text, offset) =>
        (await link.request('completions', { channel: chat, kind: 'userMessage', text, offset })).items,
      commands: clientCommands,
      changed: () => this.#draw(),
    });
  }

  async run(): Promise<ScreenEnd> {
    const { link } = this.#options;
    const onSignal = () => this.#interrupt();
    const onTerm = () => this.#end({ kind: 'left', code: 4 });
    process.on('SIGINT', onSignal);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, onTerm);
    process.stdout.on('error', () => this.#end({ kind: 'left', code: 0 }));
    let stopWatching = () => {};
    try {
      void link.closed.then((reason) => this.#lost(reason));
      stopWatching = link.onConnection((isOnline) => this.#note(isOnline ? foundHost : ''));
      // A user who leaves does not wait for a host that does not answer.
      return await Promise.race([this.#ended, this.#follow().then(() => this.#ended)]);
    } finally {
      this.#isOver = true;
      stopWatching();
      clearInterval(this.#clock);
      clearTimeout(this.#frame);
      this.#asks.close();
      this.#options.input.end();
      this.#region.clear();
      this.#terminal.close();
      process.off('SIGINT', onSignal);
      for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, onTerm);
    }
  }

  async #follow(): Promise<void> {
    const { link, chat, session } = this.#options;
    this.#session = await link.follow('session', session, (state) => {
      this.#session = state;
      this.#changed();
    });
    const first = await link.follow('chat', chat, (state) => {
      this.#chat = state;
      this.#changed();
    });
    await this.#open(first);
    if (!this.#isOver) this.#clock = setInterval(() => void this.#tick(), 1_000);
  }

  async #tick(): Promise<void> {
    const hasNewJobs = this.#chat && this.#options.link.isOnline && (await this.#jobs.look(this.#chat));
    if (hasNewJobs || this.#chat?.activeTurn) this.#draw();
  }

  async #open(first: ChatState): Promise<void> {
    this.#chat ??= first;
    const head = this.#session ? this.#head(this.#session) : '';
    const own = first.turns.map(({ message }) => message.text);
    this.#composer.remember([...this.#history.read().filter((text) => !own.includes(text)), ...own]);
    const lines = await this.#transcript.open(first, shownTurns);
    this.#update();
    if (this.#isOver) return;
    const typed = this.#takeTerminal();
    this.#draw([head, ...lines]);
    this.#isBlind = true;
    for (const press of typed) this.#pressed(press);
    this.#isBlind = false;
    const models = this.#session ? await modelChoices(this.#options.link, this.#session) : [];
    this.#usualModel = models[0]?.id;
    this.#draw();
  }

  #head(session: SessionState): string {
    const [uri] = session.workingDirectories ?? [];
    const folder = uri === undefined ? undefined : filePath(uri);
    const branch = folder === undefined ? undefined : checkedOutBranch(folder);
    return headLine(
      session,
      { id: this.id, folder, branch, client: this.#options.link.clientId },
      { paint: this.#paint, width: this.#terminal.room },
    );
  }

  /** Returns the keys that were pressed before. */
  #takeTerminal(): readonly KeyPress[] {
    this.#isOpen = true;
    this.#terminal.handOver({
      pressed: (press) => this.#pressed(press),
      resized: () => this.#draw(),
      resumed: () => {
        this.#isSuspended = false;
        this.#draw(this.#unprinted.splice(0));
      },
    });
    return this.#options.input.end();
  }

  get id(): string {
    const { session } = this.#options;
    return decodeURIComponent(session.slice(session.lastIndexOf('/') + 1));
  }

  #lost(reason: string): void {
    this.#notice = `${safe(reason)} Nothing is lost; start parley chat again.`;
    this.#end({ kind: 'left', code: 1 });
  }

  /** Draws what has changed since the last frame. */
  #changed(): void {
    this.#frame ??= setTimeout(() => {
      this.#printing = this.#printing.then(() => this.#printNews());
    }, frameTime);
  }

  async #printNews(): Promise<void> {
    this.#frame = undefined;
    if (!this.#chat) return;
    const lines = await this.#transcript.advance(this.#chat);
    this.#update();
    this.#draw(lines);
  }

  /** Looks for what waits for the user, here and in sub-agents, and for what runs. */
  #update(): void {
    const [chat, session] = [this.#chat, this.#session];
    if (!chat || !session) return;
    this.#outputs.update(chat, session);
    const own = waitingIn(chat);
    const waiting = own
      ? { ...own, chat: this.#options.chat }
      : waitingElsewhere(session, this.#options.chat);
    const was = this.#asks.waiting;
    this.#asks.update(waiting);
    if (
      was &&
      this.#asks.waiting !== was &&
      (this.#composer.purpose === 'reason' || this.#composer.purpose === 'edit')
    )
      this.#composer.restore();
  }

  #draw(above: readonly string[] = []): void {
    const [chat, session] = [this.#chat, this.#session];
    if (!chat || !session || !this.#isOpen || this.#isOver) return;
    if (this.#isSuspended) return void this.#unprinted.push(...above);
    const paint = this.#paint;
    const { room: width, rows } = this.#terminal;
    const input = inputBox(this.#composer.editor, {
      paint,
      width,
      most: Math.max(3, Math.floor(rows / 3)),
      purpose: this.#composer.purpose,
      isRunning: chat.activeTurn !== undefined,
    });
    this.#asks.resize(width);
    const status = [
      statusLine(chat, session, {
        paint,
        width,
        model: this.#model ?? modelOf(chat) ?? this.#usualModel,
        jobs: this.#jobs.count,
      }),
    ];
    const offers = this.#offerLines(width);
    const needsUser = this.#asks.waiting !== undefined;
    const activity = activityLine(chat, { paint, width, now: Date.now(), needsUser });
    const { isOnline, problem = lostHost } = this.#options.link;
    const words = this.#notice === '' && !isOnline ? safe(problem) : this.#notice;
    const notice = words === '' ? [] : wrapText(paint.yellow(` ${words}`), width);
    const fixed = input.lines.length + offers.length + status.length + notice.length + 2;
    const printed = [...above, ...this.#asks.longQuestion(width, rows - fixed)];
    const panel = this.#picker
      ? this.#picker.lines({ paint, width, most: rows - fixed })
      : this.#asks.lines(width, rows - fixed);
    const free = Math.max(0, rows - fixed - panel.length - 1);
    const live = this.#transcript.live(
      chat,
      Math.min(free, Math.max(fewestLive, Math.floor(free - rows / 2))),
    );
    const top = [...live, '', ...panel, ...(activity === undefined ? [] : [activity]), ...notice];
    this.#region.draw(
      {
        lines: [...top, ...input.lines, ...offers, ...status],
        caret: { row: top.length + input.row, column: input.column },
      },
      // A line that the terminal breaks itself would leave pieces of the region beside it.
      printed.flatMap((line) => (textWidth(line) > width ? wrapText(line, width) : [line])),
    );
  }

  #offerLines(width: number): readonly string[] {
    return this.#composer.offers?.lines({ paint: this.#paint, width: width - 2, most: 8 }) ?? [];
  }

  #pressed(press: KeyPress): void {
    this.#notice = '';
    if (this.#asksForKeys(press)) return void runLocally('?', this.#effects);
    if (press.kind === 'key' && press.name === 'ctrl-z') return this.#suspend();
    if (press.kind === 'key' && this.#pressedAnywhere(press.name)) return this.#draw();
    if (this.#picker ? this.#pressedInPicker(this.#picker, press) : this.#pressedInAsk(press))
      return this.#draw();
    if (!this.#composer.press(press) && press.kind === 'key') this.#command(press.name);
    this.#picker?.filter(this.#composer.editor.text);
    return this.#draw();
  }

  /** A question mark alone; where something waits for an answer, it may be the start of one. */
  #asksForKeys(press: KeyPress): boolean {
    const isFree = this.#composer.purpose === 'message' && !this.#picker && !this.#asks.waiting;
    return isFree && press.kind === 'text' && press.text === '?' && this.#composer.editor.text === '';
  }

  /** Keys that mean the same in every state. */
  #pressedAnywhere(name: string): boolean {
    if (name === 'ctrl-l') return true;
    if (name !== 'ctrl-c') return false;
    this.#interrupt();
    return true;
  }

  /** What is drawn next comes when the terminal is ours again. */
  #suspend(): void {
    this.#isSuspended = true;
    this.#region.leave();
    this.#terminal.suspend();
  }

  #pressedInPicker(picker: Picker, press: KeyPress): boolean {
    if (press.kind !== 'key') return false;
    if (picker.press(press.name)) return true;
    if (press.name !== 'escape' && press.name !== 'enter') return false;
    const { chosen } = picker;
    this.#picker = undefined;
    this.#composer.restore();
    if (press.name === 'enter' && chosen) picker.choose(chosen);
    return true;
  }

  /** Letters answer an approval as long as nothing is typed. */
  #pressedInAsk(press: KeyPress): boolean {
    if (!this.#asks.waiting || this.#composer.purpose !== 'message' || this.#composer.editor.text !== '')
      return false;
    if (this.#isBlind) return false;
    if (press.kind === 'key') return this.#asks.move(press.name);
    // Several letters at once are a text that was typed blindly, not an answer.
    if (press.kind !== 'text' || press.text.length > 1) return false;
    const outcome = this.#asks.press(press.text);
    if (outcome === 'edit') this.#composer.borrow('edit', shownInput(this.#asks.editable ?? ''));
    if (outcome === 'reason') this.#composer.borrow('reason', '');
    if (outcome === 'view') void this.#viewOutside();
    return outcome !== undefined;
  }

  #command(name: string): void {
    const commands: { readonly [key: string]: (() => void) | undefined } = {
      enter: () => this.#enter('queued'),
      'ctrl-enter': () => this.#enter('steering'),
      escape: () => this.#escape(),
      'shift-tab': () => this.#setConfig({ permissions: nextPermissions(this.#permissions()) }),
      'ctrl-d': () => this.#end({ kind: 'left', code: 0 }),
      'ctrl-g': () => void this.#editOutside(),
      'ctrl-o': () => this.#draw(this.#transcript.expandable),
      'alt-up': () => void this.#takeBack(),
    };
    commands[name]?.();
  }

  #permissions(): string {
    return this.#session ? permissionsOf(this.#session) : 'ask';
  }

  #escape(): void {
    if (this.#composer.purpose !== 'message') this.#composer.restore();
    else if (this.#chat?.activeTurn) void this.#stop();
  }

  #interrupt(): void {
    const isSecond = Date.now() < this.#leaveBy;
    this.#leaveBy = 0;
    if (this.#picker || this.#composer.purpose !== 'message') {
      this.#picker = undefined;
      this.#composer.restore();
    } else if (this.#chat?.activeTurn && !isSecond) {
      this.#leaveBy = Date.now() + secondPress;
      void this.#stop();
    } else if (this.#composer.editor.text !== '' && !isSecond) this.#composer.take();
    else if (isSecond) this.#end({ kind: 'left', code: 0 });
    else {
      this.#leaveBy = Date.now() + secondPress;
      this.#note('Press Ctrl-C again to leave. The session stays.');
    }
    this.#draw();
  }

  /** Stops the turn; what was queued comes back to the box. */
  async #stop(): Promise<void> {
    if (!this.#options.link.isOnline) return this.#note(nothingToStop);
    const { refused, back } = await this.#messages.stop();
    if (refused !== undefined) this.#note(refused);
    return this.#putBack(back);
  }

  async #takeBack(): Promise<void> {
    const taken = await this.#messages.takeBack();
    if ('refused' in taken) this.#note(taken.refused);
    else this.#putBack([taken.text]);
  }

  #putBack(texts: readonly string[]): void {
    const { editor } = this.#composer;
    if (texts.length > 0) editor.load([...texts, editor.wholeText].filter((text) => text !== '').join('\n'));
    this.#draw();
  }

  async #editOutside(): Promise<void> {
    const { editor } = this.#composer;
    const text = await this.#inEditor(editor.wholeText);
    if (text !== undefined) editor.load(text);
    this.#draw();
  }

  /** Shows the change that waits in the editor. What the user writes there is not used. */
  async #viewOutside(): Promise<void> {
    await this.#inEditor(await this.#asks.changes());
    this.#draw();
  }

  async #inEditor(text: string): Promise<string | undefined> {
    this.#region.clear();
    const edited = await editText(this.#terminal, text);
    if (edited === undefined) this.#note('The editor failed. Set $VISUAL or $EDITOR.');
    return edited;
  }

  #enter(lane: 'queued' | 'steering'): void {
    if (this.#composer.purpose === 'reason') this.#asks.deny(this.#composer.editor.wholeText);
    if (this.#composer.purpose === 'edit') {
      const input = this.#composer.editor.wholeText;
      const problem = inputProblem(this.#asks.editable ?? '', input);
      if (problem !== undefined) return this.#note(problem);
      this.#asks.approveEdited(input);
    }
    if (this.#composer.purpose !== 'message') return this.#composer.restore();
    if (this.#isBlind && this.#asks.waiting?.kind === 'question') return undefined;
    const { attachments } = this.#composer;
    const { text, isPlain } = typedText(this.#composer.take());
    if (!isPlain && runLocally(text, this.#effects)) return undefined;
    if (this.#asks.waiting?.kind === 'question') return this.#asks.answer(text);
    if (text === '') return undefined;
    if (text === '!') return this.#note(steeringHint);
    this.#history.add(text);
    return void this.#submit({ text, lane, attachments });
  }

  async #submit(message: Omit<Outgoing, 'model'>): Promise<void> {
    const refused = await this.#messages.send({ ...message, model: this.#model });
    if (refused === undefined) return;
    this.#note(refused);
    if (this.#composer.editor.text === '') this.#composer.editor.load(message.text);
    this.#draw();
  }

  #commandEffects(): CommandEffects {
    return {
      link: this.#options.link,
      jobs: this.#jobs,
      state: () => ({ id: this.id, chat: this.#chat, session: this.#session }),
      act: (what) => (what === 'stop' ? void this.#stop() : this.#end({ kind: 'left', code: 0 })),
      drop: (place) => void this.#messages.drop(place).then((refused) => this.#note(refused ?? '')),
      decline: () => this.#asks.decline(),
      open: (session) => this.#end({ kind: 'open', session }),
      setModel: (model) => {
        this.#model = model;
      },
      setConfig: (config) => this.#setConfig(config),
      pick: (title, choices, choose) => this.#pick(title, choices, choose),
      note: (text) => this.#note(text),
      tell: (lines) => this.#tell(lines),
    };
  }

  #pick(
    title: string,
    choices: Promise<readonly ListedChoice[]>,
    choose: (choice: ListedChoice) => void,
  ): void {
    void choices.then(
      (all) => {
        if (all.length === 0) return this.#note(`${title}: nothing to choose from.`);
        this.#composer.borrow('filter', '');
        this.#picker = new Picker(title, all, choose);
        return this.#draw();
      },
      () => this.#note('The host has not answered.'),
    );
  }

  #setConfig(config: { readonly [name: string]: string }): void {
    void this.#dispatch({ type: 'session/configChanged', config }, this.#options.session);
  }

  /** Prints lines that belong to no turn. */
  #tell(lines: readonly string[]): void {
    const width = this.#terminal.columns - 4;
    const wrapped = lines.flatMap((line) => wrapText(this.#paint.dim(safe(line)), width));
    this.#draw(['', ...wrapped.map((line) => `   ${line}`)]);
  }

  #note(text: string): void {
    this.#notice = safe(text);
    this.#draw();
  }

  async #dispatch(action: ClientAction, channel: URI): Promise<void> {
    const refused = await this.#options.link.dispatch(channel, action);
    if (refused !== undefined) this.#note(refused);
  }

  /** The last line on the terminal. */
  farewell(code: number): void {
    if (code === 1) return print(`${this.#notice}\n`);
    const isStarted = (this.#chat?.turns.length ?? 0) > 0 || this.#chat?.activeTurn;
    if (!isStarted) return undefined;
    const word = this.#chat?.activeTurn && this.#options.link.isOnline ? 'Still running. ' : '';
    return print(`${word}Come back with: parley chat ${this.id}\n`);
  }
}
