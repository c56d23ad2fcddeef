// What only a person can decide, as a box: an approval, which is read to its end before it is given, or
// questions.
import { homedir } from 'node:os';
import type { ClientAction } from '../../../protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../../protocols/ahp/v1_0/content.ts';
import type { ChatInputAnswer, ChatInputQuestion } from '../../../protocols/ahp/v1_0/message.ts';
import type { PendingToolCall } from '../../../protocols/ahp/v1_0/toolCall.ts';
import { cutLine, lettersIn, paintFor } from '../../output.ts';
import type { Paint } from '../../output.ts';
import { counted, safe } from '../../say.ts';
import { visibleText } from '../../../base/visibleText.ts';
import { boxLines, boxRoom } from '../../terminal/box.ts';
import { ChoiceList } from '../../terminal/choiceList.ts';
import { editDiff } from '../../terminal/editDiff.ts';
import { cutText, textWidth, wrapText } from '../../terminal/styledText.ts';
import {
  allowingKeys,
  approvalAnswer,
  choiceAnswer,
  contentKey,
  lastingRule,
  parseQuestionAnswer,
} from '../answers.ts';
import type { WaitingInput } from '../answers.ts';
import { approvalLines, editLines, readInput } from '../approvalText.ts';
import type { ReadEdit, ReadText } from '../approvalText.ts';
import { placeText } from './placeText.ts';

export interface AskPanelOptions {
  readonly paint: Paint;
  readonly read: ReadText;
  readonly changed: () => void;
  readonly dispatch: (chat: URI, action: ClientAction) => void;
  /** Tells the user something about the answer. */
  readonly note: (text: string) => void;
  /** The folder of the session, in which commands run. */
  readonly folder: () => URI | undefined;
}

/**
 * Keys that are pressed just when a box appears were meant for something else, so they answer only after this
 * time, in milliseconds. The keys are shown when they answer.
 */
const startled = 400;

interface OpenAsk {
  readonly waiting: WaitingInput;
  readonly key: string;
  /** The whole call; undefined until it was read. */
  lines: readonly string[] | undefined;
  /** What we say about it, which wraps between words; the call itself stays as it is. */
  remarks: readonly string[];
  input: string;
  /** The first line of the page, and the first line that no page has shown yet. */
  from: number;
  unseen: number;
  takesKeys: boolean;
}

interface OpenQuestion {
  readonly request: string;
  answers: { readonly [question: string]: ChatInputAnswer };
  hint: string;
  list: ChoiceList<{ readonly id: string; readonly label: string; readonly note?: string | undefined }>;
}

interface QuestionRest {
  readonly lines: readonly string[];
  readonly room: number;
}

