// `parley chat` on a terminal: a transcript that is printed once, and below it a region that is redrawn.
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { ClientAction } from '../../../protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../../protocols/ahp/v1_0/content.ts';
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import type { ChatState, SessionState } from '../../../protocols/ahp/v1_0/state.ts';
import type { AhpClient } from '../../client/ahpClient.ts';
import { paintFor, print } from '../../output.ts';
import { safe } from '../../say.ts';
import { boxLines, boxRoom } from '../../terminal/box.ts';
import { ChoiceList } from '../../terminal/choiceList.ts';
import type { Choice } from '../../terminal/choiceList.ts';
import type { KeyPress } from '../../terminal/keys.ts';
import { LiveRegion } from '../../terminal/liveRegion.ts';
import { RawTerminal } from '../../terminal/rawTerminal.ts';
import { wrapText } from '../../terminal/styledText.ts';
import { waitingIn } from '../answers.ts';
import { AskPanel } from './askPanel.ts';
import type { WaitingInput } from './askPanel.ts';
import { Composer } from './composer.ts';
import { modelOf } from './figures.ts';
import { editText } from './externalEditor.ts';
import { clientCommands, keyHelp } from './keyHelp.ts';
import { LiveOutputs } from './liveOutputs.ts';
import {
  modelChoices,
  nextPermissions,
  permissionChoices,
  sessionChoices,
  settingChoices,
} from './sessionChoices.ts';
import { activityLine, headLine, permissionsOf, statusLine } from './statusLine.ts';
import { Transcript } from './transcript.ts';

