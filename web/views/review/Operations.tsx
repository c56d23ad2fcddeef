// Buttons for operations on changes, such as undo: for the whole changeset, one file or one hunk.
import { useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { ChangesetOperationTarget } from '../../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChangesetOperation } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { toast } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';
import { rawText } from '../parts/InlineText.tsx';

interface OperationsProps {
  readonly channel: URI;
  readonly operations: readonly ChangesetOperation[];
  /** Absent means the whole changeset. */
  readonly target?: ChangesetOperationTarget;
  /** What the buttons belong to, for screen readers. */
  readonly about: string;
  /** Says behind the label what the buttons are for. */
  readonly suffix?: string;
  readonly onDone?: () => void;
}

export function Operations({ channel, operations, target, about, suffix, onDone }: OperationsProps) {
  const applicable = operations.filter(({ scopes }) => scopes.includes(target?.kind ?? 'changeset'));
  if (applicable.length === 0) return null;
  return (
    <div class="operations" role="group" aria-label={`Operations: ${about}`}>
      {applicable.map((operation) => (
        <OperationButton key={operation.id} {...{ channel, operation, target, suffix, onDone }} />
      ))}
    </div>
  );
}

interface OperationButtonProps {
  readonly channel: URI;
  readonly operation: ChangesetOperation;
  readonly target: ChangesetOperationTarget | undefined;
  readonly suffix: string | undefined;
  readonly onDone: (() => void) | undefined;
}

/** An operation with a confirmation text needs a second click, in the place of the button. */
function OperationButton({
  channel,
  operation: { id, label, status, description, confirmation },
  target,
  suffix,
  onDone,
}: OperationButtonProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const [confirming, setConfirming] = useState(false);
  const disabled = busy || status === 'running' || status === 'disabled';
  const invoke = () => {
    setConfirming(false);
    void run(async () => {
      const { message } = await client.request('invokeChangesetOperation', {
        channel,
        operationId: id,
        ...present({ target }),
      });
      if (message === undefined) onDone?.();
      else toast('info', rawText(message));
    });
  };
  if (confirming && confirmation !== undefined) {
    return (
      <span class="sure" role="group" aria-label={label}>
        <span>{rawText(confirmation)}</span>
        <button type="button" class="btn small danger" ref={(element) => element?.focus()} onClick={invoke}>
          {label}
        </button>
        <button type="button" class="btn small ghost" onClick={() => setConfirming(false)}>
          Cancel
        </button>
      </span>
    );
  }
  return (
    <button
      type="button"
      class="btn ghost small"
      title={description}
      disabled={disabled}
      onClick={() => (confirmation === undefined ? invoke() : setConfirming(true))}
    >
      <Icon name={id.startsWith('redo') ? 'retry' : 'undo'} />
      <span>
        {label}
        {suffix !== undefined && <span class="desk-only"> {suffix}</span>}
      </span>
    </button>
  );
}