export class AskPanel {
  readonly #options: AskPanelOptions;
  #open: OpenAsk | undefined;
  #question: OpenQuestion | undefined;
  /** The last question that was printed above the box. */
  #printed = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AskPanelOptions) {
    this.#options = options;
  }

  get waiting(): WaitingInput | undefined {
    return this.#open?.waiting;
  }

  /** The arguments of the call, where they may be changed. */
  get editable(): string | undefined {
    const open = this.#open;
    return open?.waiting.kind === 'approval' && open.waiting.call.editable ? open.input : undefined;
  }

  /** The whole change as plain text. */
  async changes(): Promise<string> {
    const waiting = this.#open?.waiting;
    if (waiting?.kind !== 'approval') return '';
    const { read } = this.#options;
    const lines = await approvalLines(waiting.call, { paint: paintFor({ isTTY: false }), read });
    return lines.join('\n');
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  update(waiting: WaitingInput | undefined): void {
    const key = waiting && keyOf(waiting);
    if (key === this.#open?.key) return;
    clearTimeout(this.#timer);
    this.#question = undefined;
    if (!waiting || key === undefined) {
      this.#open = undefined;
      return;
    }
    const open: OpenAsk = {
      ...{ waiting, key, lines: undefined, remarks: [], input: '' },
      ...{ from: 0, unseen: 0, takesKeys: false },
    };
    this.#open = open;
    if (waiting.kind === 'approval') return void this.#read(open, waiting.call);
    this.#ask(waiting.request.id, {});
    this.#takeKeysLater(open);
  }

  #takeKeysLater(open: OpenAsk): void {
    this.#timer = setTimeout(() => {
      open.takesKeys = true;
      this.#options.changed();
    }, startled);
  }

  async #read(open: OpenAsk, call: PendingToolCall): Promise<void> {
    const { paint, read } = this.#options;
    open.input = await readInput(call.toolInput, read);
    const lines = await approvalLines(call, { paint, read, drawEdit, isBoxed: true });
    // What a lasting answer allows is read with the call; the command itself stands there already.
    const rule = (lastingRule(call) ?? '').replace(
      `exactly the command "${open.input}"`,
      () => 'exactly the command above',
    );
    const where = placeText(call, {
      folder: this.#options.folder(),
      home: homedir(),
      input: open.input,
    });
    const said = [visibleText(where), ...visibleText(rule).split('\n')];
    open.remarks = said.filter((line) => line !== '').map((line) => paint.dim(line));
    open.lines = lines;
    this.#options.changed();
    this.#takeKeysLater(open);
  }

  /** The box, at most so many lines. */
  lines(width: number, most: number): readonly string[] {
    const open = this.#open;
    if (!open) return [];
    return open.waiting.kind === 'approval'
      ? this.#approvalBox(open, open.waiting.call, { width, most })
      : this.#questionBox(width, most);
  }

  #approvalBox(
    open: OpenAsk,
    call: PendingToolCall,
    { width, most }: { readonly width: number; readonly most: number },
  ): readonly string[] {
    const { paint } = this.#options;
    const title = paint.yellow(approvalTitle(call));
    if (!open.lines) return boxLines([paint.dim('Reading …')], { paint, width, title });
    const body = bodyOf(open, width);
    const keys = this.#keyLines(call, width);
    const moreLines = (lines: readonly string[]) => {
      const letters = lines.reduce((sum, line) => sum + lettersIn(line), 0);
      const size = `${counted(lines.length, 'more line')}, ${counted(letters, 'character')}`;
      const words = `▼ ${size}: press space to read on`;
      return wrapText(paint.yellow(words), boxRoom(width));
    };
    const room = Math.max(3, most - keys.length - 3 - moreLines(body).length);
    const page = body.slice(open.from, open.from + room);
    open.unseen = Math.max(open.unseen, Math.min(body.length, open.from + room));
    const rest = body.slice(open.from + page.length);
    const isRead = open.unseen >= body.length;
    const more = rest.length > 0 && open.takesKeys ? moreLines(rest) : [];
    const answers = isRead && open.takesKeys ? ['', ...keys] : [];
    return boxLines([...page, ...more, ...answers], { paint, width, title });
  }

  #keyLines(call: PendingToolCall, width: number): readonly string[] {
    const { paint } = this.#options;
    const rows = [
      ...allowingKeys(call).map(([key, label]) => `${paint.bold(key)}  ${visibleText(label)}`),
      ...(call.editable ? [`${paint.bold('e')}  edit first`] : []),
      ...(hasEdits(call) ? [`${paint.bold('v')}  view in $EDITOR`] : []),
      `${paint.bold('n')}  no`,
      `${paint.bold('N')}  no, and say what to do instead`,
    ];
    const room = boxRoom(width);
    return inRows(rows, room).map((line) => cutText(line, room));
  }

  /** Whether the letter has answered, or turned the page; only while nothing is typed. */
  press(letter: string): 'edit' | 'view' | 'reason' | 'done' | undefined {
    const open = this.#open;
    if (open?.waiting.kind !== 'approval' || !open.lines) return undefined;
    const { waiting } = open;
    const isRead = this.#isRead(open);
    if (!open.takesKeys) return 'done';
    if (letter === ' ') return isRead ? 'done' : this.#turnPage(open);
    const step = stepOf(letter, waiting.call, isRead);
    if (step) return step;
    const action = approvalAnswer(waiting, letter);
    if (!action) return undefined;
    const allows = action.type === 'chat/toolCallConfirmed' && action.approved;
    if (allows && !isRead) {
      this.#options.note('Read it to its end first: press space.');
      return 'done';
    }
    this.#options.dispatch(waiting.chat, action);
    return 'done';
  }

  #isRead(open: OpenAsk): boolean {
    return open.lines !== undefined && open.unseen > 0 && open.unseen >= this.#bodyLength(open);
  }

  /** As it was drawn last; a call that is not drawn yet is not read. */
  #bodyLength(open: OpenAsk): number {
    return bodyOf(open, this.#width).length;
  }

  #width = 80;

  /** The columns of the terminal; another width wraps the call anew, and it is read again from its begin. */
  resize(width: number): void {
    if (width === this.#width) return;
    this.#width = width;
    if (this.#open) Object.assign(this.#open, { from: 0, unseen: 0 });
  }

  #turnPage(open: OpenAsk): 'done' {
    open.from = open.unseen;
    this.#options.changed();
    return 'done';
  }

  /** Runs the call with other arguments. */
  approveEdited(input: string): void {
    const waiting = this.#open?.waiting;
    if (waiting?.kind !== 'approval') return;
    const action = approvalAnswer(waiting, 'y');
    if (action?.type === 'chat/toolCallConfirmed' && action.approved)
      this.#options.dispatch(waiting.chat, { ...action, editedToolInput: input });
  }

  deny(reason: string): void {
    const waiting = this.#open?.waiting;
    const action = waiting?.kind === 'approval' && approvalAnswer(waiting, 'n');
    if (!waiting || !action || action.type !== 'chat/toolCallConfirmed' || action.approved) return;
    const said = reason.trim();
    this.#options.dispatch(waiting.chat, said === '' ? action : { ...action, reasonMessage: said });
  }

  #ask(request: string, answers: OpenQuestion['answers'], hint = ''): void {
    const [question] = this.#unanswered(answers);
    const options = question && 'options' in question ? question.options : [];
    const items = options.map(({ id, label, description }, at) => ({
      id,
      label: `${at + 1}  ${label}`,
      note: description,
    }));
    const list = new ChoiceList(items, this.#isAboutTrust ? 'none' : 0);
    this.#question = { request, answers, hint, list };
  }

  /** Such a question has no preselected answer, so that Enter alone trusts no folder. */
  get #isAboutTrust(): boolean {
    const waiting = this.#open?.waiting;
    if (waiting?.kind !== 'question') return false;
    const { _meta: meta } = waiting.request;
    return meta?.['about'] === 'trust';
  }

  #unanswered(answers: OpenQuestion['answers']): readonly ChatInputQuestion[] {
    const waiting = this.#open?.waiting;
    const questions = waiting?.kind === 'question' ? (waiting.request.questions ?? []) : [];
    return questions.filter(({ id }) => !(id in answers));
  }

  #questionBox(width: number, most: number): readonly string[] {
    const { paint } = this.#options;
    const waiting = this.#open?.waiting;
    const open = this.#question;
    if (waiting?.kind !== 'question' || !open) return [];
    const { questions = [] } = waiting.request;
    const number =
      questions.length > 1
        ? `  (${questions.length - this.#unanswered(open.answers).length + 1} of ${questions.length})`
        : '';
    const { text, rest } = this.#questionParts(open, width, most);
    const above = paint.dim(`↑ The question is above, in ${counted(text.length, 'line')}.`);
    const shown = text.length > rest.room ? [cutText(above, boxRoom(width))] : text;
    const title = paint.yellow(`Needs you${number}`);
    return boxLines([...shown, ...rest.lines], { paint, width, title });
  }

  /** What is asked, and what stands below it, with how many lines it leaves for the question. */
  #questionParts(
    open: OpenQuestion,
    width: number,
    most: number,
  ): { readonly text: readonly string[]; readonly rest: QuestionRest } {
    const { paint } = this.#options;
    const waiting = this.#open?.waiting;
    const { message, url } = waiting?.kind === 'question' ? waiting.request : {};
    const [question] = this.#unanswered(open.answers);
    const room = boxRoom(width);
    const asked = question?.message ?? message ?? 'Do you agree?';
    const text = [
      ...(message !== undefined && message !== asked ? wrapText(safe(message), room) : []),
      ...(url === undefined ? [] : wrapText(safe(url), room)),
      ...wrapText(paint.bold(safe(asked)), room),
    ];
    const hints = [
      ...wrapText(paint.dim(answerHint(question)), room),
      ...(open.hint === '' ? [] : wrapText(paint.yellow(open.hint), room)),
    ];
    // The two borders, and one line of the question.
    const free = Math.max(3, most - hints.length - 3);
    const options = open.list.wholeLines({ paint, width: room, most: free });
    return { text, rest: { lines: [...options, ...hints], room: free + 1 - options.length } };
  }

  /** A question that does not fit the screen, once, to be printed above the box. */
  longQuestion(width: number, most: number): readonly string[] {
    const open = this.#question;
    if (!open) return [];
    const { text, rest } = this.#questionParts(open, width, most);
    const question = `${open.request} ${this.#unanswered(open.answers)[0]?.id ?? ''}`;
    if (text.length <= rest.room || this.#printed === question) return [];
    this.#printed = question;
    return ['', ...text.map((line) => `   ${line}`)];
  }

  /** Whether the key moves the choice of a question; only while nothing is typed. */
  move(name: string): boolean {
    const isMoved = this.#question?.list.press(name) ?? false;
    if (isMoved && this.#open) this.#open.takesKeys = true;
    return isMoved;
  }

  /** Takes a typed line as the answer to a question; an empty one means the marked choice. */
  answer(line: string): void {
    const waiting = this.#open?.waiting;
    const open = this.#question;
    if (waiting?.kind !== 'question' || !open) return;
    const { id } = waiting.request;
    const [question] = this.#unanswered(open.answers);
    const isMarked = line.trim() === '';
    // It may have been meant for something else.
    if (isMarked && this.#open?.takesKeys !== true) return;
    const marked = isMarked ? open.list.chosen : undefined;
    const answer =
      question && (marked ? choiceAnswer(question, marked.id) : parseQuestionAnswer(question, line));
    if (typeof answer === 'string') {
      open.hint = answer;
      return;
    }
    const answers = question && answer ? { ...open.answers, [question.id]: answer } : open.answers;
    if (this.#unanswered(answers).length > 0) return this.#ask(id, answers);
    // What the host refuses must not stand in the way of the next answer.
    this.#ask(id, {});
    this.#options.dispatch(waiting.chat, {
      type: 'chat/inputCompleted',
      requestId: id,
      response: 'accept',
      answers,
    });
  }

  decline(): boolean {
    const waiting = this.#open?.waiting;
    if (waiting?.kind !== 'question') return false;
    const requestId = waiting.request.id;
    this.#options.dispatch(waiting.chat, { type: 'chat/inputCompleted', requestId, response: 'decline' });
    return true;
  }
}

/** The lines of a call and our remarks, as wide as the box. */
function bodyOf({ lines = [], remarks }: OpenAsk, width: number): readonly string[] {
  const room = boxRoom(width);
  return [
    ...lines.flatMap((line) => cutLine(line, room)),
    ...remarks.flatMap((remark) => wrapText(remark, room)),
  ];
}

/** What a key opens before the call is answered. */
function stepOf(
  letter: string,
  call: PendingToolCall,
  isRead: boolean,
): 'edit' | 'view' | 'reason' | undefined {
  if (letter === 'N') return 'reason';
  if (letter === 'v' && hasEdits(call)) return 'view';
  return letter === 'e' && isRead && call.editable ? 'edit' : undefined;
}

function keyOf(waiting: WaitingInput): string {
  return `${waiting.chat} ${waiting.kind === 'approval' ? contentKey(waiting.call) : waiting.request.id}`;
}

/** Short texts side by side, none of them broken. */
function inRows(texts: readonly string[], width: number): readonly string[] {
  const rows: string[] = [];
  for (const text of texts) {
    const longer = `${rows.at(-1) ?? ''}      ${text}`;
    if (rows.length > 0 && textWidth(longer) <= width) rows[rows.length - 1] = longer;
    else rows.push(text);
  }
  return rows;
}

function hasEdits({ edits }: PendingToolCall): boolean {
  return (edits?.items ?? []).length > 0;
}

function approvalTitle(call: PendingToolCall): string {
  if (hasEdits(call)) return 'Allow this edit?';
  const { _meta: ours } = call;
  return ours?.['kind'] === 'execute' ? 'Allow this command?' : 'Allow this?';
}

function drawEdit(edit: ReadEdit, paint: Paint): readonly string[] {
  if (edit.unreadable) return editLines(edit, paint);
  const { lines, added, removed } = editDiff(edit.before, edit.after, paint);
  return [
    `${paint.bold(visibleText(edit.path))} ${paint.green(`+${added}`)} ${paint.red(`-${removed}`)}`,
    ...lines,
  ];
}

function answerHint(question: ChatInputQuestion | undefined): string {
  const decline = '/decline declines';
  if (!question) return `enter agrees · ${decline}`;
  if (question.kind === 'boolean') return `y or n · ${decline}`;
  if (question.kind !== 'single-select' && question.kind !== 'multi-select')
    return `type your answer · ${decline}`;
  const own = question.allowFreeformInput ? ', or type your own answer' : '';
  const choice = question.kind === 'single-select' ? '↑↓ and enter, or a number' : 'numbers with commas';
  return `${choice}${own} · ${decline}`;
}
