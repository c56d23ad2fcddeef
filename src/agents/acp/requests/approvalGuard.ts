// Approves what an agent does through us, such as writing a file: by the approval of its tool call,
// or by a separate one.
import type { Confinement } from '../../../host/ports.ts';
import { errorText } from '../../../base/errorText.ts';
import type { TurnContext } from '../../../host/agent.ts';
import type { Content, Json, ToolResult } from '../../../model/event.ts';
import { isRecord } from '../../../base/isRecord.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { resolvePath } from '../../../base/paths.ts';
import type { ToolRequest } from '../../../host/policy/toolRequest.ts';
import { isSameCommand } from '../turn/commandText.ts';
import { commandFolder, pathsOf } from '../turn/toolCall.ts';
import type { WrittenFile } from '../../../host/workspace/fileObserver.ts';
import type { CallApproval, AgentToolCall } from '../turn/toolCall.ts';
import type { ToolCalls } from '../turn/toolCalls.ts';

export type GuardedAction = {
  readonly name: string;
  readonly title: string;
  readonly input: Json;
  /** The real path of the file, or of the folder where the command runs. */
  readonly path: string;
  /** The absolute paths by which a call may have named it, before links are resolved. */
  readonly spellings: readonly string[];
} & (
  | { readonly toolKind: 'read' }
  | {
      readonly toolKind: 'edit';
      readonly change: WrittenFile;
      /** The change to the file as it is now: others may have changed it while a user was asked. */
      readonly latest: () => Promise<WrittenFile>;
    }
  | { readonly toolKind: 'execute'; readonly command: string }
);

/** How an approved action must run. */
export interface ApprovedRun {
  /** A rule allowed git: it gets an environment that ignores programs named by a repository. */
  readonly safeGit: boolean;
  /** Set if a command must run in the sandbox. */
  readonly confined?: Confinement | undefined;
}

export interface GuardContext {
  readonly context: TurnContext;
  readonly calls: ToolCalls;
  /** The name of a call of ours in the log. */
  readonly tool: string;
  readonly signal: AbortSignal;
}

/**
 * Runs the action if it is approved; otherwise throws an error for the agent. A write belongs to the open
 * call that names the file, so that one change is one call in the log. Other actions without an approved
 * call are logged as calls of their own.
 */
export async function runGuarded<T>(
  action: GuardedAction,
  guard: GuardContext,
  work: (how: ApprovedRun) => Promise<T>,
): Promise<T> {
  const { context, calls } = guard;
  const root = context.session.roots[0] ?? '/';
  for (const call of calls.running())
    if (call.approval && covers(call.approval, action, root))
      return runApproved(action, { ...guard, call, approval: call.approval }, work);
  const call = calls.open().find((each) => mayWrite(each, action, root));
  return call && action.toolKind === 'edit'
    ? askForCall(action, { ...guard, call }, work)
    : runAlone(action, guard, work);
}

/** Asks about a write as a part of the call that names the file. */
async function askForCall<T>(
  action: Extract<GuardedAction, { readonly toolKind: 'edit' }>,
  guard: GuardContext & { readonly call: AgentToolCall },
  work: (how: ApprovedRun) => Promise<T>,
): Promise<T> {
  const { context, calls, call, signal } = guard;
  const { name, title, toolKind, input, path, change } = action;
  calls.asksToWrite(call, change);
  const verdict = await context.approve(
    { tool: call.tool, intent: { name, toolKind, input, paths: [path] }, title },
    signal,
  );
  const changes = [{ path, oldText: change.before, newText: change.after ?? '' }];
  const approval = { kind: toolKind, command: undefined, folder: undefined, paths: [path], changes };
  calls.decided(call, verdict, { ...approval, safeGit: false, used: false });
  if (!verdict.allowed) throw new RpcError(refused, `Refused: ${verdict.reason}`);
  return runApproved(action, { ...guard, approval: { ...approval, safeGit: false, used: true } }, work);
}

