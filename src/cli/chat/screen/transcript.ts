// What a chat has said, for a terminal: the finished parts once, as lines for good, and the growing ones as
// lines that are drawn again.
import type { Token } from 'marked';
import type { ActiveTurn, ChatState, ResponsePart, Turn } from '../../../protocols/ahp/v1_0/state.ts';
import type { ToolCallState } from '../../../protocols/ahp/v1_0/toolCall.ts';
import type { Paint } from '../../output.ts';
import { safe } from '../../say.ts';
import type * as markdown from '../../terminal/markdown.ts';
import { highlightCode } from '../../terminal/highlight.ts';
import { wrapText } from '../../terminal/styledText.ts';
import { plainText } from '../approvalText.ts';
import type { ReadText } from '../approvalText.ts';
import { shortMessage } from '../shortMessage.ts';
import { pictureLine } from '../pictures.ts';
import { usageText } from './figures.ts';
import { endedToolLines, runningToolLines } from './toolLines.ts';

/** The library that reads markdown is loaded with the first answer. */
type Markdown = Pick<typeof markdown, 'blockLines' | 'cutBlock' | 'splitMarkdown'>;

export interface TranscriptOptions {
  readonly paint: Paint;
  readonly read: ReadText;
  readonly columns: () => number;
  readonly now: () => number;
  /** What a running call has printed so far, and when it began. */
  readonly running: (call: ToolCallState) => { readonly output: string; readonly since: number };
}

/** An answer that was there before is cut to its end. */
const mostOldText = 20_000;
const mostOldLines = 200;
/** So much of an answer is read as markdown at once: the block that grows is read again for each frame. */
const mostAtOnce = 16_000;

export class Transcript {
  readonly #options: TranscriptOptions;
  #markdown: Markdown | undefined;
  readonly #ended = new Set<string>();
  #turn = '';
  /** The first part of the turn that is not printed to its end, and how many characters of it are. */
  #part = 0;
  #length = 0;
  /** What a long block that is printed in part has to begin with again; undefined if none is. */
  #opening: string | undefined;
  #afterText = true;
  #expandable: readonly string[] = [];

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  /** Everything of the last call whose output was cut. */
  get expandable(): readonly string[] {
    return this.#expandable;
  }

  /** The end of a chat that is opened: its last turns, and of them the last lines. */
  async open(state: ChatState, turns: number): Promise<readonly string[]> {
    const hidden = state.turns.slice(0, -turns);
    for (const { id } of hidden) this.#ended.add(id);
    const shown = state.turns.slice(-turns).map(withoutOldText);
    const lines = await this.advance({ ...state, turns: shown });
    const rest = lines.length - mostOldLines;
    const isCut = rest > 0 || hidden.length > 0 || state.turnsNextCursor !== undefined;
    const note = this.#options.paint.dim(' … what came before is not shown here: parley sessions show');
    return [...(isCut ? [note] : []), ...(rest > 0 ? lines.slice(rest) : lines)];
  }

