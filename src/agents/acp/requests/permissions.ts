// Converts an agent's permission request into our request, and our verdict into its
// response. Decides nothing.
import type { Verdict } from '../../../host/agent.ts';
import type { ToolRequest } from '../../../host/policy/toolRequest.ts';
import type { AskOption, SandboxUse, ToolKind } from '../../../model/event.ts';
import type { ReadPermissionOption } from '../../../protocols/acp/v1/clientSchema.ts';
import type { PermissionResponse } from '../../../protocols/acp/v1/messages.ts';
import { commandOf, commandFolder, pathsOf } from '../turn/toolCall.ts';
import type { AgentToolCall } from '../turn/toolCall.ts';

export const cancelledAnswer: PermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * The request for policy and people. A kind that needs no approval is trusted only if the call
 * shows what it touches.
 */
export function toolRequest(
  call: AgentToolCall,
  offered: readonly ReadPermissionOption[],
  sandbox?: SandboxUse,
): ToolRequest {
  const stated = commandOf(call.input);
  // A title may say less than the call does, but it is better than nothing.
  const command = stated ?? (call.kind === 'execute' ? call.title : undefined);
  const folder = command === undefined ? undefined : commandFolder(call.input);
  // Policy judges a command in the first of its paths.
  const paths = [...new Set([...(folder === undefined ? [] : [folder]), ...pathsOf(call)])];
  const isVague =
    stated === undefined && (vagueKinds.has(call.kind) || (isChange(call.kind) && paths.length === 0));
  return {
    tool: call.tool,
    intent: {
      name: call.name,
      toolKind: judgedKind(call.kind, command === undefined && paths.length > 0),
      input: call.input ?? {},
      paths,
      ...(command === undefined ? {} : { command }),
      ...(sandbox ? { sandbox: { runs: sandbox } } : {}),
    },
    title: command === undefined ? call.title : permissionTitle(command, folder),
    options: askOptions(withFallback(offered), isVague ? 'once' : 'lasting'),
  };
}

/** Kinds that do not say what is allowed. */
const vagueKinds: ReadonlySet<ToolKind> = new Set(['other', 'think', 'execute']);

/** A change is remembered by its paths. */
function isChange(kind: ToolKind): boolean {
  return kind === 'edit' || kind === 'delete' || kind === 'move';
}

/** Reads and searches need no approval, so they must show what they touch. */
function judgedKind(kind: ToolKind, isVisible: boolean): ToolKind {
  if (kind === 'think') return 'other';
  return (kind === 'read' || kind === 'search') && !isVisible ? 'other' : kind;
}

/** The whole command, and where it runs if that is not the workspace. */
export function permissionTitle(command: string, folder?: string): string {
  return `$ ${command}${folder === undefined ? '' : ` (in ${folder})`}`;
}

/**
 * A stop cancels; every other verdict selects one of the agent's options. Only an option whose kind
 * has the effect of the verdict is selected, so a refusal never selects an option that the agent
 * could read as permission.
 */
export function permissionAnswer(
  verdict: Verdict,
  offered: readonly ReadPermissionOption[],
): PermissionResponse {
  const effect = verdict.allowed ? 'allow' : 'deny';
  const options = withFallback(offered).filter(({ kind }) => isKnown(kind) && kindEffects[kind] === effect);
  const option =
    options.find(({ optionId }) => optionId === verdict.option) ??
    options.find(({ kind }) => kind.endsWith('_once')) ??
    options[0];
  return option ? selected(option, verdict) : cancelledAnswer;
}

function selected({ optionId }: ReadPermissionOption, verdict: Verdict): PermissionResponse {
  return {
    outcome: { outcome: 'selected', optionId },
    ...(verdict.allowed ? {} : { _meta: { reason: verdict.reason } }),
  };
}

/** An agent that offers no options gets the answers of the protocol's usual ones. */
function withFallback(offered: readonly ReadPermissionOption[]): readonly ReadPermissionOption[] {
  return offered.length > 0
    ? offered
    : [
        { optionId: 'allow_once', name: 'Allow', kind: 'allow_once' },
        { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
      ];
}

/**
 * The host stores "always" only for calls whose name, command or paths show what is allowed, and only for
 * the session, because that is what agents usually mean; it offers longer scopes beside it. For other calls,
 * such as leaving a plan, the agent itself may store it.
 *
 * The label says what the answer does. The agent's own label is added where only that tells options
 * apart, or where the agent decides what it remembers. What is remembered comes after what counts once:
 * clients with one button for Allow take the first option that allows.
 */
function askOptions(
  offered: readonly ReadPermissionOption[],
  memory: 'once' | 'lasting',
): readonly AskOption[] {
  return offered.toSorted(byKind).map(({ optionId, name, kind }) => {
    const own = name || optionId;
    if (!isKnown(kind)) return { id: optionId, label: own, effect: 'deny' };
    const isLasting = kind === 'allow_always' && memory === 'lasting';
    const effect = isLasting ? 'allow-session' : kindEffects[kind];
    const isAgents = kind === 'reject_always' || (kind === 'allow_always' && !isLasting);
    const isAlone = offered.filter((other) => other.kind === kind).length === 1;
    const label = isLasting ? 'Allow for this session' : kindLabels[kind];
    return {
      id: optionId,
      label: isAgents || !isAlone ? `${label} (the agent calls it "${own}")` : label,
      effect,
    };
  });
}

function byKind(one: ReadPermissionOption, other: ReadPermissionOption): number {
  return rankOf(one.kind) - rankOf(other.kind);
}

function rankOf(kind: string): number {
  const kinds = Object.keys(kindEffects);
  return isKnown(kind) ? kinds.indexOf(kind) : kinds.length;
}

/** The kinds of permission options in ACP, in the order in which they are shown. */
const kindEffects = {
  allow_once: 'allow',
  allow_always: 'allow',
  reject_once: 'deny',
  reject_always: 'deny',
} as const;

const kindLabels = {
  allow_once: 'Allow once',
  allow_always: 'Allow, and the agent may remember it',
  reject_once: 'Deny',
  reject_always: 'Deny, and the agent may remember it',
} as const;

/** An unknown or missing kind denies: we cannot know what the agent would do. */
function isKnown(kind: string): kind is keyof typeof kindEffects {
  return Object.hasOwn(kindEffects, kind);
}
