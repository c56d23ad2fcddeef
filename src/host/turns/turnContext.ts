// What the host offers an agent during one turn. Policy is applied here, before the user is asked.
import { present } from '../../base/present.ts';
import { visibleText } from '../../base/visibleText.ts';
import { onAbort } from '../../base/waiting.ts';
import type { AgentReport } from '../../model/command.ts';
import { allows } from '../../model/event.ts';
import type {
  Answer,
  Ask,
  AskId,
  AskOption,
  MessageId,
  Origin,
  Rule,
  SandboxNetwork,
  SandboxUse,
  ToolId,
  ToolResult,
  TurnId,
} from '../../model/event.ts';
import { findTool, findTurn } from '../../model/state.ts';
import type { Chat, State, Turn } from '../../model/state.ts';
import type { ToolIntent, ToolRequest } from '../policy/toolRequest.ts';
import type { TurnContext, TurnLog, TurnSubagents, TurnWorkspace, Verdict } from '../agent.ts';
import { askForNetwork, askToLeave } from './networkQuestions.ts';
import type { NetworkQuestionOptions } from './networkQuestions.ts';
import { giveTitle } from './conversationEvents.ts';
import { chatJobs, newsText } from '../tools/chatJobs.ts';
import type { ClientTool } from '../tools/clientTools.ts';
import { autonomyOf, hiddenFrom, judgeIntent, rootsOf } from './judgeIntent.ts';
import { turnInput } from './turnInput.ts';
import { isSame } from '../permissions/recoveredAsks.ts';
import type { Approval, RecoveredAsks } from '../permissions/recoveredAsks.ts';
import { ReservedChatIds } from '../session/reservedChatIds.ts';
import { isWaiting } from '../permissions/continuedTurns.ts';
import { delegate } from './subagents.ts';
import type { Editors } from '../workspace/attachedEditors.ts';
import type { Jobs } from '../tools/backgroundJobs.ts';
import type { CheckEdit } from '../session/editChecks.ts';
import { answerOptions, proposedRules } from '../permissions/answerScopes.ts';
import { changedTool, leavesSandbox, secretFile } from '../policy/policy.ts';
import type { Ruling } from '../policy/policy.ts';
import type { Confinement, NotPossible, SandboxStatus } from '../ports.ts';
import type { World } from '../world.ts';
import { furtherPreparation } from '../session/turnPreparation.ts';
import type { Session } from '../session/session.ts';
import { changesOf, revertChanges, withUnattributed } from '../workspace/revertEdits.ts';
import type { FileChange } from '../workspace/revertEdits.ts';
import { recordReverted } from '../workspace/revertedEdits.ts';
import { lastUndone, redoChanges } from '../workspace/undo.ts';
import { visibleAsk, visibleReport } from '../policy/visibleAsk.ts';
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
    const settle = (result: ToolResult) => {
      leave();
      signal.removeEventListener('abort', stop);
      resolve(result);
    };
    const stop = () => settle(look() ?? stopped);
    const leave = session.follow(() => {
      const result = look();
      if (result) settle(result);
    });
    const now = look();
    if (now || signal.aborted) return settle(now ?? stopped);
    signal.addEventListener('abort', stop, { once: true });
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

/** Where a question is asked, and by whom. */
type AskContext = Pick<TurnContextOptions, 'session' | 'chat' | 'turn' | 'origin' | 'waitFor' | 'recovered'>;

export async function openAsk(
  context: AskContext,
  question: Ask,
  withdrawal?: { readonly signal: AbortSignal | undefined; readonly why: string },
): Promise<Answer> {
  const { session, chat, turn, origin, waitFor, recovered } = context;
  const withdrawn = withdrawal?.signal;
  const visible = visibleAsk(question);
  const before = recovered.take(visible);
  const { id } = before ?? question;
  const answered = before ? recoveredAnswer(context, id) : waitFor(id);
  const refused = before
    ? undefined
    : session.dispatch({ kind: 'openAsk', chat: chat.id, turn: turn.id, ask: visible }, origin);
  if (refused) return { kind: 'withdrawn', why: refused.message };
  // The first answer wins, also against a withdrawal.
  const withdraw = () =>
    void session.dispatch(
      {
        kind: 'answer',
        chat: chat.id,
        ask: id,
        answer: { kind: 'withdrawn', why: withdrawal?.why ?? '' },
      },
      origin,
    );
  return answered.finally(withdrawn && onAbort(withdrawn, withdraw));
}

