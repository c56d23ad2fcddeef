// Translates one entry of the log into messages for ACP clients, live and in replay. Pure.
import { attributedTitle } from '../../../model/howItRan.ts';
import { visibleValue } from '../../../base/visibleValue.ts';
import type { Step } from '../../../host/session/session.ts';
import type {
  AskId,
  ChatId,
  EventKind,
  EventOf,
  MessageId,
  Origin,
  Outcome,
  TurnId,
  Usage,
  UserMessage,
} from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { State, ToolItem } from '../../../model/state.ts';
import { spentIn } from '../../../model/usage.ts';
import type { PermissionRequest, SessionUpdate, ToolCallUpdate } from '../../../protocols/acp/v1/messages.ts';
import { messageBlocks, textBlock } from './content.ts';
import type { UserQuestion } from './form.ts';
import {
  toolCallContent,
  describedCall,
  permissionOptions,
  sandboxMeta,
  statusOf,
  uniqueId,
} from './toolCall.ts';
import { runningSubagents, subagentChanges } from '../unstable/subagents.ts';
import type { Subagent } from '../unstable/subagents.ts';

/** One message for the clients that have the chat open. Only `update` is the same for all of them. */
export type AcpUpdate =
  | {
      readonly kind: 'update';
      readonly chat: ChatId;
      readonly update: SessionUpdate;
      /** The user message that this update repeats; it is not sent back to its author. */
      readonly message?: MessageId;
      /** Not sent if the next waiting message has the same key. */
      readonly replaceKey?: string;
    }
  | {
      readonly kind: 'notice';
      readonly chat: ChatId;
      readonly id: string;
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
      readonly by?: Origin;
      /** Whether it is part of the conversation, also for whoever opens the chat later. */
      readonly stays?: boolean;
    }
  | {
      readonly kind: 'settings';
      readonly chat: ChatId;
      readonly by: Origin;
      readonly before: State;
      readonly after: State;
    }
  | { readonly kind: 'ask'; readonly chat: ChatId; readonly ask: AskId; readonly request: PermissionRequest }
  | { readonly kind: 'inquiry'; readonly chat: ChatId; readonly turn: TurnId; readonly ask: UserQuestion }
  /** The question was answered or withdrawn. */
  | { readonly kind: 'answered'; readonly chat: ChatId; readonly ask: AskId }
  | { readonly kind: 'compacted'; readonly chat: ChatId; readonly id: string; readonly summary: string }
  | {
      readonly kind: 'ended';
      readonly chat: ChatId;
      readonly message: MessageId;
      readonly outcome: Outcome;
      readonly usage?: Usage;
    }
  | { readonly kind: 'withdrawn'; readonly chat: ChatId; readonly message: MessageId }
  | { readonly kind: 'removed'; readonly chat: ChatId }
  /** An update in the form of a later version, which is the same for all of its clients. */
  | {
      readonly kind: 'later';
      readonly chat: ChatId;
      readonly update: object;
      readonly replaceKey?: string;
    }
  /** The same, about what the chat is doing now; it is no part of a replay. */
  | { readonly kind: 'state'; readonly chat: ChatId; readonly update: object }
  | Subagent;

export function project(step: Step): readonly AcpUpdate[] {
  const projector: ((event: never, of: Step) => readonly AcpUpdate[]) | undefined =
    projectors[step.entry.event.kind];
  // The kind chose the projector, which the compiler cannot follow through a union.
  // oxlint-disable-next-line no-unsafe-type-assertion
  const updates = projector?.(step.entry.event as never, step) ?? [];
  const subagents = subagentChanges(step);
  return subagents.length === 0 ? updates : [...subagents, ...updates];
}

/** What a client gets when it opens the chat: what it waits for, pending questions and running sub-agents. */
export function pending(state: State, chat: ChatId): readonly AcpUpdate[] {
  const asks = Object.values(state.chats[chat]?.asks ?? {}).flatMap(({ ask, turn }) =>
    asked(state, { chat, turn, ask }),
  );
  return [...stopping(state, chat), ...asks, ...runningSubagents(state, chat)];
}

function stopping({ chats, seq }: State, chat: ChatId): readonly AcpUpdate[] {
  const text = chats[chat]?.stopping;
  // As a warning it is no thought of the agent for clients without notices.
  return text ? [{ kind: 'notice', chat, id: `stopping-${seq}`, level: 'warning', text }] : [];
}

type Projector<K extends EventKind> = (event: EventOf<K>, step: Step) => readonly AcpUpdate[];

const nothing = () => [];

