// What the host offers an agent during one turn.
import { onAbort } from '../../base/waiting.ts';
import { approve } from './approvals/approveCall.ts';
import { limitsOf, outsideUse } from './approvals/confinement.ts';
import { byAgent, openAsk, recoveredAnswer } from './approvals/openAsk.ts';
import type { AgentReport } from '../../model/command.ts';
import type { Answer, MessageId, Origin, Rule, ToolId, ToolResult, TurnId } from '../../model/event.ts';
import { findTool, findTurn } from '../../model/state.ts';
import type { Chat, State, Turn } from '../../model/state.ts';
import type { TurnContext, TurnLog, TurnSubagents, TurnWorkspace } from '../agent.ts';
import { giveTitle } from './conversationEvents.ts';
import { chatJobs, newsText } from '../tools/chatJobs.ts';
import type { ClientTool } from '../tools/clientTools.ts';
import { hiddenFrom, judgeIntent } from './judgeIntent.ts';
import { turnInput } from './turnInput.ts';
import type { RecoveredAsks } from '../permissions/recoveredAsks.ts';
import { ReservedChatIds } from '../session/reservedChatIds.ts';
import { waitsForAnswer } from '../permissions/continuedTurns.ts';
import { delegate } from './subagents.ts';
import type { Editors } from '../workspace/attachedEditors.ts';
import type { Jobs } from '../tools/backgroundJobs.ts';
import type { World } from '../world.ts';
import { furtherPreparation } from '../session/turnPreparation.ts';
import type { Session } from '../session/session.ts';
import { changesOf, revertChanges, withUnattributed } from '../workspace/revertEdits.ts';
import type { FileChange } from '../workspace/revertEdits.ts';
import { recordReverted } from '../workspace/revertedEdits.ts';
import { lastUndone, redoChanges } from '../workspace/undo.ts';
import { visibleReport } from '../policy/visibleAsk.ts';
import type { Workbench } from '../workspace/workbench.ts';

export interface TurnContextOptions {
  readonly session: Session;
  readonly world: World;
  readonly chat: Chat;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly origin: Origin;
  readonly rules: () => readonly Rule[];
  /** Resolves with the durable answer to an open question. */
  readonly waitFor: (ask: string) => Promise<Answer>;
  /** The questions that were open when the last host ended. */
  readonly recovered: RecoveredAsks;
  /** Whether the session was released; a late report must not reach a log that another host writes by now. */
  readonly closed: () => boolean;
  readonly workspace: WorkspaceServices;
  readonly names?: ReservedChatIds;
}

/** What the clients of the session provide to its turns, and its background jobs. */
export interface WorkspaceServices {
  /** What the client that wrote a message provides. */
  readonly workbench: (message: MessageId) => Workbench | undefined;
  readonly jobs: Jobs;
  readonly clientTools: () => readonly ClientTool[];
  readonly editors: Editors;
}

export function turnContext(options: TurnContextOptions): TurnContext {
  const { session, world, chat, turn, signal } = options;
  return {
    session: {
      id: session.id,
      chat: chat.id,
      turn: turn.id,
      roots: session.state.roots,
      model: turn.message.model ?? session.state.model,
      mode: session.state.mode,
    },
    ...turnInput(session.state, chat, turn),
    signal,
    state: () => session.head,
    report: (report) => submit(options, turn.id, report),
    approve: (request, withdrawn) => approve(options, request, withdrawn),
    judge: async (intent) => (await judgeIntent(intent, options)).ruling,
    ask: (question, withdrawn) => openAsk(options, { ...question, id: world.ids.next() }, byAgent(withdrawn)),
    log: turnLog(options),
    workspace: turnWorkspace(options),
    subagents: turnSubagents(options),
  };
}

function turnLog(options: TurnContextOptions): TurnLog {
  const { session, world, chat, turn, signal, origin } = options;
  return {
    recoveredAnswers: () =>
      Promise.all(
        options.recovered.all.map(async (ask) => ({ ask, answer: await recoveredAnswer(options, ask.id) })),
      ),
    async prepared(stage) {
      const active = session.head.chats[chat.id]?.active;
      const fact = active?.id === turn.id ? furtherPreparation(session.head, active, stage) : undefined;
      if (fact && !session.dispatch({ kind: 'record', fact }, { kind: 'host' }))
        await session.settled().catch(() => {});
    },
    stored: () => session.settled().catch(() => {}),
    room: () => session.room(),
    recovered: options.recovered.calls,
    takeSteering() {
      queueJobNews(options);
      const waiting = session.head.chats[chat.id]?.steering ?? [];
      if (waiting.length > 0)
        session.dispatch({ kind: 'takeSteering', chat: chat.id, turn: turn.id }, origin);
      return signal.aborted ? [] : waiting;
    },
    compact(summary, item, trigger) {
      const refused = session.dispatch(
        { kind: 'compactChat', chat: chat.id, summary, after: turn.id, item, trigger },
        origin,
      );
      if (refused) world.report(refused, `a summary of session ${session.id}`);
    },
    saveOutput: async (name, text) => world.outputs?.keep(session.id, name, text),
    title: (text) => giveTitle({ session, chat: chat.id, origin, closed: options.closed }, text),
  };
}

