// Prints a chat as it grows: only what is new, each thing once, in order. Knows the state of a chat,
// not where it comes from.
import { isStopped, withoutCode } from '../../../client/callText.ts';
import { activityBeside } from '../../../client/activityBeside.ts';
import { shortMessage } from './shortMessage.ts';
import { visibleText, wholeLength } from '../../base/visibleText.ts';
import type { FileEdit } from '../../protocols/ahp/v1_0/content.ts';
import type { ChatInputQuestion, ChatInputRequest } from '../../protocols/ahp/v1_0/message.ts';
import type { ActiveTurn, ChatState, ResponsePart, Turn } from '../../protocols/ahp/v1_0/state.ts';
import type { PendingToolCall, ToolCallState, ToolResultContent } from '../../protocols/ahp/v1_0/toolCall.ts';
import { approvalLines, editLines, plainText, readEdit } from './approvalText.ts';
import { approvalKeys, contentKey, lastingRule, waitingIn } from './answers.ts';
import { cutLine, lettersIn } from '../output.ts';
import { pictureLine } from './pictures.ts';
import { counted, safe, short } from '../say.ts';
import type { Paint } from '../output.ts';

export interface ChatViewOptions {
  readonly paint: Paint;
  readonly write: (text: string) => void;
  /** The text that one side of an edit names. */
  readonly read: (uri: string) => Promise<string>;
  /** Whether the message was typed in this terminal, which shows it already. */
  readonly isOwn: (turn: string) => boolean;
  /** The size of the user's terminal; without it everything is printed without pages. */
  readonly screen?: () => { readonly columns: number; readonly rows: number };
  /** Called when a call that waits was printed to its end, so that it may be answered. */
  readonly asked?: (content: string) => void;
  /** Called after everything there was has been printed. */
  readonly printed: (state: ChatState) => void;
}

const outputLines = 12;

export class ChatView {
  readonly #options: ChatViewOptions;
  #state: ChatState | undefined;
  #working = false;
  /**
   * The turn that is being printed, its first part that may still grow, how much of that was printed, and
   * what was said of its tools.
   */
  #turn = '';
  #part = 0;
  #length = 0;
  #told = new Map<string, ToolCallState['status'] | 'asked'>();
  #ended = new Set<string>();
  #activity: string | undefined;
  #column = 0;
  /** The call that waits, with the lines of it that are not printed yet. */
  #unread: { readonly call: PendingToolCall; readonly lines: readonly string[] } | undefined;

  constructor(options: ChatViewOptions) {
    this.#options = options;
  }