  /** The lines of everything that is finished since the last call. */
  async advance(state: ChatState): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const turn of state.turns) if (!this.#ended.has(turn.id)) lines.push(...(await this.#grow(turn)));
    if (state.activeTurn) lines.push(...(await this.#grow(state.activeTurn)));
    return lines;
  }

  /** What still grows, at most so many lines. */
  live({ activeTurn }: ChatState, most: number): readonly string[] {
    if (!activeTurn || activeTurn.id !== this.#turn) return [];
    const lines = activeTurn.responseParts
      .slice(this.#part)
      .flatMap((part, at) => this.#livePart(part, at === 0));
    const isApart = this.#afterText && this.#opening === undefined;
    if (isApart && lines[0] !== '' && lines.length > 0) lines.unshift('');
    const hidden = lines.length - most;
    return hidden > 0 ? [this.#options.paint.dim(' …'), ...lines.slice(hidden + 1)] : lines;
  }

  async #grow(turn: Turn | ActiveTurn): Promise<readonly string[]> {
    const isOver = 'state' in turn;
    const lines = this.#turn === turn.id ? [] : this.#begin(turn);
    for (;;) {
      const part = turn.responseParts[this.#part];
      if (!part || isOpen(part)) break;
      const isLast = this.#part === turn.responseParts.length - 1;
      const isText = part.kind === 'markdown' || part.kind === 'reasoning';
      lines.push(...(isText ? await this.#text(part, isLast && !isOver) : await this.#finished(part)));
      if (isText && isLast && !isOver) break;
      this.#part += 1;
      this.#length = 0;
      this.#opening = undefined;
    }
    if (isOver) lines.push(...this.#end(turn));
    return lines;
  }

  #begin({ id, message }: Turn | ActiveTurn): string[] {
    this.#turn = id;
    this.#part = 0;
    this.#length = 0;
    this.#opening = undefined;
    this.#afterText = true;
    const { paint } = this.#options;
    const [first = '', ...more] = safe(shortMessage(message.text.trimEnd()))
      .split('\n')
      .flatMap((line) => wrapText(line, this.#width()));
    return ['', paint.cyan(` > ${first}`), ...more.map((line) => paint.cyan(`   ${line}`))];
  }

  #end(turn: Turn): readonly string[] {
    this.#ended.add(turn.id);
    const { paint } = this.#options;
    const words = { complete: '', cancelled: 'Stopped', error: 'Failed' }[turn.state];
    const facts = [words, usageText(turn)].filter((text) => text !== '').join(' · ');
    const colour = turn.state === 'complete' ? paint.dim : paint.yellow;
    return facts === '' ? [] : ['', ...this.#indent(wrapText(colour(facts), this.#width()))];
  }

  /** Whole blocks are printed as soon as the next one begins, long ones in pieces. */
  async #text(
    { kind, content }: Extract<ResponsePart, { readonly content: string; readonly id: string }>,
    grows: boolean,
  ): Promise<readonly string[]> {
    this.#markdown ??= await import('../../terminal/markdown.ts');
    const { splitMarkdown, cutBlock } = this.#markdown;
    const lines: string[] = [];
    const isReasoning = kind === 'reasoning';
    while (content.length - this.#length > mostAtOnce) {
      const piece = this.#piece(content);
      const { length, settled } = splitMarkdown(piece);
      const cut = length > 0 ? { length, opening: undefined } : cutBlock(piece);
      const blocks = length > 0 ? settled : allOf(splitMarkdown(piece.slice(0, cut.length)));
      lines.push(...this.#blocks(blocks, isReasoning));
      this.#length += cut.length - (this.#opening ?? '').length;
      this.#opening = cut.opening;
    }
    const split = splitMarkdown(this.#piece(content));
    lines.push(...this.#blocks(grows ? split.settled : allOf(split), isReasoning));
    if (grows && split.length === 0) return lines;
    this.#length = grows ? this.#length + split.length - (this.#opening ?? '').length : content.length;
    this.#opening = undefined;
    return lines;
  }

  /** What is read next of a text, as a block of its own. */
  #piece(content: string): string {
    return (this.#opening ?? '') + content.slice(this.#length, this.#length + mostAtOnce);
  }

  /** The rest of a long block follows it without a blank line. */
  #blocks(blocks: readonly Token[], isReasoning: boolean): readonly string[] {
    if (blocks.length > 0) this.#afterText = true;
    return blocks.flatMap((block, at) => {
      const lines = this.#block(block, isReasoning);
      return at === 0 && this.#opening !== undefined ? lines : ['', ...lines];
    });
  }

  #block(block: Token, isReasoning: boolean): readonly string[] {
    const { paint } = this.#options;
    if (!this.#markdown) return [];
    const lines = this.#markdown.blockLines(block, {
      paint,
      width: this.#width(),
      highlight: (code, language) => highlightCode(code, language, paint),
    });
    return this.#indent(isReasoning ? lines.map((line) => paint.dim(line)) : lines);
  }

  /** Parts that come whole. */
  async #finished(part: ResponsePart): Promise<readonly string[]> {
    const { paint, read } = this.#options;
    const width = this.#width();
    const spaced = (lines: readonly string[]) => {
      const space = this.#afterText ? [''] : [];
      this.#afterText = false;
      return [...space, ...this.#indent(lines)];
    };
    switch (part.kind) {
      case 'toolCall': {
        const call = part.toolCall;
        if (call.status !== 'completed' && call.status !== 'cancelled') return [];
        const { lines, whole } = await endedToolLines(call, { paint, width }, read);
        if (whole) this.#expandable = this.#indent(whole.flatMap((line) => wrapText(line, width)));
        return spaced(lines);
      }
      case 'inputRequest':
        return spaced(this.#answered(part));
      case 'systemNotification':
        return spaced(wrapText(paint.yellow(safe(plainText(part.content))), width));
      case 'error':
        return spaced(wrapText(paint.red(safe(part.error.message)), width));
      case 'contentRef':
        return spaced([paint.dim(safe(pictureLine(part.contentType, part.sizeHint)))]);
      case 'markdown':
      case 'reasoning':
        return [];
      default:
        return part satisfies never;
    }
  }

  #answered({
    request,
    response,
  }: Extract<ResponsePart, { readonly kind: 'inputRequest' }>): readonly string[] {
    const { paint } = this.#options;
    const asked = request.message ?? request.questions?.[0]?.message ?? 'A question';
    const words = response === 'accept' ? answerTexts(request).join(', ') : String(response);
    return wrapText(`${paint.yellow('?')} ${safe(asked)} ${paint.bold(safe(words))}`, this.#width());
  }

  #livePart(part: ResponsePart, isFirst: boolean): readonly string[] {
    const { paint, now, running } = this.#options;
    if (part.kind === 'markdown' || part.kind === 'reasoning') {
      const text = isFirst ? this.#piece(part.content) : part.content.slice(0, mostAtOnce);
      const blocks = this.#markdown ? allOf(this.#markdown.splitMarkdown(text)) : [];
      const lines = blocks.flatMap((block) => ['', ...this.#block(block, part.kind === 'reasoning')]);
      return isFirst && this.#opening !== undefined ? lines.slice(1) : lines;
    }
    if (part.kind !== 'toolCall' || part.toolCall.status === 'pending-confirmation') return [];
    const { output, since } = running(part.toolCall);
    const seconds = Math.floor((now() - since) / 1_000);
    return this.#indent(runningToolLines(part.toolCall, { paint, width: this.#width(), seconds, output }));
  }

  #indent(lines: readonly string[]): readonly string[] {
    return lines.map((line) => (line === '' ? '' : `   ${line}`));
  }

  #width(): number {
    return this.#options.columns() - 4;
  }
}

function allOf({ settled, growing }: markdown.SplitText): readonly Token[] {
  return [...settled, ...growing];
}

function answerTexts({
  answers = {},
  questions = [],
}: Extract<ResponsePart, { readonly kind: 'inputRequest' }>['request']) {
  return Object.entries(answers).flatMap(([id, answer]) => {
    if (answer.state === 'skipped') return [];
    const { value } = answer;
    const question = questions.find((each) => each.id === id);
    const options = question && 'options' in question ? question.options : [];
    const label = (word: string) => options.find((option) => option.id === word)?.label ?? word;
    if (value.kind === 'selected')
      return [label(value.value), ...(value.freeformValues ?? [])].filter(Boolean);
    if (value.kind === 'selected-many') return [...value.value.map(label), ...(value.freeformValues ?? [])];
    return [String(value.value)];
  });
}

/** A call or a question that has not ended. */
function isOpen(part: ResponsePart): boolean {
  if (part.kind === 'inputRequest') return part.response === undefined;
  return (
    part.kind === 'toolCall' && part.toolCall.status !== 'completed' && part.toolCall.status !== 'cancelled'
  );
}

function withoutOldText(turn: Turn): Turn {
  return {
    ...turn,
    responseParts: turn.responseParts.map((part) =>
      (part.kind === 'markdown' || part.kind === 'reasoning') && part.content.length > mostOldText
        ? {
            ...part,
            content: part.content.slice(part.content.indexOf('\n', part.content.length - mostOldText) + 1),
          }
        : part,
    ),
  };
}
