// Tells a tool call that only asks the user something from other calls. Pure.
import type { InputRequestPart, ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';

/** The question at this place, if there is one. */
export function questionAt(parts: readonly ResponsePart[], index: number): InputRequestPart | undefined {
  const part = parts[index];
  return part?.kind === 'inputRequest' ? part : undefined;
}

/** A call whose arguments are the question that follows: the question is shown once, by its own part. */
export function isAskedBelow(parts: readonly ResponsePart[], index: number): boolean {
  const part = parts[index];
  const request = questionAt(parts, index + 1)?.request;
  if (part?.kind !== 'toolCall' || !request) return false;
  const { toolCall } = part;
  const input = 'toolInput' in toolCall ? toolCall.toolInput : undefined;
  const isSettled = toolCall.status === 'running' || (toolCall.status === 'completed' && toolCall.success);
  const message = request.message ?? request.questions?.[0]?.message ?? '';
  return isSettled && message !== '' && typeof input === 'string' && input.includes(JSON.stringify(message));
}
