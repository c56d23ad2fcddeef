// How many lines were added and removed; a count of zero is left out.

interface LineCountsProps {
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

export function LineCounts({ added = 0, removed = 0 }: LineCountsProps) {
  if (added + removed === 0) return null;
  return (
    <span class="delta">
      {added > 0 && (
        <span class="plus">
          +{added}
          <span class="unseen"> lines added</span>
        </span>
      )}
      {removed > 0 && (
        <span class="minus">
          −{removed}
          <span class="unseen"> lines removed</span>
        </span>
      )}
    </span>
  );
}
