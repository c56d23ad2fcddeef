// Converts questions and sign-ins to ACP forms, or to permission requests for clients without forms. Pure.
import type { Answer, Ask, Json, Question, TurnId } from '../../../model/event.ts';
import type {
  ElicitationRequest,
  FormChoice,
  FormField,
  FormSchema,
  PermissionOption,
  PermissionRequest,
  ToolCallUpdate,
} from '../../../protocols/acp/v1/messages.ts';
import { textBlock } from './content.ts';
import { uniqueId } from './toolCall.ts';

/** The asks that only a user can answer, except approvals. */
export type UserQuestion = Exclude<Ask, { readonly kind: 'approval' }>;

export interface InquiryTarget {
  readonly sessionId: string;
  readonly turn: TurnId;
}

export function elicitationOf(ask: UserQuestion, { sessionId, turn }: InquiryTarget): ElicitationRequest {
  const { message } = ask;
  if (ask.kind === 'signin') return { mode: 'url', sessionId, message, elicitationId: ask.id, url: ask.url };
  return {
    mode: 'form',
    sessionId,
    message,
    ...(ask.tool !== undefined && { toolCallId: uniqueId(turn, ask.tool) }),
    requestedSchema: schemaOf(ask.questions),
  };
}

/** The answers of a form; undefined if they do not fit the questions. */
export function answerOf(ask: UserQuestion, content: { readonly [name: string]: Json }): Answer | undefined {
  if (ask.kind === 'signin') return { kind: 'fields', values: {} };
  const values = ask.questions.map((question) => [question, valueOf(question, content)] as const);
  const fits = values.every(([{ required }, value]) =>
    value === undefined ? required !== true : value !== wrong,
  );
  return fits
    ? {
        kind: 'fields',
        values: Object.fromEntries(
          values.flatMap(([{ id }, value]) => (value === undefined || value === wrong ? [] : [[id, value]])),
        ),
      }
    : undefined;
}

export interface Fallback {
  readonly request: PermissionRequest;
  /** The call that the request is about. */
  readonly call: ToolCallUpdate & { readonly title: string };
  /** The answer that each option stands for. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Set if the client knows this call only from the question, so that its end must be sent too. */
  readonly ownCall: string | undefined;
}

/**
 * For clients without forms. Answers that options cannot express are left to other clients;
 * declining is always possible.
 */
export function fallbackOf(ask: UserQuestion, { sessionId, turn }: InquiryTarget): Fallback {
  const tool = ask.kind === 'question' ? ask.tool : undefined;
  const toolCallId = uniqueId(turn, tool ?? ask.id);
  const offered = offers(ask);
  const options: PermissionOption[] = offered.map(({ label }, i) => ({
    optionId: `answer-${i}`,
    name: label,
    kind: 'allow_once',
  }));
  const answers = new Map<string, Answer>([
    ...offered.map(({ answer }, i) => [`answer-${i}`, answer] as const),
    [decline.optionId, { kind: 'declined' }],
  ]);
  // A title is one line; the rest of a long message stands below it.
  const [title = '', ...rest] = ask.message.split('\n');
  const texts = [
    ...(rest.length > 0 ? [rest.join('\n').trim()] : []),
    ...wordsOf(ask),
    ...(offered.length === 0
      ? ['This client cannot show the form. Answer in another client, or decline.']
      : []),
  ];
  const content = [{ type: 'content', content: textBlock(texts.join('\n\n')) } as const];
  const call = { toolCallId, title, kind: 'other', status: 'pending', content } as const;
  return {
    request: { sessionId, toolCall: call, options: [...options, decline] },
    call,
    answers,
    ownCall: tool === undefined ? toolCallId : undefined,
  };
}

const decline: PermissionOption = { optionId: 'decline', name: 'Decline', kind: 'reject_once' };

function offers(ask: UserQuestion): readonly { readonly label: string; readonly answer: Answer }[] {
  if (ask.kind === 'signin') return [{ label: 'I have signed in', answer: { kind: 'fields', values: {} } }];
  const [only, ...others] = ask.questions;
  if (!only || others.length > 0) return [];
  const said = (value: Json): Answer => ({ kind: 'fields', values: { [only.id]: value } });
  const { answer } = only;
  if (answer.type === 'boolean')
    return [
      { label: 'Yes', answer: said(true) },
      { label: 'No', answer: said(false) },
    ];
  if (!('choices' in answer)) return [];
  return answer.choices.map(({ id, label }) => ({ label, answer: said(answer.type === 'many' ? [id] : id) }));
}

function wordsOf(ask: UserQuestion): readonly string[] {
  if (ask.kind === 'signin') return [ask.message, ask.url];
  return ask.questions.map(({ title, message }) => (title === undefined ? message : `${title}: ${message}`));
}

function schemaOf(questions: readonly Question[]): FormSchema {
  const required = questions.filter((question) => question.required && !isFree(question)).map(({ id }) => id);
  return {
    type: 'object',
    properties: Object.fromEntries(questions.flatMap(fieldsOf)),
    ...(required.length > 0 && { required }),
  };
}

/** A text field beside the choices, if the question allows other answers. */
function fieldsOf(question: Question): readonly (readonly [string, FormField])[] {
  const { id, title, message } = question;
  const field: FormField = {
    title: title ?? message,
    ...(title !== undefined && { description: message }),
    ...kindOf(question),
  };
  return [
    [id, field],
    ...(isFree(question)
      ? [[otherOf(id), { type: 'string', title: `${title ?? message} (other)` }] as const]
      : []),
  ];
}

function kindOf({ answer }: Question): FormField {
  if (!('choices' in answer)) return { type: answer.type === 'text' ? 'string' : answer.type };
  const choices: readonly FormChoice[] = answer.choices.map(({ id, label, description }) => ({
    const: id,
    title: label,
    ...(description !== undefined && { description }),
  }));
  return answer.type === 'one'
    ? { type: 'string', oneOf: choices }
    : { type: 'array', items: { anyOf: choices } };
}

function isFree({ answer }: Question): boolean {
  return 'choices' in answer && answer.freeform === true;
}

function otherOf(id: string): string {
  return `${id}_other`;
}

const wrong = Symbol('wrong');

function valueOf(
  question: Question,
  content: { readonly [name: string]: Json },
): Json | typeof wrong | undefined {
  const { id, answer } = question;
  const value = content[id];
  const other = isFree(question) ? content[otherOf(id)] : undefined;
  const free = typeof other === 'string' && other !== '' ? other : undefined;
  if (free !== undefined && answer.type !== 'many') return free;
  if (value == null && free === undefined) return undefined;
  if (!('choices' in answer)) return value != null && isOfType(answer.type, value) ? value : wrong;
  if (answer.type === 'many') return manyOf(question, value, free);
  return answer.choices.some((choice) => choice.id === value) ? value : wrong;
}

function isOfType(type: 'text' | 'number' | 'integer' | 'boolean', value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === (type === 'text' ? 'string' : type);
}

function manyOf(
  { answer }: Question,
  value: Json | undefined,
  free: string | undefined,
): Json | typeof wrong {
  const known = new Set('choices' in answer ? answer.choices.map(({ id }) => id) : []);
  if (value != null && !Array.isArray(value)) return wrong;
  const list: readonly unknown[] = value ?? [];
  const chosen = list.filter((item) => typeof item === 'string').filter((item) => known.has(item));
  if (chosen.length < list.length) return wrong;
  return free === undefined ? chosen : [...chosen, free];
}
