// What happens in a session, in one line: what it wants from the user, or what its host says.
import { useContext } from 'preact/hooks';
import type { SessionInputRequest, SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { InboxContext } from '../../state/inbox.ts';
import { statusKindOf } from '../../text/format.ts';
import { wantOf } from '../tools/callLine.ts';

export function useActivity({ resource, status, activity = '' }: SessionSummary): string {
  const { entries } = useContext(InboxContext);
  if (statusKindOf(status) !== 'waiting') return activity;
  const entry = entries.value.find(({ session }) => session === resource);
  return (entry && wantIn(entry.request)) ?? activity;
}

function wantIn(request: SessionInputRequest): string | undefined {
  if (request.kind === 'chatInput') return request.request.message ?? request.request.questions?.[0]?.message;
  return request.kind === 'toolConfirmation' ? wantOf(request.toolCall) : undefined;
}