const projectors: { readonly [K in EventKind]: Projector<K> } = {
  'session.created': nothing,
  'session.changed': ({ changes }, step) => [
    ...step.after.order.flatMap((chat) => titleChange(chat, step)),
    ...(changes.agent === undefined &&
    changes.model === undefined &&
    changes.mode === undefined &&
    changes.options === undefined
      ? []
      : step.after.order.map((chat) => settings(chat, step))),
  ],
  'agent.bound': nothing,
  // The id may belong to a removed chat, so an empty title is sent too.
  'chat.created': ({ chat }, step) =>
    step.after.order[0] === chat ? titleChange(chat, step) : [titleNow(chat, step)],
  'chat.changed': ({ chat }, step) => [
    ...titleChange(chat, step),
    ...(step.before.chats[chat]?.stopping ? [] : stopping(step.after, chat)),
  ],
  'chats.ordered': nothing,
  'chat.removed': ({ chat }) => [{ kind: 'removed', chat }],
  'chat.truncated': ({ chat }, { entry }) => [
    {
      kind: 'notice',
      chat,
      id: `rewound-${entry.seq}`,
      level: 'warning',
      text: 'The conversation was rolled back.\nLoad it again to see its current state.',
    },
  ],
  'chat.compacted': ({ chat, summary }, { entry }) => [
    { kind: 'compacted', chat, id: `compaction-${entry.seq}`, summary },
  ],
  'message.queued': messageQueued,
  'message.removed': messageRemoved,
  'message.reordered': ({ chat }, { entry }) => [
    {
      kind: 'notice',
      chat,
      id: `queue-${entry.seq}`,
      level: 'info',
      text: 'The queued messages were reordered.',
      by: entry.by,
    },
  ],
  'message.steered': ({ chat, turn, message }) => userMessage(chat, uniqueId(turn, message.id), message),
  // A message that is sent meanwhile waits, and whoever sent it is told for what.
  'turn.started': ({ chat, turn, message }, { after }) => [
    ...userMessage(chat, turn, message),
    ...stopping(after, chat),
  ],
  'turn.ended': turnEnded,
  'turn.resumed': nothing,
  'usage.reported': usageReported,
  'text.added': ({ chat, turn, item, channel, text }) =>
    text === ''
      ? []
      : [
          update(chat, {
            sessionUpdate: channel === 'answer' ? 'agent_message_chunk' : 'agent_thought_chunk',
            messageId: uniqueId(turn, item),
            content: textBlock(text),
          }),
        ],
  'image.added': ({ chat, turn, item, mediaType, data }) => [
    update(chat, {
      sessionUpdate: 'agent_message_chunk',
      messageId: uniqueId(turn, item),
      content: { type: 'image', data, mimeType: mediaType },
    }),
  ],
  'plan.set': ({ chat, entries }) => [
    update(chat, {
      sessionUpdate: 'plan',
      entries: entries.map(({ text, status, priority }) => ({
        content: text,
        priority,
        status: planStatus[status],
      })),
    }),
  ],
  'notice.added': ({ chat, turn, level, text }, { entry }) => [
    { kind: 'notice', chat, id: uniqueId(turn, `notice-${entry.seq}`), level, text, stays: true },
  ],
  'tool.started': (event, step) =>
    ofTool(event, step, (tool) => [
      update(event.chat, { sessionUpdate: 'tool_call', ...describedCall(event.turn, tool) }),
    ]),
  'tool.input': nothing,
  'tool.ready': (event, step) =>
    ofTool(event, step, (tool) => [
      toolUpdate(event.chat, {
        ...describedCall(event.turn, tool),
        ...(event.preview && { content: toolCallContent(tool) }),
        ...(event.locations && { locations: event.locations }),
      }),
    ]),
  'tool.running': (event, step) =>
    ofTool(event, step, (tool) => [
      toolUpdate(event.chat, {
        toolCallId: uniqueId(event.turn, event.tool),
        status: statusOf(tool),
        ...(event.input === undefined
          ? {}
          : { title: attributedTitle(tool, tool.title || tool.name), rawInput: visibleValue(event.input) }),
        ...sandboxMeta(tool),
      }),
    ]),
  'tool.output': (event, step) =>
    ofTool(event, step, (tool) => {
      const toolCallId = uniqueId(event.turn, event.tool);
      return [
        { ...toolUpdate(event.chat, { toolCallId, content: toolCallContent(tool) }), replaceKey: toolCallId },
      ];
    }),
  'tool.ended': (event, step) =>
    ofTool(event, step, (tool) => [toolUpdate(event.chat, endedCall(event.turn, tool))]),
  'ask.opened': (event, { before, after }) => [...pausedCall(event, before), ...asked(after, event)],
  'ask.answered': (event, step) => [
    { kind: 'answered', chat: event.chat, ask: event.ask },
    ...leftSandbox(event, step),
    ...answeredBy(event, step),
  ],
  'turn.prepared': nothing,
  'tool.held': nothing,
  'hook.ran': nothing,
  'job.written': nothing,
  'edits.reverted': nothing,
  'edits.redone': nothing,
  'files.restored': nothing,
  'turns.reverted': nothing,
  'images.refused': nothing,
  'prompt.pinned': nothing,
  'input.resolved': nothing,
  'session.instructed': nothing,
  'features.disabled': nothing,
  'draft.set': nothing,
  'client.joined': nothing,
  'client.left': nothing,
  retired: nothing,
  note: nothing,
};