function turnWorkspace(options: TurnContextOptions): TurnWorkspace {
  const { session, world, chat, turn, origin } = options;
  const { jobs, editors, workbench, clientTools } = options.workspace;
  const revert = (changes: readonly FileChange[]) =>
    revertChanges(changes, {
      files: world.files,
      own: world.paths.own ?? [],
      canonical: (path) => world.paths.canonical(path),
      roots: session.head.roots,
    });
  return {
    workbench: () => workbench(rootMessage(session.head, chat, turn)),
    editors,
    jobs: chatJobs(jobs, { session: session.id, chat: chat.id }),
    clientTools,
    hiddenFiles: (intent) => hiddenFrom(intent, options),
    clientResult: (tool) => resultOf(options, tool),
    limits: (when, who) => limitsOf(options, when, who),
    outside: () => outsideUse(options, 'off'),
    async undo(after, { all = false } = {}) {
      const now = session.head.chats[chat.id];
      const changes = now ? changesOf(now, { after }, session.head) : [];
      const result = await revert(all ? withUnattributed(changes) : changes);
      recordReverted(session, result, origin);
      return result;
    },
    async redo() {
      const now = session.head.chats[chat.id];
      const changes = now ? lastUndone(session.head, now) : [];
      return changes.length === 0 ? undefined : redoChanges(session, { changes, by: origin, revert });
    },
  };
}

function turnSubagents(options: TurnContextOptions): TurnSubagents {
  const { session, world, chat, turn } = options;
  const names =
    options.names ??
    new ReservedChatIds({ ids: world.ids, isChat: (id) => session.head.chats[id] !== undefined });
  const { subagents } = options.recovered;
  const chatFor = (tool: string) => subagents.get(tool)?.chat ?? names.of(turn.id, tool);
  return { chatFor, delegate: (task) => delegate({ ...options, chat: chat.id, chatFor, subagents }, task) };
}

/**
 * Queues news of background jobs as steering messages, so that they are in the log and every client
 * sees what the agent gets.
 */
function queueJobNews({ session, world, chat, turn, origin, signal, workspace }: TurnContextOptions): void {
  if (signal.aborted || session.head.chats[chat.id]?.active?.id !== turn.id) return;
  for (const text of workspace.jobs.news({ session: session.id, chat: chat.id }).map(newsText)) {
    session.dispatch(
      {
        kind: 'queueMessage',
        chat: chat.id,
        lane: 'steer',
        message: { id: world.ids.next(), text, from: 'agent' },
        turn: world.ids.next(),
      },
      origin,
    );
  }
}

/** Waits for the durable end of a call that a client runs. */
function resultOf({ session, chat, turn, signal }: TurnContextOptions, tool: ToolId): Promise<ToolResult> {
  const look = (): ToolResult | undefined => {
    const found = session.state.chats[chat.id];
    const result = found && findTool(findTurn(found, turn.id), tool)?.result;
    if (!result) return undefined;
    return result.status === 'done' || result.status === 'failed' || result.status === 'denied'
      ? result
      : stopped;
  };
  return new Promise((resolve) => {
    const now = look();
    if (now || signal.aborted) return resolve(now ?? stopped);
    const settle = (result: ToolResult) => {
      unfollow();
      leave();
      resolve(result);
    };
    const unfollow = session.follow(() => {
      const result = look();
      if (result) settle(result);
    });
    const leave = onAbort(signal, () => settle(look() ?? stopped));
  });
}

const stopped: ToolResult = { status: 'failed', content: [], error: 'The turn was stopped.' };

/**
 * The user's message that the turn belongs to; the turn of a subagent belongs to the message of its parent.
 */
function rootMessage(state: State, chat: Chat, turn: Turn): string {
  const parent = chat.origin.type === 'tool' ? state.chats[chat.origin.chat] : undefined;
  return parent?.active && parent.id !== chat.id
    ? rootMessage(state, parent, parent.active)
    : turn.message.id;
}

function submit(
  { session, world, chat, origin, closed }: TurnContextOptions,
  turn: TurnId,
  report: AgentReport,
): void {
  // The next host continues a turn with an open question, so its calls must not end with this host.
  if (closed() && waitsForAnswer(session.head, chat.id)) return;
  const refused = session.dispatch(
    { kind: 'report', chat: chat.id, turn, report: visibleReport(report) },
    origin,
  );
  if (refused && refused.rejected !== 'no-turn') world.report(refused, `a report of session ${session.id}`);
}
