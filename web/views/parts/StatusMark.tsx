// The status of a session or chat as a shape in a colour: a square needs the user, a ring runs, a triangle
// failed, a dot is unread.
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { statusKindOf, statusLabels } from '../../text/format.ts';
import type { StatusKind } from '../../text/format.ts';

const shapes: Readonly<Record<StatusKind, string>> = {
  waiting: 'wait',
  failed: 'failed',
  running: 'running',
  unread: 'unread',
  idle: 'idle',
};

export function StatusMark({ status }: { readonly status: number }) {
  const kind = statusKindOf(status);
  return <span class={`status ${shapes[kind]}`} role="img" aria-label={statusLabels[kind]} />;
}

/** Says that everything runs unasked in a session. */
export function FullMark({ summary }: { readonly summary: SessionSummary }) {
  if (summary._meta?.['permissions'] !== 'full') return null;
  return (
    <span class="badge bad" title="Permission mode full: everything runs unasked">
      Full
    </span>
  );
}
