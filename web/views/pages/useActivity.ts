// What happens in a session, in one line: what it wants from the user, why it failed, or what its host says.
import { useContext } from 'preact/hooks';
import type { SessionInputRequest, SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { InboxContext } from '../../state/inbox.ts';
import { statusKindOf } from '../../text/format.ts';
import { wantOf } from '../tools/callLine.ts';

export function useActivity({ resource, status, activity = '', _meta }: SessionSummary): string {
  const { entries } = useContext(InboxContext);
  const kind = statusKindOf(status);
  const failure = _meta?.['failure'];
  if (kind === 'failed' && typeof failure === 'string') return failure;
  if (kind !== 'waiting') return activity;
  const entry = entries.value.find(({ session }) => session === resource);
  return (entry && wantIn(entry.request)) ?? activity;
}

export const activityClasses = {
  waiting: 'needs',
  failed: 'fails',
  running: '',
  unread: '',
  idle: '',
} as const;

function wantIn(request: SessionInputRequest): string | undefined {
  if (request.kind === 'chatInput') return request.request.message ?? request.request.questions?.[0]?.message;
  return request.kind === 'toolConfirmation' ? wantOf(request.toolCall) : undefined;
}
