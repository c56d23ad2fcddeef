// Translates questions and answers between the model and AHP.
import type { Answer, Ask, Json, Question } from '../../../model/event.ts';
import { present } from '../../../base/present.ts';
import type {
  ChatInputAnswer,
  ChatInputAnswers,
  ChatInputAnswerValue,
  ChatInputQuestion,
  ChatInputRequest,
  ChatInputResponseKind,
} from '../../../protocols/ahp/v1_0/message.ts';

/** Everything but an approval, which AHP shows on its tool call. */
export type Inquiry = Exclude<Ask, { readonly kind: 'approval' }>;

export function inputRequest(ask: Inquiry, answers: ChatInputAnswers = {}): ChatInputRequest {
  const given = Object.keys(answers).length > 0 ? answers : undefined;
  return ask.kind === 'signin'
    ? present({ id: ask.id, message: ask.message, url: ask.url, answers: given })
    : present({
        id: ask.id,
        message: isAskedTwice(ask) ? undefined : ask.message,
        questions: ask.questions.map(inputQuestion),
        answers: given,
        _meta: (ask.about ?? ask.needs) && present({ about: ask.about, needs: ask.needs }),
      });
}

/** A request with one question may have the same words, which clients would show twice. */
function isAskedTwice({ message, questions }: Extract<Inquiry, { kind: 'question' }>): boolean {
  return questions.length === 1 && questions[0]?.message === message;
}

export function responseOf(answer: Answer): ChatInputResponseKind {
  if (answer.kind === 'declined') return 'decline';
  return answer.kind === 'withdrawn' ? 'cancel' : 'accept';
}

/** The final answers, by question. */
export function submittedAnswers(ask: Inquiry, answer: Answer): ChatInputAnswers {
  if (answer.kind !== 'fields' || ask.kind !== 'question') return {};
  return Object.fromEntries(
    ask.questions.flatMap((question): readonly (readonly [string, ChatInputAnswer])[] => {
      const value = Object.hasOwn(answer.values, question.id) ? answer.values[question.id] : undefined;
      return value === undefined
        ? []
        : [[question.id, { state: 'submitted', value: answerValue(question, value) }]];
    }),
  );
}

/** The answer in the form of the model, or the reason why it is invalid. */
export function readAnswers(
  ask: Inquiry,
  answers: ChatInputAnswers,
): { readonly values: { readonly [question: string]: Json } } | string {
  const values: { [question: string]: Json } = {};
  for (const question of ask.kind === 'question' ? ask.questions : []) {
    const answer = Object.hasOwn(answers, question.id) ? answers[question.id] : undefined;
    const wrong = answer && answerMismatch(question, answer);
    if (wrong !== undefined) return wrong;
    const value = answer && answer.state !== 'draft' ? readAnswer(answer) : undefined;
    if (value !== undefined) values[question.id] = value;
  }
  return { values };
}

/** The reason why an answer does not match the question, or undefined. */
export function answerMismatch(question: Question, answer: ChatInputAnswer): string | undefined {
  if (answer.state === 'skipped') return undefined;
  return answerKinds[question.answer.type] === answer.value.kind
    ? undefined
    : `The question ${question.id} needs an answer of type ${answerKinds[question.answer.type]}.`;
}

const answerKinds: Record<Question['answer']['type'], ChatInputAnswerValue['kind']> = {
  text: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  one: 'selected',
  many: 'selected-many',
};

function inputQuestion(question: Question): ChatInputQuestion {
  const base = present({
    id: question.id,
    message: question.message,
    title: question.title,
    required: question.required,
  });
  const { answer } = question;
  if (answer.type !== 'one' && answer.type !== 'many') return { kind: answer.type, ...base };
  const options = answer.choices.map(({ id, label, description, needs }) =>
    present({ id, label, description, _meta: needs && { needs } }),
  );
  return present({
    kind: answer.type === 'one' ? ('single-select' as const) : ('multi-select' as const),
    ...base,
    options,
    allowFreeformInput: answer.freeform,
  });
}

function answerValue({ answer }: Question, value: Json): ChatInputAnswerValue {
  if (answer.type === 'one' || answer.type === 'many')
    return selection(answer, Array.isArray(value) ? value.map(String) : [wordOf(value)]);
  if (typeof value === 'number') return { kind: 'number', value };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  return { kind: 'text', value: wordOf(value) };
}

function selection(
  answer: Extract<Question['answer'], { type: 'one' | 'many' }>,
  words: readonly string[],
): ChatInputAnswerValue {
  const offered = new Set(answer.choices.map(({ id }) => id));
  const chosen = words.filter((word) => offered.has(word));
  const free = words.filter((word) => !offered.has(word));
  const freeform = free.length > 0 ? { freeformValues: free } : {};
  return answer.type === 'many'
    ? { kind: 'selected-many', value: chosen, ...freeform }
    : { kind: 'selected', value: chosen[0] ?? '', ...freeform };
}

function readAnswer(answer: Exclude<ChatInputAnswer, { state: 'draft' }>): Json | undefined {
  if (answer.state === 'skipped') return answer.freeformValues?.[0];
  const { value } = answer;
  if (value.kind === 'selected') return value.freeformValues?.[0] ?? value.value;
  return value.kind === 'selected-many' ? [...value.value, ...(value.freeformValues ?? [])] : value.value;
}

function wordOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