const planStatus = { pending: 'pending', active: 'in_progress', done: 'completed' } as const;

function update(chat: ChatId, what: SessionUpdate): Extract<AcpUpdate, { readonly kind: 'update' }> {
  return { kind: 'update', chat, update: what };
}

function toolUpdate(chat: ChatId, call: ToolCallUpdate): Extract<AcpUpdate, { readonly kind: 'update' }> {
  return update(chat, { sessionUpdate: 'tool_call_update', ...call });
}

function settings(chat: ChatId, { entry, before, after }: Step): AcpUpdate {
  return { kind: 'settings', chat, by: entry.by, before, after };
}

/** A text without an author is the agent's. */
function userMessage(chat: ChatId, messageId: string, message: UserMessage): readonly AcpUpdate[] {
  const sessionUpdate = message.from === 'agent' ? 'agent_message_chunk' : 'user_message_chunk';
  const meta = message.extensions ? { _meta: message.extensions } : {};
  return messageBlocks(message).map((content, i) => ({
    ...update(chat, { sessionUpdate, messageId, content, ...(i === 0 && meta) }),
    message: message.id,
  }));
}

function ofTool(
  event: { readonly chat: ChatId; readonly tool: string },
  { after }: Step,
  show: (tool: ToolItem) => readonly AcpUpdate[],
): readonly AcpUpdate[] {
  const tool = findTool(after.chats[event.chat]?.active, event.tool);
  return tool ? show(tool) : [];
}

function asked(
  state: State,
  { chat, turn, ask }: Pick<EventOf<'ask.opened'>, 'chat' | 'turn' | 'ask'>,
): readonly AcpUpdate[] {
  if (ask.kind !== 'approval') return [{ kind: 'inquiry', chat, turn, ask }];
  const tool = findTool(state.chats[chat]?.active, ask.tool);
  if (!tool) return [];
  // The title of the question is the whole command, or what a server says of its tool.
  const toolCall = { ...describedCall(turn, tool), title: ask.title || tool.title || tool.name };
  return [
    {
      kind: 'ask',
      chat,
      ask: ask.id,
      request: { sessionId: chat, toolCall, options: permissionOptions(ask) },
    },
  ];
}

/** A running call whose agent asks for approval becomes pending again. */
function pausedCall({ chat, turn, ask }: EventOf<'ask.opened'>, before: State): readonly AcpUpdate[] {
  const tool = ask.kind === 'approval' ? findTool(before.chats[chat]?.active, ask.tool) : undefined;
  return tool?.status === 'running'
    ? [toolUpdate(chat, { toolCallId: uniqueId(turn, tool.id), status: 'pending' })]
    : [];
}

/** A running call that runs once more outside the sandbox, by somebody's word. */
function leftSandbox({ chat, turn, ask }: EventOf<'ask.answered'>, step: Step): readonly AcpUpdate[] {
  const question = step.before.chats[chat]?.asks[ask]?.ask;
  if (question?.kind !== 'question' || question.about !== 'leaving' || question.tool === undefined) return [];
  return ofTool({ chat, tool: question.tool }, step, (tool) =>
    tool.sandbox?.confined === false
      ? [toolUpdate(chat, { toolCallId: uniqueId(turn, tool.id), ...sandboxMeta(tool) })]
      : [],
  );
}

function endedCall(turn: string, tool: ToolItem): ToolCallUpdate {
  const raw =
    tool.result && 'content' in tool.result ? (tool.result.raw ?? tool.result.structured) : undefined;
  return {
    toolCallId: uniqueId(turn, tool.id),
    status: statusOf(tool),
    content: toolCallContent(tool),
    ...(raw === undefined ? {} : { rawOutput: raw }),
  };
}

/** Other clients see a queued message; one that starts immediately is shown when it starts. */
function messageQueued(
  { chat, lane, message }: EventOf<'message.queued'>,
  { entry, before }: Step,
): readonly AcpUpdate[] {
  if (!before.chats[chat]?.active || message.text === '') return [];
  const text = `${lane === 'queue' ? 'Queued' : 'Added to this turn'}: ${message.text}`;
  return [{ kind: 'notice', chat, id: `queued-${entry.seq}`, level: 'info', text, by: entry.by }];
}

