// Approves what an agent does through us, such as writing a file: by the approval of its tool call,
// or by a separate one.
import { errorText } from '../../../base/errorText.ts';
import type { TurnContext } from '../../../host/agent.ts';
import type { Content, Json, ToolResult } from '../../../model/event.ts';
import { isRecord } from '../../../base/isRecord.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { commandOf, pathsOf } from '../turn/toolCall.ts';
import type { ToolCallState } from '../turn/toolCall.ts';
import type { ToolCalls } from '../turn/toolCalls.ts';

export type GuardedAction = {
  readonly name: string;
  readonly title: string;
  readonly input: Json;
  readonly preview?: readonly Content[];
} & (
  | { readonly toolKind: 'edit'; readonly path: string }
  | { readonly toolKind: 'execute'; readonly command: string }
);

/** How an approved action must run. */
export interface ApprovedRun {
  /** A rule allowed git: it gets an environment that ignores programs named by a repository. */
  readonly safeGit: boolean;
}

export interface GuardContext {
  readonly context: TurnContext;
  readonly calls: ToolCalls;
  /** The name of a call of ours in the log. */
  readonly tool: string;
  readonly signal: AbortSignal;
}

/**
 * Runs the action if it is approved; otherwise throws an error for the agent. An action without an approved
 * call is logged as its own call.
 */
export async function runGuarded<T>(
  action: GuardedAction,
  { context, calls, tool, signal }: GuardContext,
  work: (how: ApprovedRun) => Promise<T>,
): Promise<T> {
  const call = calls.running().find((running) => approvedFor(running, action));
  if (call) {
    // Reported before it runs, so that a change can be reverted even if a stop comes in between.
    const taken = (action.preview ?? []).flatMap((edit) =>
      edit.type === 'edit' ? [calls.writes(call, edit)] : [],
    );
    await context.log.stored();
    try {
      return await work({ safeGit: call.safeGit });
    } catch (error) {
      for (const back of taken) back();
      throw error;
    }
  }
  const { name, title, toolKind, input, preview } = action;
  context.report({ kind: 'tool.started', tool, name, title, toolKind, source: 'agent' });
  context.report({
    kind: 'tool.ready',
    tool,
    input,
    title,
    toolKind,
    ...(preview ? { preview } : {}),
    ...(action.toolKind === 'edit' ? { locations: [{ path: action.path }] } : {}),
  });
  const touched =
    action.toolKind === 'edit' ? { paths: [action.path] } : { paths: [], command: action.command };
  const verdict = await context.approve({ tool, name, toolKind, title, input, ...touched }, signal);
  if (!verdict.allowed) throw new RpcError(refused, `Refused: ${verdict.reason}`);
  const end = (result: ToolResult) => context.report({ kind: 'tool.ended', tool, result });
  try {
    const done = await work({ safeGit: verdict.safeGit === true });
    end({ status: 'done', content: preview ?? terminalIn(done, title) });
    return done;
  } catch (error) {
    end({ status: 'failed', content: [], error: errorText(error, 'It failed.') });
    throw error;
  }
}

/**
 * Whether the approval covers the action. A call that does not show what it touches was approved as it is.
 */
function approvedFor(call: ToolCallState, action: GuardedAction): boolean {
  if (!call.approved || call.kind === 'read' || call.kind === 'search' || call.kind === 'think') return false;
  const command = commandOf(call.input);
  if (action.toolKind === 'execute')
    return (
      call.kind !== 'edit' &&
      (command === undefined || isPart(command, action.command) || isPart(action.command, command))
    );
  const paths = pathsOf(call);
  return (
    command === undefined &&
    (paths.length === 0 ||
      paths.some(
        (path) =>
          path === action.path ||
          action.path.endsWith(`/${path}`) ||
          action.path.endsWith(path.replace(/^\.?\//, '/')),
      ))
  );
}

/** Agents wrap a command into a shell or take it out of one. */
function isPart(whole: string, part: string): boolean {
  const bare = (words: string) => words.replaceAll(/['"\\\s]/g, '');
  return bare(part) !== '' && bare(whole).includes(bare(part));
}

/** A program that was started is shown as the terminal it runs in. */
function terminalIn(done: unknown, title: string): readonly Content[] {
  const terminal = isRecord(done) ? done['terminalId'] : undefined;
  return typeof terminal === 'string' ? [{ type: 'terminal', terminal, title }] : [];
}

/** The protocol has no error code for a denial by the user. */
const refused = -32_603;
