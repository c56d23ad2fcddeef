// A permission request of an agent as a request of ours, and our verdict as its answer. Decides nothing.
import type { Verdict } from '../../../host/agent.ts';
import type { ToolRequest } from '../../../host/policy/toolRequest.ts';
import type { AskOption } from '../../../model/event.ts';
import type { ReadPermissionOption } from '../../../protocols/acp/v1/clientSchema.ts';
import type { PermissionResponse } from '../../../protocols/acp/v1/messages.ts';
import { commandOf, pathsOf } from '../turn/toolCall.ts';
import type { ToolCallState } from '../turn/toolCall.ts';

export const cancelledAnswer: PermissionResponse = { outcome: { outcome: 'cancelled' } };

/** What is asked of policy and people. A kind that would be allowed unseen counts only where we can see what it touches. */
export function toolRequest(call: ToolCallState, offered: readonly ReadPermissionOption[]): ToolRequest {
  const told = commandOf(call.input);
  // A title may say less than the call does, but better judge that than nothing.
  const command = told ?? (call.kind === 'execute' ? call.title : undefined);
  const vague =
    told === undefined && (call.kind === 'other' || call.kind === 'think' || call.kind === 'execute');
  const paths = pathsOf(call);
  const visible = command === undefined && paths.length > 0 && call.kind !== 'think';
  const harmless = call.kind === 'read' || call.kind === 'search' || call.kind === 'think';
  return {
    tool: call.tool,
    name: call.name,
    title: command === undefined ? call.title : `$ ${command}`,
    input: call.input ?? {},
    paths,
    toolKind: harmless && !visible ? 'other' : call.kind,
    ...(command === undefined ? {} : { command }),
    options: usable(offered).map((option) => askOption(option, vague ? 'once' : 'lasting')),
  };
}

/** A stop cancels; every other verdict chooses one of the agent's own options. */
export function permissionAnswer(
  verdict: Verdict,
  offered: readonly ReadPermissionOption[],
): PermissionResponse {
  const options = usable(offered);
  const chosen = options.find(({ optionId }) => optionId === verdict.option);
  if (chosen) return selected(chosen, verdict);
  const kinds = verdict.allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const fitting =
    kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0] ??
    options.find((option) => effectOf(option) === (verdict.allowed ? 'allow' : 'deny'));
  return fitting ? selected(fitting, verdict) : cancelledAnswer;
}

function selected({ optionId }: ReadPermissionOption, verdict: Verdict): PermissionResponse {
  return {
    outcome: { outcome: 'selected', optionId },
    ...(verdict.allowed ? {} : { _meta: { reason: verdict.reason } }),
  };
}

/** An agent that offers nothing is answered in the words of the protocol. */
function usable(offered: readonly ReadPermissionOption[]): readonly ReadPermissionOption[] {
  return offered.length > 0
    ? offered
    : [
        { optionId: 'allow_once', name: 'Allow', kind: 'allow_once' },
        { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
      ];
}

/**
 * Our host remembers "always" for calls whose name and command say what is allowed, and for this session only, since that is what agents
 * usually mean. For all others, such as leaving a plan or a command that only a title hints at, the agent itself may remember it.
 */
function askOption(option: ReadPermissionOption, memory: 'once' | 'lasting'): AskOption {
  const effect = effectOf(option);
  const remembers = effect === 'allow' && option.kind === 'allow_always' && memory === 'lasting';
  return {
    id: option.optionId,
    label: option.name || option.optionId,
    effect: remembers ? 'allow-session' : effect,
  };
}

/** The kind is a hint and may be missing; then the words must do. */
function effectOf({ kind, optionId, name }: ReadPermissionOption): 'allow' | 'deny' {
  if (kind.startsWith('allow')) return 'allow';
  if (kind.startsWith('reject') || kind.startsWith('deny')) return 'deny';
  return /\b(reject|deny|denied|no|never|cancel|abort|stop|decline)/i.test(
    `${optionId.replaceAll('_', ' ')} ${name}`,
  )
    ? 'deny'
    : 'allow';
}
