// Converts form entries to protocol answers and back, and validates them. Pure.
import { present } from '../../../src/base/present.ts';
import type {
  ChatInputAnswer,
  ChatInputAnswers,
  ChatInputAnswerValue,
  ChatInputQuestion,
  ChatInputRequest,
} from '../../../src/protocols/ahp/v1_0/message.ts';

/** The form's value for one question: typed text, and the ids of chosen options. */
export interface FieldEntry {
  readonly text: string;
  readonly chosen: readonly string[];
}

export type Entries = Readonly<Record<string, FieldEntry>>;

export const emptyEntry: FieldEntry = { text: '', chosen: [] };

/** The form starts with the answers that another client has begun, otherwise with the defaults. */
export function initialEntries(
  questions: readonly ChatInputQuestion[],
  answers: ChatInputAnswers = {},
): Entries {
  return Object.fromEntries(
    questions.map((question) => [question.id, initialEntry(question, answers[question.id])]),
  );
}

function initialEntry(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): FieldEntry {
  if (answer !== undefined && answer.state !== 'skipped') return entryFromValue(answer.value);
  switch (question.kind) {
    case 'single-select':
      return { text: '', chosen: recommendedIds(question.options).slice(0, 1) };
    case 'multi-select':
      return { text: '', chosen: recommendedIds(question.options) };
    case 'boolean':
      return { text: '', chosen: question.defaultValue === true ? ['true'] : [] };
    case 'text':
    case 'number':
    case 'integer':
      return { text: String(question.defaultValue ?? ''), chosen: [] };
    default:
      return question satisfies never;
  }
}

function recommendedIds(
  options: readonly { readonly id: string; readonly recommended?: boolean }[],
): readonly string[] {
  return options.filter(({ recommended }) => recommended === true).map(({ id }) => id);
}

function entryFromValue(value: ChatInputAnswerValue): FieldEntry {
  switch (value.kind) {
    case 'text':
      return { text: value.value, chosen: [] };
    case 'number':
      return { text: String(value.value), chosen: [] };
    case 'boolean':
      return { text: '', chosen: value.value ? ['true'] : [] };
    case 'selected':
      return { text: value.freeformValues?.[0] ?? '', chosen: value.value === '' ? [] : [value.value] };
    case 'selected-many':
      return { text: value.freeformValues?.join(', ') ?? '', chosen: value.value };
    default:
      return emptyEntry;
  }
}

/** Undefined if the question was left empty, or if the text is not a number where one is needed. */
export function answerValue(
  question: ChatInputQuestion,
  entry: FieldEntry,
): ChatInputAnswerValue | undefined {
  const { text, chosen } = entry;
  switch (question.kind) {
    case 'text':
      return text === '' ? undefined : { kind: 'text', value: text };
    case 'number':
    case 'integer':
      return numberValue(text);
    case 'boolean':
      return { kind: 'boolean', value: chosen.includes('true') };
    case 'single-select':
    case 'multi-select':
      return selectedValue(question.kind, entry);
    default:
      return undefined;
  }
}

function numberValue(text: string): ChatInputAnswerValue | undefined {
  if (text.trim() === '' || Number.isNaN(Number(text))) return undefined;
  return { kind: 'number', value: Number(text) };
}

function selectedValue(
  kind: 'single-select' | 'multi-select',
  { text, chosen }: FieldEntry,
): ChatInputAnswerValue | undefined {
  const typed = text.trim();
  if (chosen.length === 0 && typed === '') return undefined;
  const freeform = present({ freeformValues: typed === '' ? undefined : [typed] });
  return kind === 'single-select'
    ? { kind: 'selected', value: chosen[0] ?? '', ...freeform }
    : { kind: 'selected-many', value: chosen, ...freeform };
}

/** Why the entry cannot be submitted, as a message for the user; undefined if it can. */
export function validationError(question: ChatInputQuestion, entry: FieldEntry): string | undefined {
  const value = answerValue(question, entry);
  if (value === undefined) return missingError(question, entry);
  if (question.kind === 'integer' && !Number.isInteger(Number(entry.text))) return 'Enter a whole number.';
  const outOfRange = rangeError(question, entry);
  if (outOfRange !== undefined) return outOfRange;
  const isEmail = question.kind === 'text' && question.format === 'email';
  return isEmail && !/^\S+@\S+$/.test(entry.text) ? 'Enter an email address.' : undefined;
}

function missingError(question: ChatInputQuestion, { text }: FieldEntry): string | undefined {
  const isNumber = question.kind === 'number' || question.kind === 'integer';
  if (isNumber && text.trim() !== '') return 'Enter a number.';
  return question.required === true ? 'This answer is required.' : undefined;
}

function rangeError(question: ChatInputQuestion, entry: FieldEntry): string | undefined {
  if (question.kind === 'boolean' || question.kind === 'single-select') return undefined;
  const { min, max } = question;
  const { amount, unit } = measure(question.kind, entry);
  if (min !== undefined && amount < min) return `At least ${min}${unit}.`;
  if (max !== undefined && amount > max) return `At most ${max}${unit}.`;
  return undefined;
}

function measure(
  kind: 'text' | 'number' | 'integer' | 'multi-select',
  { text, chosen }: FieldEntry,
): { readonly amount: number; readonly unit: string } {
  if (kind === 'text') return { amount: text.length, unit: ' characters' };
  if (kind === 'multi-select')
    return { amount: chosen.length + (text.trim() === '' ? 0 : 1), unit: ' choices' };
  return { amount: Number(text), unit: '' };
}

/** The answers to submit: a question that was left empty counts as skipped. */
export function answersToSend(questions: readonly ChatInputQuestion[], entries: Entries): ChatInputAnswers {
  return Object.fromEntries(
    questions.map((question): [string, ChatInputAnswer] => {
      const value = answerValue(question, entries[question.id] ?? emptyEntry);
      return [question.id, value === undefined ? { state: 'skipped' } : { state: 'submitted', value }];
    }),
  );
}

/** Whether the host takes an answer, or a choice, only from a device that may control it. */
export function needsControl({ _meta }: Pick<ChatInputRequest, '_meta'>): boolean {
  return _meta?.['needs'] === 'control';
}

/** The questions without the choices that a device may not make. */
export function offeredQuestions(
  { questions = [] }: Pick<ChatInputRequest, 'questions'>,
  mayControl: boolean,
): readonly ChatInputQuestion[] {
  return mayControl
    ? questions
    : questions.map((question) =>
        'options' in question
          ? { ...question, options: question.options.filter((option) => !needsControl(option)) }
          : question,
      );
}
