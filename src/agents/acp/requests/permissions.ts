// Converts an agent's permission request into our request, and our verdict into its
// response. Decides nothing.
import type { Verdict } from '../../../host/agent.ts';
import type { ToolRequest } from '../../../host/policy/toolRequest.ts';
import type { AskOption } from '../../../model/event.ts';
import type { ReadPermissionOption } from '../../../protocols/acp/v1/clientSchema.ts';
import type { PermissionResponse } from '../../../protocols/acp/v1/messages.ts';
import { commandOf, pathsOf } from '../turn/toolCall.ts';
import type { ToolCallState } from '../turn/toolCall.ts';

export const cancelledAnswer: PermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * The request for policy and people. A kind that needs no approval is trusted only if the call
 * shows what it touches.
 */
export function toolRequest(call: ToolCallState, offered: readonly ReadPermissionOption[]): ToolRequest {
  const stated = commandOf(call.input);
  // A title may say less than the call does, but it is better than nothing.
  const command = stated ?? (call.kind === 'execute' ? call.title : undefined);
  const isVague =
    stated === undefined && (call.kind === 'other' || call.kind === 'think' || call.kind === 'execute');
  const paths = pathsOf(call);
  const isVisible = command === undefined && paths.length > 0 && call.kind !== 'think';
  const isHarmless = call.kind === 'read' || call.kind === 'search' || call.kind === 'think';
  return {
    tool: call.tool,
    name: call.name,
    title: command === undefined ? call.title : `$ ${command}`,
    input: call.input ?? {},
    paths,
    toolKind: isHarmless && !isVisible ? 'other' : call.kind,
    ...(command === undefined ? {} : { command }),
    options: withFallback(offered).map((option) => askOption(option, isVague ? 'once' : 'lasting')),
  };
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
 * The host stores "always" only for calls whose name and command show what is allowed, and only for
 * the session, because that is what agents usually mean. For other calls, such as leaving a plan, the
 * agent itself may store it.
 */
function askOption({ optionId, name, kind }: ReadPermissionOption, memory: 'once' | 'lasting'): AskOption {
  const isLasting = kind === 'allow_always' && memory === 'lasting';
  return {
    id: optionId,
    label: name || optionId,
    effect: isLasting ? 'allow-session' : effectOf(kind),
  };
}

/** An unknown or missing kind denies: we cannot know what the agent would do. */
function effectOf(kind: string): 'allow' | 'deny' {
  return isKnown(kind) ? kindEffects[kind] : 'deny';
}

/** The kinds of permission options in ACP. */
const kindEffects = {
  allow_once: 'allow',
  allow_always: 'allow',
  reject_once: 'deny',
  reject_always: 'deny',
} as const;

function isKnown(kind: string): kind is keyof typeof kindEffects {
  return Object.hasOwn(kindEffects, kind);
}
