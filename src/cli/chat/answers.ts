// Parses a typed line as the answer to a pending approval or question. Pure.
import type { ClientAction } from '../../protocols/ahp/v1_0/actions.ts';
import type {
  ChatInputAnswer,
  ChatInputQuestion,
  ChatInputRequest,
} from '../../protocols/ahp/v1_0/message.ts';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import type { ChatState, SessionState } from '../../protocols/ahp/v1_0/state.ts';
import type { ConfirmationOption, PendingToolCall } from '../../protocols/ahp/v1_0/toolCall.ts';

export type PendingInput =
  | { readonly kind: 'approval'; readonly turn: string; readonly call: PendingToolCall }
  | { readonly kind: 'question'; readonly request: ChatInputRequest };

/** The same with the chat that it belongs to. */
export type WaitingInput = PendingInput & { readonly chat: URI };

/** The first thing in a chat that only a person can decide. */
export function waitingIn({ activeTurn }: ChatState): PendingInput | undefined {
  for (const part of activeTurn?.responseParts ?? []) {
    if (part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation')
      return { kind: 'approval', turn: activeTurn?.id ?? '', call: part.toolCall };
    if (part.kind === 'inputRequest' && part.response === undefined)
      return { kind: 'question', request: part.request };
  }
  return undefined;
}

/** What another chat of the session, such as a sub-agent, waits for. */
export function waitingElsewhere({ inputNeeded = [] }: SessionState, own: URI): WaitingInput | undefined {
  for (const needed of inputNeeded) {
    if (needed.chat === own) continue;
    if (needed.kind === 'chatInput') return { kind: 'question', request: needed.request, chat: needed.chat };
    if (needed.kind === 'toolConfirmation' && needed.toolCall.status === 'pending-confirmation')
      return { kind: 'approval', turn: needed.turnId, call: needed.toolCall, chat: needed.chat };
  }
  return undefined;
}

/** Identifies the content of a pending call; when it changes, the user must read it again. */
export function contentKey({
  toolCallId,
  invocationMessage,
  confirmationTitle,
  toolInput,
  edits,
}: PendingToolCall): string {
  return JSON.stringify([toolCallId, invocationMessage, confirmationTitle, toolInput, edits]);
}

/** The answer to an approval, or undefined where the line is none. */
export function approvalAnswer(
  { turn, call }: Extract<PendingInput, { readonly kind: 'approval' }>,
  line: string,
): ClientAction | undefined {
  const [, key = '', reason = ''] = /^([ysfan]|yes|no)(?:\s+(.*))?$/is.exec(line.trim()) ?? [];
  const approve = (call.options ?? []).filter(({ kind }) => kind === 'approve');
  const place = { type: 'chat/toolCallConfirmed', turnId: turn, toolCallId: call.toolCallId } as const;
  const letter = key.charAt(0).toLowerCase();
  if (letter === 'n')
    return {
      ...place,
      approved: false,
      reason: 'denied',
      ...(reason === '' ? {} : { reasonMessage: reason }),
    };
  if (letter === '' || reason !== '') return undefined;
  const scope = scopes[letter];
  const chosen = approve.find((option) => (scope ? effectOf(option) === scope.effect : isOnce(option)));
  if (!chosen && letter !== 'y') return undefined;
  return {
    ...place,
    approved: true,
    confirmed: 'user-action',
    ...(chosen ? { selectedOptionId: chosen.id } : {}),
  };
}

/** The keys that answer a pending call. */
export function approvalKeys({ options = [] }: PendingToolCall): string {
  const approve = options.filter(({ kind }) => kind === 'approve');
  const lasting = Object.values(scopes)
    .filter((scope) => approve.some((option) => effectOf(option) === scope.effect))
    .map(({ key }) => `  ${key}`);
  return `[y] once${lasting.join('')}  [n] no (n REASON tells the agent why)`;
}

/** The letters that allow a pending call, each with how long the answer holds. */
export function allowingKeys({ options = [] }: PendingToolCall): readonly (readonly [string, string])[] {
  const approve = options.filter(({ kind }) => kind === 'approve');
  const lasting = Object.entries(scopes)
    .filter(([, scope]) => approve.some((option) => effectOf(option) === scope.effect))
    .map(([letter, { key }]) => [letter, key.slice('[x] '.length)] as const);
  return [['y', 'once'], ...lasting];
}

/** What the lasting answers to a pending call would allow; undefined if there are none. */
export function lastingRule({ options = [] }: PendingToolCall): string | undefined {
  const rule = options.map(({ _meta: ours }) => ours?.['rule']).find((each) => typeof each === 'string');
  return rule === undefined ? undefined : `Longer than once allows: ${rule}`;
}

/** The answers that hold for more than one call, by the letter that chooses them. */
const scopes: { readonly [letter: string]: { readonly effect: string; readonly key: string } } = {
  s: { effect: 'allow-session', key: '[s] this session' },
  f: { effect: 'allow-folder', key: '[f] this folder' },
  a: { effect: 'allow-always', key: '[a] everywhere' },
};

function effectOf({ _meta: ours }: ConfirmationOption): unknown {
  return ours?.['effect'];
}

function isOnce(option: ConfirmationOption): boolean {
  return Object.values(scopes).every(({ effect }) => effect !== effectOf(option));
}

/** The answer to one question, or a sentence that says what would be one. */
export function parseQuestionAnswer(question: ChatInputQuestion, line: string): ChatInputAnswer | string {
  const text = line.trim();
  if (text === '') return question.required ? 'This question needs an answer.' : { state: 'skipped' };
  switch (question.kind) {
    case 'text':
      return submitted({ kind: 'text', value: text });
    case 'number':
    case 'integer':
      return Number.isFinite(Number(text))
        ? submitted({ kind: 'number', value: Number(text) })
        : 'Type a number.';
    case 'boolean':
      return /^(?:y|yes|n|no)$/i.test(text)
        ? submitted({ kind: 'boolean', value: /^y/i.test(text) })
        : 'Type y or n.';
    case 'single-select':
      return oneChoice(question, text);
    case 'multi-select':
      return severalChoices(question, text);
    default:
      return question satisfies never;
  }
}

/** The answer that chooses one option, by its id. */
export function choiceAnswer({ kind }: ChatInputQuestion, option: string): ChatInputAnswer {
  return submitted(
    kind === 'multi-select'
      ? { kind: 'selected-many', value: [option] }
      : { kind: 'selected', value: option },
  );
}

type Choices = Extract<ChatInputQuestion, { readonly kind: 'single-select' | 'multi-select' }>;

/** A number that is not in the list is a slip, not an answer in own words. */
function oneChoice(question: Choices, text: string): ChatInputAnswer | string {
  const option = pick(question.options, text);
  if (option !== undefined) return submitted({ kind: 'selected', value: option });
  return question.allowFreeformInput && !isNumber(text)
    ? submitted({ kind: 'selected', value: '', freeformValues: [text] })
    : `Type a number from 1 to ${question.options.length}${ownWords(question)}.`;
}

function severalChoices(question: Choices, text: string): ChatInputAnswer | string {
  const words = text.split(',').map((each) => each.trim());
  const options = words.map((each) => pick(question.options, each));
  if (options.every((each) => each !== undefined))
    return submitted({ kind: 'selected-many', value: options });
  return question.allowFreeformInput && !words.some(isNumber)
    ? submitted({ kind: 'selected-many', value: [], freeformValues: [text] })
    : `Type numbers from 1 to ${question.options.length} with commas between them${ownWords(question)}.`;
}

function isNumber(text: string): boolean {
  return /^-?\d+$/.test(text);
}

function ownWords({ allowFreeformInput }: { readonly allowFreeformInput?: boolean }): string {
  return allowFreeformInput ? ', or your own answer' : '';
}

function submitted(
  value: Extract<ChatInputAnswer, { readonly state: 'draft' | 'submitted' }>['value'],
): ChatInputAnswer {
  return { state: 'submitted', value };
}

function pick(
  options: readonly { readonly id: string; readonly label: string }[],
  text: string,
): string | undefined {
  return (
    options[Number(text) - 1] ??
    options.find(({ id, label }) => label.toLowerCase() === text.toLowerCase() || id === text)
  )?.id;
}
