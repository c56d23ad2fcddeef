// Folds tool calls and questions of a turn. Pure helpers of the reducer.
import type { Answer, Ask, AskOption, Entry, EventOf } from './event.ts';
import { changeChat, inItem, inTurn, withItem } from './reduceTurn.ts';
import type { Chat, State, ToolItem } from './state.ts';
import { nextStatus } from './toolCall.ts';
import type { ToolStep } from './toolCall.ts';

interface Step {
  readonly kind: ToolStep;
  readonly chat: string;
  readonly turn: string;
  readonly tool: string;
}

export function toolStep(state: State, step: Step, change: (tool: ToolItem) => ToolItem): State | undefined {
  return changeChat(state, step.chat, (chat) => moveTool(chat, step, change));
}

export function addAsk(state: State, event: EventOf<'ask.opened'>, { at, seq }: Entry): State | undefined {
  const { ask, turn } = event;
  return changeChat({ ...state, modifiedAt: at, read: false, asked: true }, event.chat, (chat) => {
    if (chat.asks[ask.id]) return undefined;
    const next =
      ask.kind === 'approval'
        ? moveTool(chat, { kind: 'ask.opened', chat: chat.id, turn, tool: ask.tool }, (tool) => tool)
        : inTurn(chat, turn, (active) =>
            withItem(active, { type: 'ask', id: ask.id, at, ask, answered: undefined }),
          );
    return (
      next && {
        ...next,
        read: false,
        modifiedAt: at,
        asks: { ...chat.asks, [ask.id]: { turn, ask, at, seq } },
      }
    );
  });
}

export function answerAsk(
  state: State,
  event: EventOf<'ask.answered'>,
  { at, by }: Entry,
): State | undefined {
  const { turn, answer } = event;
  return changeChat({ ...state, modifiedAt: at }, event.chat, (chat) => {
    const open = chat.asks[event.ask];
    if (!open) return undefined;
    const { [event.ask]: _, ...asks } = chat.asks;
    const { ask } = open;
    const next =
      ask.kind === 'approval'
        ? moveTool(chat, { kind: 'ask.answered', chat: chat.id, turn, tool: ask.tool }, (tool) => ({
            ...tool,
            approval: { ask: ask.id, answer, by, option: optionOf(ask, answer) },
          }))
        : inTurn(chat, turn, (active) =>
            inItem(active, ask.id, (item) =>
              item.type === 'ask' ? { ...item, answered: { answer, by } } : undefined,
            ),
          );
    const changed = next && leavesSandbox(ask, answer) ? outside(next, { ask, turn, answer, by }) : next;
    return changed && { ...changed, asks, modifiedAt: at };
  });
}

/** Whether a user let a call that runs already run once more, outside the sandbox. */
function leavesSandbox(ask: Ask, answer: Answer): boolean {
  return (
    ask.kind === 'question' &&
    ask.about === 'leaving' &&
    answer.kind === 'fields' &&
    answer.values['leave'] === 'once'
  );
}

function outside(
  chat: Chat,
  { ask, turn, answer, by }: { ask: Ask; turn: string; answer: Answer; by: Entry['by'] },
): Chat {
  const changed = inTurn(chat, turn, (active) =>
    inItem(active, ask.kind === 'question' ? (ask.tool ?? '') : '', (item) =>
      item.type === 'tool'
        ? { ...item, sandbox: { confined: false }, approval: { ask: ask.id, answer, by, option: undefined } }
        : undefined,
    ),
  );
  return changed ?? chat;
}

function optionOf(ask: Extract<Ask, { readonly kind: 'approval' }>, answer: Answer): AskOption | undefined {
  return answer.kind === 'option' ? ask.options.find(({ id }) => id === answer.option) : undefined;
}

function moveTool(chat: Chat, step: Step, change: (tool: ToolItem) => ToolItem): Chat | undefined {
  return inTurn(chat, step.turn, (active) =>
    inItem(active, step.tool, (item) => {
      const status = item.type === 'tool' ? nextStatus(item.status, step.kind) : undefined;
      return item.type === 'tool' && status ? { ...change(item), status } : undefined;
    }),
  );
}
