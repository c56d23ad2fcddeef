// Approvals and questions as objects that can be answered.
import type { ClientAction } from '../src/protocols/ahp/v1_0/actions.ts';
import type { StringOrMarkdown } from '../src/protocols/ahp/v1_0/content.ts';
import type {
  ChatInputAnswer,
  ChatInputQuestion,
  ChatInputRequest,
} from '../src/protocols/ahp/v1_0/message.ts';
import type { ResponsePart } from '../src/protocols/ahp/v1_0/state.ts';
import type { PendingToolCall } from '../src/protocols/ahp/v1_0/toolCall.ts';
import type { Approval, Question, QuestionField } from './api.ts';

/** Sends an answer; rejects with the reason if the host refuses it. `turnId` is filled in for approvals. */
export type SendAnswer = (action: (turnId: string) => ClientAction) => Promise<void>;

/** The part as something to answer; undefined if it waits for nobody. */
export function waitingPart(part: ResponsePart, send: SendAnswer): Approval | Question | undefined {
  if (part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation')
    return approvalOf(part.toolCall, send);
  if (part.kind === 'inputRequest' && part.response === undefined) return questionOf(part.request, send);
  return undefined;
}

function approvalOf(call: PendingToolCall, send: SendAnswer): Approval {
  const { toolCallId, options = [], toolInput, confirmationTitle, invocationMessage } = call;
  const message = textOf(invocationMessage);
  return {
    type: 'approval',
    id: toolCallId,
    // The title of a long command does not say it.
    title: message.startsWith('$ ') ? message : textOf(confirmationTitle ?? message),
    input: typeof toolInput === 'string' ? toolInput : undefined,
    options: options.filter(({ kind }) => kind === 'approve').map(({ id, label }) => ({ id, label })),
    allow: (option) =>
      send((turnId) => ({
        type: 'chat/toolCallConfirmed',
        turnId,
        toolCallId,
        approved: true,
        confirmed: 'user-action',
        ...(option === undefined ? {} : { selectedOptionId: option }),
      })),
    deny: (reason) =>
      send((turnId) => ({
        type: 'chat/toolCallConfirmed',
        turnId,
        toolCallId,
        approved: false,
        reason: 'denied',
        ...(reason === undefined ? {} : { reasonMessage: reason }),
      })),
  };
}

function textOf(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}

function questionOf({ id, message, questions = [] }: ChatInputRequest, send: SendAnswer): Question {
  const complete = (rest: { readonly answers?: Readonly<Record<string, ChatInputAnswer>> }) =>
    send(() => ({
      type: 'chat/inputCompleted',
      requestId: id,
      response: rest.answers === undefined ? 'decline' : 'accept',
      ...rest,
    }));
  return {
    type: 'question',
    id,
    message,
    fields: questions.map(fieldOf),
    answer: async (values) => {
      const unknown = Object.keys(values).find((key) => !questions.some((each) => each.id === key));
      if (unknown !== undefined) throw new Error(`There is no field "${unknown}".`);
      await complete({
        answers: Object.fromEntries(
          questions.flatMap((question) => {
            const value = Object.hasOwn(values, question.id) ? values[question.id] : undefined;
            return value === undefined ? [] : [[question.id, answerOf(question, value)]];
          }),
        ),
      });
    },
    decline: () => complete({}),
  };
}

function fieldOf(question: ChatInputQuestion): QuestionField {
  const options = 'options' in question ? question.options : [];
  return {
    id: question.id,
    message: question.message,
    type: question.kind,
    required: question.required === true,
    options: options.map(({ id, label }) => ({ id, label })),
  };
}

type Value = string | number | boolean | readonly string[];

/** A word that is no option is an answer in own words; the host refuses it where that is not allowed. */
function answerOf(question: ChatInputQuestion, value: Value): ChatInputAnswer {
  const words = Array.isArray(value) ? value.map(String) : [String(value)];
  const isOption = (word: string) => 'options' in question && question.options.some(({ id }) => id === word);
  const own = words.filter((word) => !isOption(word));
  const freeform = own.length > 0 ? { freeformValues: own } : {};
  switch (question.kind) {
    case 'single-select':
      return submitted({ kind: 'selected', value: words.find(isOption) ?? '', ...freeform });
    case 'multi-select':
      return submitted({ kind: 'selected-many', value: words.filter(isOption), ...freeform });
    case 'boolean':
      return submitted({ kind: 'boolean', value: value === true });
    case 'number':
    case 'integer':
      return submitted({ kind: 'number', value: Number(value) });
    case 'text':
      return submitted({ kind: 'text', value: words.join(', ') });
    default:
      return question satisfies never;
  }
}

function submitted(
  value: Extract<ChatInputAnswer, { readonly state: 'draft' | 'submitted' }>['value'],
): ChatInputAnswer {
  return { state: 'submitted', value };
}
