// Finds what waits for the user in a turn. Pure.
import type { ActiveTurn, ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';

export interface WaitingPart {
  /** The id of the element that shows it. */
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly what: string;
}

export function isWaitingPart(part: ResponsePart): boolean {
  return waitingPart(part) !== undefined;
}

export function waitingPartsIn(turn: ActiveTurn | undefined): readonly WaitingPart[] {
  return (turn?.responseParts ?? []).flatMap((part) => waitingPart(part) ?? []);
}

/** The element id of an approval or question. */
export function waitingId(id: string): string {
  return `waits-${id}`;
}

function waitingPart(part: ResponsePart): WaitingPart | undefined {
  if (part.kind === 'inputRequest' && part.response === undefined)
    return { id: waitingId(part.request.id), kind: 'question', what: part.request.message ?? '' };
  if (part.kind !== 'toolCall') return undefined;
  const { toolCall } = part;
  if (toolCall.status !== 'pending-confirmation' && toolCall.status !== 'pending-result-confirmation')
    return undefined;
  const title = toolCall.invocationMessage;
  return {
    id: waitingId(toolCall.toolCallId),
    kind: 'approval',
    what: typeof title === 'string' ? title : title.markdown,
  };
}