/** Clients that have seen the queued message, including its author, learn who removed it. */
function messageRemoved(
  { chat, message: id }: EventOf<'message.removed'>,
  { entry, before }: Step,
): readonly AcpUpdate[] {
  const { queue = [], steering = [] } = before.chats[chat] ?? {};
  const text = [...queue, ...steering].find((message) => message.id === id)?.text ?? '';
  const notices =
    text === '' || entry.by.kind !== 'client'
      ? []
      : [
          {
            kind: 'notice',
            chat,
            id: `queue-${entry.seq}`,
            level: 'info',
            text: `Removed from the queue: ${text}`,
            by: entry.by,
          } as const,
        ];
  return [...notices, { kind: 'withdrawn', chat, message: id }];
}

/** All other clients learn who decided. */
function answeredBy(
  { chat, turn, ask: id, answer }: EventOf<'ask.answered'>,
  { entry, before }: Step,
): readonly AcpUpdate[] {
  const ask = before.chats[chat]?.asks[id]?.ask;
  const { by } = entry;
  if (!ask || by.kind !== 'client' || answer.kind === 'withdrawn') return [];
  const chosen =
    ask.kind === 'approval' && answer.kind === 'option'
      ? ask.options.find((option) => option.id === answer.option)?.label
      : undefined;
  const decision = chosen ?? (answer.kind === 'declined' ? 'declined' : 'answered');
  const text = `${by.name ?? by.door}: ${decision} (${ask.kind === 'approval' ? ask.title : ask.message})`;
  return [{ kind: 'notice', chat, id: uniqueId(turn, `answered-${entry.seq}`), level: 'info', text, by }];
}

/**
 * The client that waits for the turn gets the outcome as response; other clients get a
 * text if the turn failed.
 */
function turnEnded(
  { chat, turn, outcome }: EventOf<'turn.ended'>,
  { before, after }: Step,
): readonly AcpUpdate[] {
  const { active, asks } = before.chats[chat] ?? {};
  if (active?.id !== turn) return [];
  const open = new Set(
    active.items.flatMap((item) => (item.type === 'tool' && item.status !== 'ended' ? [item.id] : [])),
  );
  const ended = after.chats[chat]?.turns.at(-1)?.items ?? [];
  const message = active.message.id;
  const problem = problemText(outcome);
  return [
    ...ended.flatMap((item) =>
      item.type === 'tool' && open.has(item.id)
        ? [toolUpdate(chat, { toolCallId: uniqueId(turn, item.id), status: statusOf(item) })]
        : [],
    ),
    ...Object.keys(asks ?? {}).map((ask) => ({ kind: 'answered', chat, ask }) as const),
    ...(problem === undefined
      ? []
      : [
          {
            ...update(chat, {
              sessionUpdate: 'agent_message_chunk',
              messageId: uniqueId(turn, ':end'),
              content: textBlock(problem),
            }),
            message,
          },
        ]),
    { kind: 'ended', chat, message, outcome, ...(active.usage && { usage: active.usage }) },
  ];
}

/** Undefined for a turn that completed. */
function problemText(outcome: Outcome): string | undefined {
  if (outcome.kind === 'failed') return `The turn failed: ${outcome.problem.message}`;
  return outcome.kind === 'interrupted' ? 'The turn was interrupted.' : undefined;
}

function usageReported({ chat, usage }: EventOf<'usage.reported'>, { after }: Step): readonly AcpUpdate[] {
  const now = after.chats[chat];
  const context = usage.context ?? now?.active?.usage?.context;
  if (!now || !context) return [];
  // A report without a cost must not take away the cost that was shown before.
  const spent = spentIn(now).cost;
  const cost = spent === undefined ? {} : { cost: { amount: spent, currency: 'USD' } };
  return [
    update(chat, {
      sessionUpdate: 'usage_update',
      used: Math.round(context.used),
      size: Math.round(context.size),
      ...cost,
    }),
  ];
}

function titleChange(chat: ChatId, step: Step): readonly AcpUpdate[] {
  return titleOf(step.after, chat) === titleOf(step.before, chat) ? [] : [titleNow(chat, step)];
}

function titleNow(chat: ChatId, { entry, after }: Step): AcpUpdate {
  const title = titleOf(after, chat);
  return update(chat, {
    sessionUpdate: 'session_info_update',
    title: title === '' ? null : title,
    updatedAt: new Date(entry.at).toISOString(),
  });
}

/** The default chat has the title of its session; any other chat has its own. */
function titleOf(state: State, id: ChatId): string {
  const chat = state.chats[id];
  if (!chat) return '';
  return state.order[0] === id ? state.title || chat.title : chat.title || state.title;
}
