// Pending messages: one that steers the running turn, and those queued for later turns. Each can
// be edited or removed.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PendingMessage } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { Icon } from '../parts/Icon.tsx';
import { startQueued } from './sending.ts';
import type { ChatTarget } from './sending.ts';

interface QueueProps {
  readonly state: ChatState;
  readonly target: ChatTarget;
}

export function Queue({ state: { steeringMessage, queuedMessages = [], activeTurn }, target }: QueueProps) {
  if (!steeringMessage && queuedMessages.length === 0) return null;
  const isPaused = !activeTurn && queuedMessages.length > 0;
  return (
    <section class="queue" aria-label="Pending messages">
      {steeringMessage && <PendingRow entry={steeringMessage} kind="steering" target={target} />}
      {queuedMessages.length > 0 && (
        <ol>
          {queuedMessages.map((entry, index) => (
            <li key={entry.id}>
              <PendingRow entry={entry} kind="queued" target={target}>
                {isPaused && (
                  <button type="button" onClick={() => void startQueued(target, entry)}>
                    Run now
                  </button>
                )}
                {index > 0 && <MoveUp order={queuedMessages} index={index} target={target} />}
              </PendingRow>
            </li>
          ))}
        </ol>
      )}
      {isPaused && <p class="hint">Queue paused. Send a message to continue, or run one now.</p>}
    </section>
  );
}

interface PendingRowProps {
  readonly entry: PendingMessage;
  readonly kind: 'steering' | 'queued';
  readonly target: ChatTarget;
  readonly children?: ComponentChildren;
}

function PendingRow({ entry: { id, message }, kind, target, children }: PendingRowProps) {
  const [isEditing, setEditing] = useState(false);
  const { client, channel } = target;
  const save = (text: string): void => {
    setEditing(false);
    void dispatchOrToast(client, channel, {
      type: 'chat/pendingMessageSet',
      kind,
      id,
      message: { ...message, text },
    });
  };
  const remove = () => dispatchOrToast(client, channel, { type: 'chat/pendingMessageRemoved', kind, id });
  if (isEditing)
    return <PendingEditor text={message.text} onSave={save} onCancel={() => setEditing(false)} />;
  return (
    <div class="waiting">
      <span class="lane">{kind === 'steering' ? 'Steering' : 'Queued'}</span>
      <span class="waiting-text">{message.text}</span>
      {children}
      <button type="button" class="quiet" aria-label="Edit pending message" onClick={() => setEditing(true)}>
        <Icon name="edit" />
      </button>
      <button type="button" class="quiet" aria-label="Remove pending message" onClick={() => void remove()}>
        <Icon name="close" />
      </button>
    </div>
  );
}

interface PendingEditorProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

function PendingEditor({ text, onSave, onCancel }: PendingEditorProps) {
  const [edited, setEdited] = useState(text);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSave(edited);
  };
  return (
    <form class="waiting" onSubmit={submit}>
      <label>
        <span class="unseen">Pending message</span>
        <textarea rows={2} value={edited} onInput={(event) => setEdited(event.currentTarget.value)} />
      </label>
      <button type="submit">Save</button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}

interface MoveUpProps {
  readonly order: readonly PendingMessage[];
  readonly index: number;
  readonly target: ChatTarget;
}

function MoveUp({ order, index, target: { client, channel } }: MoveUpProps) {
  const move = (): void => {
    const ids = order.map(({ id }) => id);
    const reordered = ids.toSpliced(index, 1).toSpliced(index - 1, 0, ...ids.slice(index, index + 1));
    void dispatchOrToast(client, channel, { type: 'chat/queuedMessagesReordered', order: reordered });
  };
  return (
    <button type="button" class="quiet" aria-label="Move up" onClick={move}>
      <Icon name="up" />
    </button>
  );
}
