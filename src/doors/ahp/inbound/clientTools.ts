// Reports of a client about its own tool calls: only the owner may report output and results.
import { findTool } from '../../../model/state.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { ActionOf } from '../../../protocols/ahp/v1_0/actions.ts';
import { dispatch, currentChat, maxStoredLength } from './applyAction.ts';
import type { ActionContext } from './applyAction.ts';
import { fromToolContent, fromToolResult } from '../outbound/content.ts';

interface OfCall {
  readonly turnId: string;
  readonly toolCallId: string;
}

export function completeTool(
  on: ActionContext,
  { turnId: turn, toolCallId: tool, result, requiresResultConfirmation }: ActionOf<'chat/toolCallComplete'>,
): string | undefined {
  const call = ownCall(on, { turnId: turn, toolCallId: tool });
  if (typeof call === 'string') return call;
  if (JSON.stringify(result).length > maxStoredLength) return 'This result is too large.';
  const kind = requiresResultConfirmation ? 'tool.held' : 'tool.ended';
  return dispatch(on, {
    kind: 'report',
    chat: on.chat,
    turn,
    report: { kind, tool, result: fromToolResult(result) },
  });
}

export function changeToolContent(
  on: ActionContext,
  { turnId: turn, toolCallId: tool, content }: ActionOf<'chat/toolCallContentChanged'>,
): string | undefined {
  const call = ownCall(on, { turnId: turn, toolCallId: tool });
  if (typeof call === 'string') return call;
  if (JSON.stringify(content).length > maxStoredLength) return 'This content is too large.';
  return dispatch(on, {
    kind: 'report',
    chat: on.chat,
    turn,
    report: { kind: 'tool.output', tool, output: { replace: content.map(fromToolContent) } },
  });
}

/** Any client, not only the owner of the tool, may confirm a result before the agent gets it. */
export function confirmResult(
  on: ActionContext,
  { turnId: turn, toolCallId: tool, approved }: ActionOf<'chat/toolCallResultConfirmed'>,
): string | undefined {
  const call = runningCall(on, { turnId: turn, toolCallId: tool });
  if (typeof call === 'string') return call;
  if (!call.held) return 'The result of this tool call does not wait for approval.';
  const result = approved
    ? call.held
    : ({ status: 'denied', reason: 'The user did not accept the result.' } as const);
  return dispatch(on, { kind: 'report', chat: on.chat, turn, report: { kind: 'tool.ended', tool, result } });
}

/** The call, or a sentence that says why this client has no say in it. */
function ownCall(on: ActionContext, place: OfCall): ToolItem | string {
  const call = runningCall(on, place);
  if (typeof call === 'string') return call;
  if (call.source !== 'client' || call.server !== on.client)
    return 'This tool call belongs to another client.';
  return call.held ? 'The result of this tool call was already reported.' : call;
}

function runningCall(on: ActionContext, { turnId, toolCallId }: OfCall): ToolItem | string {
  const active = currentChat(on)?.active;
  const call = findTool(active?.id === turnId ? active : undefined, toolCallId);
  if (!call) return 'There is no such tool call in the running turn.';
  return call.status === 'running' ? call : `This tool call is ${words[call.status]}.`;
}

const words: Record<Exclude<ToolItem['status'], 'running'>, string> = {
  preparing: 'not ready yet',
  ready: 'not running yet',
  asking: 'waiting for approval',
  ended: 'over already',
};
