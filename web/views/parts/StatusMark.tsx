// The status of a session or chat as a coloured mark, with a label that may be visible or
// for screen readers only.
import { statusKindOf, statusLabels } from '../../text/format.ts';

export function StatusMark({
  status,
  labelled = false,
}: {
  readonly status: number;
  readonly labelled?: boolean;
}) {
  const kind = statusKindOf(status);
  return (
    <span class={`mark ${kind}`}>
      <span class="dot" aria-hidden="true" />
      <span class={labelled ? 'word' : 'unseen'}>{statusLabels[kind]}</span>
    </span>
  );
}