export interface ChatScreenOptions {
  readonly link: AhpClient;
  readonly client: string;
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
/** States that follow each other faster are drawn together, in milliseconds. */
const frameTime = 30;
const secondPress = 1_500;

/** What the text in the box is for. */
type Purpose = 'message' | 'reason' | 'edit' | 'filter';

interface Picker {
  readonly title: string;
  readonly all: readonly Choice[];
  list: ChoiceList<Choice>;
  readonly choose: (choice: Choice) => void;
}

export class ChatScreen {
  readonly #options: ChatScreenOptions;
  readonly #paint = paintFor(process.stdout);
  readonly #terminal = new RawTerminal({
    pressed: (press) => this.#pressed(press),
    resized: () => this.#draw(),
    resumed: () => this.#draw(),
  });
  readonly #region = new LiveRegion(() => this.#terminal.columns);
  readonly #transcript: Transcript;
  readonly #outputs: LiveOutputs;
  readonly #asks: AskPanel;
  readonly #composer: Composer;
  #chat: ChatState | undefined;
  #session: SessionState | undefined;
  #model: string | undefined;
  /** The model of a session for which nobody has chosen one. */
  #usualModel: string | undefined;
  #purpose: Purpose = 'message';
  /** What was typed before the box was needed for something else. */
  #draft = '';
  #picker: Picker | undefined;
  /** Keys that were pressed before the session was there. */
  readonly #early: KeyPress[] = [];
  #isOpen = false;
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
    const { link, chat } = options;
    this.#options = options;
    this.#model = options.model;
    const read = async (uri: string) =>
      (await link.request('resourceRead', { channel: rootChannel, uri, encoding: 'utf-8' })).data;
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
    });
    this.#composer = new Composer({
      complete: async (text, offset) =>
        (await link.request('completions', { channel: chat, kind: 'userMessage', text, offset })).items,
      commands: clientCommands,
      changed: () => this.#draw(),
    });
  }

  async run(): Promise<ScreenEnd> {
    const { link, chat, session } = this.#options;
    const onSignal = () => this.#interrupt();
    const onTerm = () => this.#end({ kind: 'left', code: 4 });
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onTerm);
    process.stdout.on('error', () => this.#end({ kind: 'left', code: 0 }));
    this.#terminal.open();
    try {
      void link.closed.then(() => this.#lost());
      this.#session = await link.follow('session', session, (state) => {
        this.#session = state;
        this.#changed();
      });
      const first = await link.follow('chat', chat, (state) => {
        this.#chat = state;
        this.#changed();
      });
      await this.#open(first);
      this.#clock = setInterval(() => this.#chat?.activeTurn && this.#draw(), 1_000);
      return await this.#ended;
    } finally {
      clearInterval(this.#clock);
      clearTimeout(this.#frame);
      this.#asks.close();
      this.#region.clear();
      this.#terminal.close();
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onTerm);
    }
  }

  async #open(first: ChatState): Promise<void> {
    this.#chat ??= first;
    const { client } = this.#options;
    const width = this.#terminal.columns;
    const folder = basename(process.cwd());
    const head = this.#session
      ? headLine(this.#session, { paint: this.#paint, width, id: this.id, folder, client })
      : '';
    this.#composer.remember(first.turns.map(({ message }) => message.text));
    const lines = await this.#transcript.open(first, shownTurns);
    this.#update();
    this.#draw([head, ...lines]);
    this.#isOpen = true;
    for (const press of this.#early.splice(0)) this.#pressed(press);
    const models = this.#session ? await modelChoices(this.#options.link, this.#session) : [];
    this.#usualModel = models[0]?.id;
    this.#draw();
  }

  get id(): string {
    const { session } = this.#options;
    return decodeURIComponent(session.slice(session.lastIndexOf('/') + 1));
  }

  #lost(): void {
    this.#notice = 'Lost the connection to the host. Nothing is lost; start parley chat again.';
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
    const waiting = own ? { ...own, chat: this.#options.chat } : elsewhere(session, this.#options.chat);
    const was = this.#asks.waiting;
    this.#asks.update(waiting);
    if (was && this.#asks.waiting !== was && (this.#purpose === 'reason' || this.#purpose === 'edit'))
      this.#restore();
  }

  #draw(above: readonly string[] = []): void {
    const [chat, session] = [this.#chat, this.#session];
    if (!chat || !session) return;
    const paint = this.#paint;
    const { columns: width, rows } = this.#terminal;
    const input = this.#inputBox(width, Math.max(3, Math.floor(rows / 3)));
    this.#asks.resize(width);
    const status = [
      statusLine(chat, session, { paint, width, model: this.#model ?? modelOf(chat) ?? this.#usualModel }),
    ];
    const offers = this.#offerLines(width);
    const needsUser = this.#asks.waiting !== undefined;
    const activity = activityLine(chat, { paint, width, now: Date.now(), needsUser });
    const notice = this.#notice === '' ? [] : wrapText(paint.yellow(` ${this.#notice}`), width - 1);
    const fixed = input.lines.length + offers.length + status.length + notice.length + 2;
    const panel = this.#picker
      ? this.#pickerLines(this.#picker, width, rows - fixed)
      : this.#asks.lines(width, rows - fixed);
    const live = this.#transcript.live(chat, Math.max(0, rows - fixed - panel.length - 1));
    const top = [...live, '', ...panel, ...(activity === undefined ? [] : [activity]), ...notice];
    this.#region.draw(
      {
        lines: [...top, ...input.lines, ...offers, ...status],
        caret: { row: top.length + input.row, column: input.column },
      },
      above,
    );
  }

  #inputBox(width: number, most: number) {
    const paint = this.#paint;
    const room = boxRoom(width);
    const { lines, row, column } = this.#composer.editor.layout(room);
    const from = Math.max(0, Math.min(row - most + 3, lines.length - (most - 2)));
    const titles = {
      message: '',
      reason: 'Say what to do instead · enter sends · esc goes back',
      edit: 'Edit what runs · enter runs it · esc goes back',
      filter: 'Type to search · enter chooses · esc goes back',
    };
    const hint =
      this.#chat?.activeTurn && this.#purpose === 'message' ? 'enter queues · ctrl-enter steers' : '';
    const shown = lines.slice(from, from + Math.max(1, most - 2));
    const footer = this.#composer.editor.text === '' || hint === '' ? '' : paint.dim(hint);
    const box = boxLines(shown, { paint, width, title: titles[this.#purpose], footer });
    return { lines: box, row: row - from + 1, column: column + (width - room === 4 ? 2 : 1) };
  }

  #offerLines(width: number): readonly string[] {
    return this.#composer.offers?.lines({ paint: this.#paint, width: width - 2, most: 8 }) ?? [];
  }

  #pickerLines({ title, list }: Picker, width: number, most: number): readonly string[] {
    const paint = this.#paint;
    const items = list.lines({ paint, width: boxRoom(width), most: Math.max(3, Math.min(12, most - 2)) });
    return boxLines(items.length > 0 ? items : [paint.dim('Nothing matches.')], { paint, width, title });
  }

  #pressed(press: KeyPress): void {
    if (!this.#isOpen) {
      this.#early.push(press);
      return;
    }
    this.#notice = '';
    if (press.kind === 'key' && this.#pressedAnywhere(press.name)) return this.#draw();
    if (this.#picker ? this.#pressedInPicker(this.#picker, press) : this.#pressedInAsk(press))
      return this.#draw();
    if (!this.#composer.press(press) && press.kind === 'key') this.#command(press.name);
    if (this.#picker) this.#filter(this.#picker);
    return this.#draw();
  }

  /** Keys that mean the same in every state. */
  #pressedAnywhere(name: string): boolean {
    if (name === 'ctrl-l') return true;
    if (name === 'ctrl-c') this.#interrupt();
    else if (name === 'ctrl-z') this.#terminal.suspend();
    else return false;
    return true;
  }

  #pressedInPicker(picker: Picker, press: KeyPress): boolean {
    if (press.kind !== 'key') return false;
    if (picker.list.press(press.name)) return true;
    if (press.name !== 'escape' && press.name !== 'enter') return false;
    const { chosen } = picker.list;
    this.#picker = undefined;
    this.#restore();
    if (press.name === 'enter' && chosen) picker.choose(chosen);
    return true;
  }

  #filter(picker: Picker): void {
    const word = this.#composer.editor.text.toLowerCase();
    picker.list = new ChoiceList(
      picker.all.filter(({ label, note = '', id }) => `${label} ${note} ${id}`.toLowerCase().includes(word)),
    );
  }

  /** Letters answer an approval as long as nothing is typed. */
  #pressedInAsk(press: KeyPress): boolean {
    if (!this.#asks.waiting || this.#purpose !== 'message' || this.#composer.editor.text !== '') return false;
    if (press.kind === 'key') return this.#asks.move(press.name);
    // Several letters at once are a text that was typed blindly, not an answer.
    if (press.kind !== 'text' || press.text.length > 1) return false;
    const outcome = this.#asks.press(press.text);
    if (outcome === 'edit') this.#borrow('edit', shownInput(this.#asks.editable ?? ''));
    if (outcome === 'reason') this.#borrow('reason', '');
    return outcome !== undefined;
  }

  /** Uses the box for something else than a message. */
  #borrow(purpose: Purpose, text: string): void {
    this.#draft = this.#composer.editor.text;
    this.#purpose = purpose;
    this.#composer.editor.set(text);
    this.#composer.close();
  }

  #restore(): void {
    this.#purpose = 'message';
    this.#composer.editor.set(this.#draft);
    this.#composer.close();
    this.#draft = '';
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
    if (this.#purpose !== 'message') this.#restore();
    else if (this.#chat?.activeTurn) void this.#stop();
  }

  #interrupt(): void {
    const isSecond = Date.now() < this.#leaveBy;
    this.#leaveBy = 0;
    if (this.#picker || this.#purpose !== 'message') {
      this.#picker = undefined;
      this.#restore();
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

  /** Stops the turn; what was queued comes back to the box, so that nothing starts by itself. */
  async #stop(): Promise<void> {
    const { activeTurn, queuedMessages = [], steeringMessage } = this.#chat ?? {};
    if (!activeTurn) return;
    const pending = [
      ...(steeringMessage ? [{ ...steeringMessage, kind: 'steering' as const }] : []),
      ...queuedMessages.map((queued) => ({ ...queued, kind: 'queued' as const })),
    ];
    const duration = Math.max(0, Date.now() - Date.parse(activeTurn.startedAt)) || 0;
    const back: string[] = [];
    for (const { kind, id, message } of pending) {
      const refused = await this.#send({ type: 'chat/pendingMessageRemoved', kind, id });
      if (refused === undefined) back.push(message.text);
    }
    await this.#dispatch({
      type: 'chat/turnCancelled',
      turnId: activeTurn.id,
      duration,
      _meta: { holdQueue: true },
    });
    const { editor } = this.#composer;
    if (back.length > 0) editor.set([...back, editor.text].filter((text) => text !== '').join('\n'));
    this.#draw();
  }

  async #takeBack(): Promise<void> {
    const last = this.#chat?.queuedMessages?.at(-1);
    if (!last) return this.#note('The queue is empty.');
    const refused = await this.#send({ type: 'chat/pendingMessageRemoved', kind: 'queued', id: last.id });
    if (refused !== undefined) return this.#note(refused);
    const { editor } = this.#composer;
    editor.set([last.message.text, editor.text].filter((text) => text !== '').join('\n'));
    return this.#draw();
  }

  async #editOutside(): Promise<void> {
    const { editor } = this.#composer;
    this.#region.clear();
    const text = await editText(this.#terminal, editor.wholeText);
    if (text === undefined) this.#note('The editor failed. Set $VISUAL or $EDITOR.');
    else editor.set(text);
    this.#draw();
  }

  #enter(lane: 'queued' | 'steering'): void {
    if (this.#purpose === 'reason') this.#asks.deny(this.#composer.editor.wholeText);
    if (this.#purpose === 'edit') {
      const input = this.#composer.editor.wholeText;
      const problem = inputProblem(this.#asks.editable ?? '', input);
      if (problem !== undefined) return this.#note(problem);
      this.#asks.approveEdited(input);
    }
    if (this.#purpose !== 'message') return this.#restore();
    const { attachments } = this.#composer;
    const text = this.#composer.take().trim();
    if (this.#local(text)) return undefined;
    if (this.#asks.waiting?.kind === 'question') return this.#asks.answer(text);
    if (text === '') return undefined;
    return void this.#submit(text, lane, attachments);
  }

  async #submit(
    text: string,
    lane: 'queued' | 'steering',
    attachments: Composer['attachments'],
  ): Promise<void> {
    const isSteering = text.startsWith('!') && this.#chat?.activeTurn !== undefined;
    const model = this.#model;
    const message = {
      text: isSteering ? text.slice(1).trim() : text,
      origin: { kind: 'user' as const },
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      ...(model === undefined ? {} : { model: { id: model } }),
    };
    const kind = isSteering ? 'steering' : lane;
    const pending: ClientAction = { type: 'chat/pendingMessageSet', kind, id: randomUUID(), message };
    const start: ClientAction = {
      type: 'chat/turnStarted',
      turnId: randomUUID(),
      startedAt: new Date().toISOString(),
      message,
    };
    let refused = await this.#send(this.#chat?.activeTurn ? pending : start);
    // Another client may have been faster.
    if (refused !== undefined && this.#chat?.activeTurn) refused = await this.#send(pending);
    if (refused === undefined) return;
    this.#note(refused);
    if (this.#composer.editor.text === '') this.#composer.editor.set(text);
    this.#draw();
  }

  /** Carries out what only this client knows. Everything else goes to the host. */
  #local(text: string): boolean {
    const [name = '', word, ...more] = text.split(/\s+/);
    if (more.length > 0) return false;
    const commands: { readonly [command: string]: (() => void) | undefined } = {
      '/quit': () => this.#end({ kind: 'left', code: 0 }),
      '/exit': () => this.#end({ kind: 'left', code: 0 }),
      '/stop': () => void this.#stop(),
      '/queue': () => this.#tell(this.#queueLines()),
      '/jobs': () => this.#tell(this.#jobLines()),
      '/keys': () => this.#tell(keyHelp.map(([keys, meaning]) => `${keys}: ${meaning}`)),
      '?': () => this.#tell(keyHelp.map(([keys, meaning]) => `${keys}: ${meaning}`)),
      '/decline': () => this.#asks.decline() || this.#note('There is no question to decline.'),
      '/resume': () =>
        this.#pick('Open a session', sessionChoices(this.#options.link), ({ id }) =>
          this.#end({ kind: 'open', session: id }),
        ),
      ...this.#settings(),
    };
    if (name === '/drop') return this.#drop(Number(word));
    if (name === '/resume' && word !== undefined) return this.#openNamed(word);
    const run = word === undefined ? commands[name] : undefined;
    run?.();
    return run !== undefined;
  }

  #settings(): { readonly [command: string]: () => void } {
    const { link } = this.#options;
    const session = this.#session;
    if (!session) return {};
    return {
      '/model': () => this.#pick('Model', modelChoices(link, session), ({ id }) => (this.#model = id)),
      '/permissions': () =>
        this.#pick('Permission mode', Promise.resolve(permissionChoices), ({ id }) =>
          this.#setConfig({ permissions: id }),
        ),
      '/mode': () =>
        this.#pick('Mode', settingChoices(link, session, 'mode'), ({ id }) => this.#setConfig({ mode: id })),
      '/effort': () =>
        this.#pick('Effort', settingChoices(link, session, 'variant'), ({ id }) =>
          this.#setConfig({ variant: id }),
        ),
    };
  }

  #pick(title: string, choices: Promise<readonly Choice[]>, choose: (choice: Choice) => void): void {
    void choices.then(
      (all) => {
        if (all.length === 0) return this.#note(`${title}: nothing to choose from.`);
        this.#borrow('filter', '');
        this.#picker = { title, all, list: new ChoiceList(all), choose };
        return this.#draw();
      },
      () => this.#note('The host has not answered.'),
    );
  }

  #setConfig(config: { readonly [name: string]: string }): void {
    void this.#dispatch({ type: 'session/configChanged', config }, this.#options.session);
  }

  /** Opens the session whose ID begins with a word, or whose title has it. */
  #openNamed(word: string): boolean {
    const isNamed = ({ id, label }: Choice) =>
      id.startsWith(word) || label.toLowerCase().includes(word.toLowerCase());
    void sessionChoices(this.#options.link).then(
      (all) => {
        const found = all.find((choice) => isNamed(choice) && choice.id !== this.id);
        if (found) return this.#end({ kind: 'open', session: found.id });
        return this.#note(`No other session is named ${word}. /resume lists them.`);
      },
      () => this.#note('The host has not answered.'),
    );
    return true;
  }

  #queueLines(): readonly string[] {
    const { queuedMessages = [] } = this.#chat ?? {};
    if (queuedMessages.length === 0) return ['The queue is empty.'];
    return queuedMessages.map(({ message }, at) => `${at + 1}. ${message.text}`);
  }

  #jobLines(): readonly string[] {
    const { backgroundWork = [] } = this.#chat ?? {};
    const busy = (this.#session?.chats ?? []).filter(({ origin }) => origin?.kind === 'tool');
    const lines = [
      ...backgroundWork.map(({ label, command }) => command ?? label),
      ...busy.map(({ title, activity = 'idle' }) => `${title}: ${activity}`),
    ];
    return lines.length === 0 ? ['Nothing runs in the background.'] : lines;
  }

  #drop(place: number): boolean {
    const queued = this.#chat?.queuedMessages?.[place - 1];
    if (!queued) this.#note('No such message. /queue lists them.');
    else void this.#dispatch({ type: 'chat/pendingMessageRemoved', kind: 'queued', id: queued.id });
    return true;
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

  async #send(action: ClientAction, channel = this.#options.chat): Promise<string | undefined> {
    return this.#options.link.dispatch(channel, action);
  }

  async #dispatch(action: ClientAction, channel = this.#options.chat): Promise<void> {
    const refused = await this.#send(action, channel);
    if (refused !== undefined) this.#note(refused);
  }

  /** The last line on the terminal. */
  farewell(code: number): void {
    if (code === 1) return print(`${this.#notice}\n`);
    const isStarted = (this.#chat?.turns.length ?? 0) > 0 || this.#chat?.activeTurn;
    if (!isStarted) return undefined;
    const word = this.#chat?.activeTurn ? 'Still running. ' : '';
    return print(`${word}Come back with: parley chat ${this.id}\n`);
  }
}

/** What another chat of the session, such as a sub-agent, waits for. */
function elsewhere({ inputNeeded = [] }: SessionState, own: URI): WaitingInput | undefined {
  for (const needed of inputNeeded) {
    if (needed.chat === own) continue;
    if (needed.kind === 'chatInput') return { kind: 'question', request: needed.request, chat: needed.chat };
    if (needed.kind === 'toolConfirmation' && needed.toolCall.status === 'pending-confirmation')
      return { kind: 'approval', turn: needed.turnId, call: needed.toolCall, chat: needed.chat };
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Arguments that are an object are edited line by line. */
function shownInput(input: string): string {
  return input.trimStart().startsWith('{') && isJson(input)
    ? JSON.stringify(JSON.parse(input), null, 2)
    : input;
}

function inputProblem(original: string, edited: string): string | undefined {
  const wasJson = original.trimStart().startsWith('{') && isJson(original);
  return wasJson && !isJson(edited) ? 'This is not valid JSON. Nothing was run.' : undefined;
}