  show(state: ChatState): void {
    this.#state = state;
    if (!this.#working) void this.#work();
  }

  /** Turns before this one are not printed. */
  skip(turns: readonly Turn[]): void {
    for (const { id } of turns) this.#ended.add(id);
  }

  /** Whether there is more to read of the call that waits. */
  hasMore(call: PendingToolCall): boolean {
    return this.#unread !== undefined && contentKey(this.#unread.call) === contentKey(call);
  }

  /** Prints the next page of the call that waits; behind the last one, what can be answered. */
  readOn(): void {
    const { paint, screen, asked } = this.#options;
    if (!this.#unread) return;
    const { call, lines } = this.#unread;
    // The question and the line that is typed belong on the page, too.
    const most = screen ? Math.max(4, screen().rows - 4) : lines.length;
    for (const line of lines.slice(0, most)) this.#line(line);
    const rest = lines.slice(most);
    if (rest.length > 0) {
      this.#unread = { call, lines: rest };
      const letters = rest.reduce((sum, line) => sum + lettersIn(line), 0);
      return this.#line(
        paint.yellow(
          `${counted(rest.length, 'more line')}, ${counted(letters, 'character')}: press space to read on`,
        ),
      );
    }
    this.#unread = undefined;
    const rule = lastingRule(call);
    if (rule !== undefined) this.#line(paint.yellow(visibleText(rule)));
    this.#line(paint.yellow(`? Allow this?  ${approvalKeys(call)}`));
    return asked?.(contentKey(call));
  }

  async #work(): Promise<void> {
    this.#working = true;
    let shown: ChatState | undefined;
    while (this.#state !== undefined && this.#state !== shown) {
      shown = this.#state;
      for (const turn of shown.turns) if (!this.#ended.has(turn.id)) await this.#grow(turn);
      if (shown.activeTurn) await this.#grow(shown.activeTurn);
      this.#tellActivity(activityBeside(shown));
    }
    this.#working = false;
    if (shown) this.#options.printed(shown);
  }

  #tellActivity(activity: string | undefined): void {
    if (activity !== undefined && activity !== this.#activity)
      this.#line(this.#options.paint.yellow(safe(activity)));
    this.#activity = activity;
  }

  async #grow(turn: Turn | ActiveTurn): Promise<void> {
    if (this.#turn !== turn.id) this.#begin(turn);
    const parts = turn.responseParts;
    for (;;) {
      const part = parts[this.#part];
      if (!part) break;
      const isGrowing = this.#part === parts.length - 1 && !('state' in turn);
      await this.#print(part, isGrowing);
      if (isOpen(part) || isGrowing) break;
      this.#part += 1;
      this.#length = 0;
    }
    // Calls run in parallel and may ask while they run, so calls after an unfinished one are printed, too.
    for (const part of parts.slice(this.#part + 1))
      if (part.kind === 'toolCall' || part.kind === 'inputRequest') await this.#print(part);
    if ('state' in turn) this.#end(turn);
  }

  #begin({ id, message }: Turn | ActiveTurn): void {
    this.#turn = id;
    this.#part = 0;
    this.#length = 0;
    this.#told = new Map();
    if (!this.#options.isOwn(id))
      this.#line(
        this.#options.paint.cyan(
          safe(shortMessage(message.text))
            .split('\n')
            .map((line) => `> ${line}`)
            .join('\n'),
        ),
      );
  }

  #end(turn: Turn): void {
    this.#ended.add(turn.id);
    this.#freshLine();
    if (turn.state === 'cancelled') this.#line(this.#options.paint.yellow('(stopped)'));
  }

  async #print(part: ResponsePart, isGrowing = false): Promise<void> {
    const { paint } = this.#options;
    switch (part.kind) {
      case 'markdown':
        return this.#text(part.content, isGrowing, (text) => text);
      case 'reasoning':
        return this.#text(part.content, isGrowing, paint.dim);
      case 'toolCall':
        return this.#tool(part.toolCall);
      case 'inputRequest':
        return part.response === undefined ? this.#question(part.request) : undefined;
      case 'systemNotification':
        return this.#once(() => this.#line(paint.yellow(safe(plainText(part.content)))));
      case 'error':
        return this.#once(() => this.#line(paint.red(safe(part.error.message))));
      case 'contentRef':
        return this.#once(() => this.#line(paint.dim(safe(pictureLine(part.contentType, part.sizeHint)))));
      default:
        return part satisfies never;
    }
  }