/** The answer to a question of an earlier host. It may have come before the agent was ready to hear it. */
async function recoveredAnswer({ session, chat, turn, waitFor }: AskContext, id: AskId): Promise<Answer> {
  const now = session.head.chats[chat.id];
  if (now?.asks[id]) return waitFor(id);
  await session.settled();
  const items = (now && findTurn(now, turn.id)?.items) ?? [];
  const answers = items.flatMap((item) => {
    if (item.type === 'ask' && item.id === id) return item.answered?.answer ?? [];
    return item.type === 'tool' && item.approval?.ask === id ? item.approval.answer : [];
  });
  return answers[0] ?? { kind: 'withdrawn', why: 'The question is gone.' };
}

function byAgent(signal: AbortSignal | undefined) {
  return { signal, why: 'The agent took its question back.' };
}

function submit(
  { session, world, chat, origin, closed }: TurnContextOptions,
  turn: TurnId,
  report: AgentReport,
): void {
  // The next host continues a turn with an open question, so its calls must not end with this host.
  if (closed() && isWaiting(session.head, chat.id)) return;
  const refused = session.dispatch(
    { kind: 'report', chat: chat.id, turn, report: visibleReport(report) },
    origin,
  );
  if (refused && refused.rejected !== 'no-turn') world.report(refused, `a report of session ${session.id}`);
}

/** People cannot see from the call itself why they are asked. */
const reasonsInTitles: ReadonlySet<string> = new Set([changedTool, secretFile]);

async function approve(
  options: TurnContextOptions,
  request: ToolRequest,
  withdrawn: AbortSignal | undefined,
): Promise<Verdict> {
  const { session, world, chat, turn, signal } = options;
  const place = { chat: chat.id, turn: turn.id } as const;
  const { intent, ruling } = await judgeIntent(request.intent, options);
  const { effect, rule, hook, once, ends, safeGit } = ruling;
  const title = titleOf(request, rule);
  const sandbox = sandboxUse(options, ruling, intent);
  const limits = ruling.confined ? confinedBy(options, sandbox, request) : {};
  const open = options.recovered.approvalOf(request.tool);
  const reason = `Refused by the rule "${rule}".`;
  if (open)
    return within(
      await session.edits.during(
        open.id,
        checkOf(options, request),
        continueApproval(options, open, { title, denial: effect === 'deny' ? reason : undefined }),
      ),
      limits,
    );
  if (effect === 'ask') {
    const folders = session.head.roots.map((root) => world.paths.canonical(root));
    const remember = proposedRules(intent, request, folders);
    const rules = once ? undefined : remember;
    const offered = answerOptions({ given: request.options, rules, folders });
    const question: Approval = {
      kind: 'approval',
      id: world.ids.next(),
      tool: request.tool,
      title,
      options: offered,
      editable: request.editable ?? false,
      ...present({ remember, sandbox }),
    };
    const earlier = await earlierVerdict(options, question, intent);
    if (earlier) return within(earlier, limits);
    const asking = openAsk(options, question, byAgent(withdrawn));
    const answer = await session.edits.during(question.id, checkOf(options, request), asking);
    return within(verdict(answer, offered), limits);
  }
  const refused =
    effect === 'allow'
      ? session.dispatch(
          { kind: 'allowTool', ...place, tool: request.tool, rule, ...present({ sandbox }) },
          { kind: 'host' },
        )
      : session.dispatch(
          { kind: 'denyTool', ...place, tool: request.tool, reason, rule, ...present({ hook }) },
          { kind: 'host' },
        );
  if (refused) return { allowed: false, reason: refused.message };
  await session.settled();
  if (signal.aborted) return { allowed: false, reason: 'The turn was stopped.' };
  if (effect === 'allow') return { allowed: true, ...present({ safeGit }), ...limits };
  return { allowed: false, reason, ...(ends ? { stop: true } : {}) };
}

/** The rule that the log names for a call whose answer was given to the same call of the last host. */
const answeredBefore = 'answered before Parley was restarted';

/** The answer that was given before the agent, which was started anew, asked again. */
async function earlierVerdict(
  options: TurnContextOptions,
  question: Approval,
  { input }: ToolIntent,
): Promise<Verdict | undefined> {
  const { session, chat, turn, recovered } = options;
  const { tool, sandbox } = question;
  const before = recovered.takeEqual(visibleAsk(question), input, session.head.chats[chat.id]);
  const answer = before && (await recoveredAnswer(options, before.id));
  if (!answer || answer.kind === 'withdrawn') return undefined;
  const answered = verdict(answer, question.options);
  const place = { chat: chat.id, turn: turn.id, tool, rule: answeredBefore } as const;
  const refused = session.dispatch(
    answered.allowed
      ? { kind: 'allowTool', ...place, ...present({ sandbox }) }
      : { kind: 'denyTool', ...place, reason: answered.reason },
    { kind: 'host' },
  );
  if (refused) return { allowed: false, reason: refused.message };
  await session.settled();
  return answered;
}

