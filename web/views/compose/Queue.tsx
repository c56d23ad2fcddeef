// Pending messages: one that steers the running turn, and those queued for later turns. Each can be edited,
// moved, sent now or removed.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PendingMessage } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { Icon, IconButton } from '../parts/Icon.tsx';
import { startQueued, steerQueued } from './sending.ts';
import type { ChatTarget } from './sending.ts';

interface QueueProps {
  readonly state: ChatState;
  readonly target: ChatTarget;
}

export function Queue({ state: { steeringMessage, queuedMessages = [], activeTurn }, target }: QueueProps) {
  const next = steeringMessage ?? queuedMessages[0];
  if (!next) return null;
  return (
    <section class="queue" aria-label="Pending messages">
      <ul>
        {steeringMessage && (
          <li class="queue-row">
            <PendingRow entry={steeringMessage} kind="steering" target={target} />
          </li>
        )}
        {queuedMessages.map((entry, index) => (
          <li key={entry.id} class="queue-row">
            <PendingRow entry={entry} kind="queued" target={target}>
              {index > 0 && <MoveUp order={queuedMessages} index={index} target={target} />}
              {activeTurn && (
                <IconButton
                  icon="sub"
                  label="Send now (steer)"
                  onClick={() => void steerQueued(target, entry)}
                />
              )}
            </PendingRow>
          </li>
        ))}
        {!activeTurn && next && (
          <li class="queue-row held">
            <Icon name="clock" kind="grip" />
            <span class="lane">Paused</span>
            <span class="text muted">Queue paused. Send a message to continue, or run the next one.</span>
            <span class="end">
              <button type="button" class="btn small" onClick={() => void startQueued(target, next)}>
                Run next
              </button>
            </span>
          </li>
        )}
      </ul>
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
    <>
      <Icon name={kind === 'steering' ? 'sub' : 'clock'} kind="grip" />
      <span class={`lane ${kind}`}>{kind === 'steering' ? 'Steering' : 'Queued'}</span>
      <span class="text" dir="auto">
        {message.text}
      </span>
      <span class="end">
        {children}
        <IconButton icon="edit" label="Edit pending message" onClick={() => setEditing(true)} />
        <IconButton icon="x" label="Remove pending message" onClick={() => void remove()} />
      </span>
    </>
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
    <form class="row grow" onSubmit={submit}>
      <label class="grow">
        <span class="unseen">Pending message</span>
        <textarea
          class="input"
          rows={2}
          dir="auto"
          value={edited}
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="btn small primary">
        Save
      </button>
      <button type="button" class="btn small ghost" onClick={onCancel}>
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
  return <IconButton icon="up" label="Move up" onClick={move} />;
}