/** Logs the action as a call of its own. */
async function runAlone<T>(
  action: GuardedAction,
  { context, calls, tool, signal }: GuardContext,
  work: (how: ApprovedRun) => Promise<T>,
): Promise<T> {
  const { name, title, toolKind, input, path } = action;
  const preview = action.toolKind === 'edit' ? [action.change] : undefined;
  context.report({ kind: 'tool.started', tool, name, title, toolKind, source: 'agent' });
  context.report({
    kind: 'tool.ready',
    tool,
    input,
    title,
    toolKind,
    ...(preview ? { preview } : {}),
    locations: [{ path }],
  });
  // The host starts the command, so that it can confine it.
  const command = action.toolKind === 'execute' ? { command: action.command, sandbox: {} } : {};
  const verdict = await context.approve(
    { tool, intent: { name, toolKind, input, paths: [path], ...command }, title },
    signal,
  );
  if (!verdict.allowed) throw new RpcError(refused, `Refused: ${verdict.reason}`);
  const end = (result: ToolResult) => context.report({ kind: 'tool.ended', tool, result });
  try {
    const change = action.toolKind === 'edit' ? await action.latest() : undefined;
    const done = await work({ safeGit: verdict.safeGit === true, confined: verdict.confined });
    end({ status: 'done', content: change ? await calls.written(change) : terminalIn(done, title) });
    return done;
  } catch (error) {
    end({ status: 'failed', content: [], error: errorText(error, 'It failed.') });
    throw error;
  }
}

/** Runs an action that the approval of a call covers, as a part of this call. */
async function runApproved<T>(
  action: GuardedAction,
  { context, calls, call, approval }: GuardContext & { call: AgentToolCall; approval: CallApproval },
  work: (how: ApprovedRun) => Promise<T>,
): Promise<T> {
  if (action.toolKind === 'execute') approval.used = true;
  // Reported before it runs, so that a change can be reverted even if a stop comes in between.
  const takeBack = action.toolKind === 'edit' ? calls.writes(call, await action.latest()) : undefined;
  await context.log.stored();
  try {
    return await work({ safeGit: approval.safeGit });
  } catch (error) {
    takeBack?.();
    throw error;
  }
}

/** What an approval of a call, as it is asked about now, will cover. */
export function guardedApproval(call: AgentToolCall, { intent }: ToolRequest): CallApproval {
  return {
    kind: call.kind,
    command: intent.command,
    folder: commandFolder(call.input),
    paths: pathsOf(call),
    changes: (call.content ?? []).filter((item) => item.type === 'diff'),
    safeGit: false,
    used: false,
  };
}

/** The kinds of calls that people expect to write files. */
const writingKinds: ReadonlySet<string> = new Set(['edit', 'move', 'other']);

/** Whether the approval is of exactly this action: the same command in the same folder, or a named file. */
function covers(approval: CallApproval, action: GuardedAction, root: string): boolean {
  const names = (path: string) => action.spellings.includes(resolvePath(root, path));
  const { command, changes, used } = approval;
  if (action.toolKind === 'execute')
    return (
      command !== undefined &&
      !used &&
      isSameCommand(command, action.command) &&
      names(approval.folder ?? root)
    );
  if (action.toolKind === 'read') return approval.kind === 'read' && approval.paths.some(names);
  if (command !== undefined || !writingKinds.has(approval.kind)) return false;
  const shown = changes.filter(({ path }) => names(path));
  return approval.paths.some(names) && (shown.length === 0 || isShown(shown, action.change));
}

/** Whether a write is what the call is about. */
function mayWrite(call: AgentToolCall, action: GuardedAction, root: string): boolean {
  return (
    action.toolKind === 'edit' &&
    writingKinds.has(call.kind) &&
    pathsOf(call).some((path) => action.spellings.includes(resolvePath(root, path)))
  );
}

/** More texts than this are not tried. */
const mostTexts = 64;

/**
 * Whether the shown changes, applied in order, produce the written text. They may cover parts of the file.
 */
function isShown(changes: CallApproval['changes'], { before, after }: WrittenFile): boolean {
  let texts: readonly string[] = [before ?? ''];
  for (const { oldText, newText } of changes) {
    const next = texts.flatMap((text) =>
      oldText === null || oldText === undefined || oldText === '' || oldText === text
        ? [newText]
        : [text.replace(oldText, () => newText), text.replaceAll(oldText, () => newText)],
    );
    texts = [...new Set(next)].slice(0, mostTexts);
  }
  return after !== null && texts.includes(after);
}

/** A program that was started is shown as the terminal it runs in. */
function terminalIn(done: unknown, title: string): readonly Content[] {
  const terminal = isRecord(done) ? done['terminalId'] : undefined;
  return typeof terminal === 'string' ? [{ type: 'terminal', terminal, title }] : [];
}

/** The protocol has no error code for a denial by the user. */
const refused = -32_603;
