// What the host can do with changes, for example undo them: with all of them, with one file, or with one hunk.
import { useState } from 'preact/hooks';
import type { ChangesetOperationTarget } from '../../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChangesetOperation } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { useDoing } from '../../state/asking.ts';
import { toast } from '../../state/toasts.ts';
import { plainText } from '../parts/Inline.tsx';

interface OperationsProps {
  readonly channel: URI;
  readonly operations: readonly ChangesetOperation[];
  /** Absent means all changes together. */
  readonly target?: ChangesetOperationTarget;
  /** What it is about, for those who hear the buttons out of their place. */
  readonly about: string;
}

export function Operations({ channel, operations, target, about }: OperationsProps) {
  const fitting = operations.filter(({ scopes }) => scopes.includes(target?.kind ?? 'changeset'));
  if (fitting.length === 0) return null;
  return (
    <div class="ask-actions" role="group" aria-label={`Operations: ${about}`}>
      {fitting.map((operation) => (
        <OperationButton key={operation.id} channel={channel} operation={operation} target={target} />
      ))}
    </div>
  );
}

interface OperationButtonProps {
  readonly channel: URI;
  readonly operation: ChangesetOperation;
  readonly target: ChangesetOperationTarget | undefined;
}

/** What asks for a word of confirmation gets it in its place, by a second press. */
function OperationButton({
  channel,
  operation: { id, label, status, description, confirmation },
  target,
}: OperationButtonProps) {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const [sure, setSure] = useState(false);
  const resting = busy || status === 'running' || status === 'disabled';
  const invoke = () => {
    setSure(false);
    void attempt(async () => {
      const { message } = await client.request('invokeChangesetOperation', {
        channel,
        operationId: id,
        ...(target === undefined ? {} : { target }),
      });
      if (message !== undefined) toast('info', plainText(message));
    });
  };
  if (sure && confirmation !== undefined) {
    return (
      <span class="sure" role="group" aria-label={label}>
        <span>{plainText(confirmation)}</span>
        <button type="button" class="danger" ref={(element) => element?.focus()} onClick={invoke}>
          {label}
        </button>
        <button type="button" onClick={() => setSure(false)}>
          Leave it
        </button>
      </span>
    );
  }
  return (
    <button
      type="button"
      title={description}
      disabled={resting}
      onClick={() => (confirmation === undefined ? invoke() : setSure(true))}
    >
      {label}
    </button>
  );
}
