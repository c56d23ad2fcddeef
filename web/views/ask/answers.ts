// What a person has filled in, as the protocol wants it. Pure.
import type {
  ChatInputAnswer,
  ChatInputAnswers,
  ChatInputAnswerValue,
  ChatInputQuestion,
} from '../../../src/protocols/ahp/v1_0/message.ts';

/** One question's entry on the form: text for what is typed, ids for what is chosen. */
export interface Entry {
  readonly text: string;
  readonly chosen: readonly string[];
}

export type Entries = Readonly<Record<string, Entry>>;

export const nothing: Entry = { text: '', chosen: [] };

/** The form starts with what another client may have begun, and otherwise with the defaults. */
export function entriesOf(questions: readonly ChatInputQuestion[], answers: ChatInputAnswers = {}): Entries {
  return Object.fromEntries(
    questions.map((question) => [question.id, entryOf(question, answers[question.id])]),
  );
}

function entryOf(question: ChatInputQuestion, answer: ChatInputAnswer | undefined): Entry {
  if (answer !== undefined && answer.state !== 'skipped') return fromValue(answer.value);
  if (question.kind === 'single-select')
    return {
      text: '',
      chosen: question.options
        .filter(({ recommended }) => recommended)
        .slice(0, 1)
        .map(({ id }) => id),
    };
  if (question.kind === 'multi-select')
    return {
      text: '',
      chosen: question.options.filter(({ recommended }) => recommended).map(({ id }) => id),
    };
  if (question.kind === 'boolean')
    return { text: '', chosen: question.defaultValue === true ? ['true'] : [] };
  return question.defaultValue === undefined ? nothing : { text: String(question.defaultValue), chosen: [] };
}

function fromValue(value: ChatInputAnswerValue): Entry {
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
      return nothing;
  }
}

/** Nothing when the question was left empty. */
export function valueOf(
  question: ChatInputQuestion,
  { text, chosen }: Entry,
): ChatInputAnswerValue | undefined {
  const freeform = text.trim() === '' ? {} : { freeformValues: [text.trim()] };
  switch (question.kind) {
    case 'text':
      return text === '' ? undefined : { kind: 'text', value: text };
    case 'number':
    case 'integer':
      return text.trim() === '' || Number.isNaN(Number(text))
        ? undefined
        : { kind: 'number', value: Number(text) };
    case 'boolean':
      return { kind: 'boolean', value: chosen.includes('true') };
    case 'single-select':
      return chosen.length === 0 && text.trim() === ''
        ? undefined
        : { kind: 'selected', value: chosen[0] ?? '', ...freeform };
    case 'multi-select':
      return chosen.length === 0 && text.trim() === ''
        ? undefined
        : { kind: 'selected-many', value: chosen, ...freeform };
    default:
      return undefined;
  }
}

/** What is wrong with an entry, in words for the person. */
export function problemWith(question: ChatInputQuestion, entry: Entry): string | undefined {
  const { text, chosen } = entry;
  const value = valueOf(question, entry);
  if (value === undefined && question.kind !== 'boolean') {
    if ((question.kind === 'number' || question.kind === 'integer') && text.trim() !== '')
      return 'This is not a number.';
    return question.required === true ? 'An answer is needed.' : undefined;
  }
  if (question.kind === 'integer' && !Number.isInteger(Number(text))) return 'A whole number is needed.';
  const [amount, unit] = amountOf(question, entry);
  if (amount === undefined) return undefined;
  const { min, max } = question.kind === 'boolean' || question.kind === 'single-select' ? {} : question;
  if (min !== undefined && amount < min) return `At least ${min}${unit}.`;
  if (max !== undefined && amount > max) return `At most ${max}${unit}.`;
  return question.kind === 'text' && question.format === 'email' && !/^\S+@\S+$/.test(text)
    ? 'This is not an address.'
    : chosen && undefined;
}

function amountOf(
  question: ChatInputQuestion,
  { text, chosen }: Entry,
): readonly [number | undefined, string] {
  if (question.kind === 'text') return [text.length, ' characters'];
  if (question.kind === 'multi-select') return [chosen.length + (text.trim() === '' ? 0 : 1), ' choices'];
  return question.kind === 'number' || question.kind === 'integer' ? [Number(text), ''] : [undefined, ''];
}

/** Every question is answered or skipped, so that nothing looks forgotten. */
export function submitted(questions: readonly ChatInputQuestion[], entries: Entries): ChatInputAnswers {
  return Object.fromEntries(
    questions.map((question): [string, ChatInputAnswer] => {
      const value = valueOf(question, entries[question.id] ?? nothing);
      return [question.id, value === undefined ? { state: 'skipped' } : { state: 'submitted', value }];
    }),
  );
}