  #text(content: string, isGrowing: boolean, colour: (text: string) => string): void {
    const whole = isGrowing ? wholeLength(content) : content.length;
    if (whole <= this.#length) return;
    if (this.#length === 0) this.#freshLine();
    const more = content.slice(this.#length, whole);
    this.#length = whole;
    if (more !== '') this.#put(safe(more), colour);
  }

  #once(print: () => void): void {
    if (this.#length > 0) return;
    this.#length = 1;
    print();
  }

  #question(request: ChatInputRequest): void {
    const waiting = this.#state && waitingIn(this.#state);
    if (this.#told.has(request.id) || waiting?.kind !== 'question' || waiting.request.id !== request.id)
      return;
    this.#told.set(request.id, 'asked');
    const { questions = [] } = request;
    const { paint } = this.#options;
    if (request.message !== undefined && questions[0]?.message !== request.message)
      this.#line(paint.yellow(safe(request.message)));
    if (request.url !== undefined) this.#line(`  ${safe(request.url)}`);
    for (const question of questions) this.#line(questionText(question));
  }

  async #tool(call: ToolCallState): Promise<void> {
    const told = this.#told.get(call.toolCallId);
    if (call.status === 'pending-confirmation') return this.#approval(call);
    if (told === call.status || call.status === 'streaming') return;
    this.#told.set(call.toolCallId, call.status);
    if (this.#unread?.call.toolCallId === call.toolCallId) this.#unread = undefined;
    const { paint } = this.#options;
    const title = short(plainText(call.invocationMessage), 200);
    if (told === undefined) this.#line(`${paint.bold('*')} ${title}`);
    if (call.status === 'cancelled') this.#line(paint.yellow(`  ${cancellation(call)}`));
    if (call.status !== 'completed') return;
    const shownBefore = told === 'pending-confirmation' || this.#told.has(`${call.toolCallId}:asked`);
    for (const each of call.content ?? []) await this.#content(each, shownBefore);
    if (isStopped(call)) this.#line(paint.yellow('  stopped'));
    else if (!call.success)
      this.#line(paint.red(`  failed${call.error ? `: ${safe(withoutCode(call.error.message))}` : ''}`));
  }

  async #approval(call: PendingToolCall): Promise<void> {
    const { paint, read, screen } = this.#options;
    const waiting = this.#state && waitingIn(this.#state);
    // Only what an answer would go to is asked: the others follow one by one.
    if (
      waiting?.kind !== 'approval' ||
      contentKey(waiting.call) !== contentKey(call) ||
      this.#told.has(contentKey(call))
    )
      return;
    for (const key of [call.toolCallId, `${call.toolCallId}:asked`, contentKey(call)])
      this.#told.set(key, call.status);
    const lines = await approvalLines(call, { paint, read });
    this.#unread = { call, lines: screen ? lines.flatMap((line) => cutLine(line, screen().columns)) : lines };
    this.readOn();
  }

  async #content(content: ToolResultContent, shownBefore: boolean): Promise<void> {
    if (content.type === 'fileEdit') return shownBefore ? undefined : this.#edit(content);
    if (content.type !== 'text') return undefined;
    const lines = safe(content.text.trimEnd()).split('\n');
    const rest = lines.length - outputLines;
    return this.#line(
      this.#options.paint.dim(
        indent([...lines.slice(0, outputLines), ...(rest > 0 ? [`… ${counted(rest, 'more line')}`] : [])]),
      ),
    );
  }

  async #edit(edit: FileEdit): Promise<void> {
    for (const line of editLines(await readEdit(edit, this.#options.read), this.#options.paint))
      this.#line(line);
  }

  #line(text: string): void {
    this.#freshLine();
    this.#put(`${text}\n`, (same) => same);
  }

  #freshLine(): void {
    if (this.#column > 0) this.#put('\n', (same) => same);
  }

  #put(text: string, colour: (text: string) => string): void {
    this.#column = text.endsWith('\n') ? 0 : 1;
    this.#options.write(colour(text));
  }
}

function cancellation({ reason, reasonMessage }: Extract<ToolCallState, { status: 'cancelled' }>): string {
  const text = reason === 'denied' ? 'denied' : 'skipped';
  return reasonMessage === undefined ? text : `${text}: ${safe(plainText(reasonMessage))}`;
}

export function questionText(question: ChatInputQuestion): string {
  const head = `? ${safe(question.message)}`;
  if (question.kind === 'boolean') return `${head} [y/n]`;
  if (question.kind !== 'single-select' && question.kind !== 'multi-select') return head;
  return [
    head,
    ...question.options.map(
      ({ label, description }, at) =>
        `  ${at + 1}. ${safe(label)}${description === undefined ? '' : ` (${safe(description)})`}`,
    ),
  ].join('\n');
}

function isOpen(part: ResponsePart): boolean {
  if (part.kind === 'inputRequest') return part.response === undefined;
  return (
    part.kind === 'toolCall' && part.toolCall.status !== 'completed' && part.toolCall.status !== 'cancelled'
  );
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  | ${line}`).join('\n');
}