/** What a user changes the call to must be possible, and no rule may deny it. */
function checkOf(options: TurnContextOptions, { edited }: ToolRequest): CheckEdit | undefined {
  if (!edited) return undefined;
  return async (input) => {
    const next = await edited(input);
    if ('refused' in next) return next;
    const { ruling } = await judgeIntent(next.intent, options);
    return ruling.effect === 'deny'
      ? { refused: `The rule "${ruling.rule}" refuses what you changed the call to.` }
      : { title: visibleText(next.title) };
  };
}

const changedCall = 'The call is no longer what the user was asked about. Call it again.';

/** Waits for the answer. Nobody may approve a call that is refused by now or has become another one. */
async function continueApproval(
  options: TurnContextOptions,
  open: Approval,
  { title, denial }: { readonly title: string; readonly denial: string | undefined },
): Promise<Verdict> {
  const { session, chat } = options;
  const isUnchanged = isSame(visibleAsk({ ...open, title }), open);
  if (denial === undefined && isUnchanged)
    return verdict(await recoveredAnswer(options, open.id), open.options);
  const why = denial ?? changedCall;
  session.dispatch(
    { kind: 'answer', chat: chat.id, ask: open.id, answer: { kind: 'withdrawn', why } },
    { kind: 'host' },
  );
  await session.settled();
  return { allowed: false, reason: why };
}

function confinedBy(
  options: TurnContextOptions,
  sandbox: SandboxUse | undefined,
  { title, tool }: Pick<ToolRequest, 'title' | 'tool'>,
): { readonly confined?: Confinement } {
  if (!sandbox?.confined) return {};
  const leave = askToLeave(
    { newId: () => options.world.ids.next(), open: openedIn(options) },
    { title, tool },
  );
  return { confined: { ...confinementOf(options, sandbox.network, title), leave } };
}

/** A call that is allowed keeps the limits of its sandbox. */
function within(answered: Verdict, limits: { readonly confined?: Confinement }): Verdict {
  return answered.allowed ? { ...answered, ...limits } : answered;
}

function titleOf({ title, intent: { sandbox } }: ToolRequest, rule: string): string {
  if (rule === leavesSandbox) return `${title} (${rule}: ${sandbox?.outside ?? ''})`;
  return reasonsInTitles.has(rule) ? `${title} (${rule})` : title;
}

function sandboxUse(
  { session, world }: TurnContextOptions,
  { confined }: Ruling,
  { sandbox: asked }: ToolIntent,
): SandboxUse | undefined {
  if (asked?.agent) return { confined: true, network: asked.agent.network };
  if (confined === undefined) return undefined;
  const { network = 'ask' } = world.settings?.of(session.head.roots).sandbox ?? {};
  return confined ? { confined, network } : { confined };
}

async function limitsOf(
  options: TurnContextOptions,
  when: 'auto' | 'always',
  who?: string,
): Promise<Confinement | NotPossible | undefined> {
  const { session, world } = options;
  if (when === 'auto' && (await autonomyOf(options)) !== 'auto') return undefined;
  const status = await world.programs?.sandbox?.status();
  if (when === 'always' && !status?.available)
    return { refused: status ? `${status.why} ${status.cure}` : 'There is no sandbox here.' };
  const { network = 'ask' } = world.settings?.of(session.head.roots).sandbox ?? {};
  return confinementOf(options, who === undefined || knowsNames(status) ? network : 'on', who);
}

/** Without the network by name an agent, which needs its model, has the whole network. */
function knowsNames(status: SandboxStatus | undefined): boolean {
  return !(status?.available && status.how === 'sandbox-exec');
}

/** The commands of a session share their temporary folder. */
function confinementOf(
  options: TurnContextOptions,
  network: SandboxNetwork,
  who = 'A program of this session',
): Confinement {
  const { session, world } = options;
  const write = rootsOf(options).filter((root) => world.paths.canonical(root) === root);
  const common = { write, network, scratch: session.id };
  if (network !== 'ask') return common;
  return { ...common, reach: askForNetwork({ session, world, open: openedIn(options) }, who) };
}

function openedIn(options: TurnContextOptions): NetworkQuestionOptions['open'] {
  return (question, withdrawal) => openAsk(options, question, withdrawal);
}

function verdict(answer: Answer, options: readonly AskOption[]): Verdict {
  if (answer.kind !== 'option')
    return {
      allowed: false,
      reason:
        answer.kind === 'withdrawn'
          ? answer.why
          : ('reason' in answer && answer.reason) || 'The user refused.',
    };
  const option = options.find(({ id }) => id === answer.option);
  if (!option || !allows(option))
    return {
      allowed: false,
      option: answer.option,
      reason: answer.reason ?? 'The user refused.',
      ...(answer.stop ? { stop: true } : {}),
    };
  return { allowed: true, option: option.id, ...(answer.input === undefined ? {} : { input: answer.input }) };
}
