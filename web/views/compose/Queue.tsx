// Messages that wait: one that goes into the running turn, and those for the turns after it. Each can be changed or taken back.
import { useState } from 'preact/hooks';
import type { PendingMessage } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { act } from '../../state/chat.ts';
import { Icon } from '../parts/Icon.tsx';
import { sendNow } from './sending.ts';
import type { Sending } from './sending.ts';

interface QueueProps {
  readonly state: ChatState;
  readonly sending: Sending;
}

export function Queue({ state: { steeringMessage, queuedMessages = [], activeTurn }, sending }: QueueProps) {
  if (!steeringMessage && queuedMessages.length === 0) return null;
  return (
    <section class="queue" aria-label="Waiting messages">
      {steeringMessage && <Waiting entry={steeringMessage} kind="steering" sending={sending} />}
      {queuedMessages.length > 0 && (
        <ol>
          {queuedMessages.map((entry, index) => (
            <li key={entry.id}>
              <Waiting
                entry={entry}
                kind="queued"
                sending={sending}
                order={queuedMessages}
                index={index}
                idle={!activeTurn}
              />
            </li>
          ))}
        </ol>
      )}
      {!activeTurn && queuedMessages.length > 0 && (
        <p class="hint">The queue waits for you: send a message, or one of these now.</p>
      )}
    </section>
  );
}

interface WaitingProps {
  readonly entry: PendingMessage;
  readonly kind: 'steering' | 'queued';
  readonly sending: Sending;
  readonly order?: readonly PendingMessage[];
  readonly index?: number;
  readonly idle?: boolean;
}

function Waiting({ entry, kind, sending, order = [], index = 0, idle = false }: WaitingProps) {
  const [text, setText] = useState<string>();
  const { client, channel } = sending;
  const { id, message } = entry;

  const save = (event: Event): void => {
    event.preventDefault();
    if (text !== undefined)
      void act(client, channel, { type: 'chat/pendingMessageSet', kind, id, message: { ...message, text } });
    setText(undefined);
  };
  const remove = () => act(client, channel, { type: 'chat/pendingMessageRemoved', kind, id });
  const raise = (): void => {
    const ids = order.map((other) => other.id);
    const before = ids[index - 1];
    if (before === undefined) return;
    void act(client, channel, {
      type: 'chat/queuedMessagesReordered',
      order: [...ids.slice(0, index - 1), id, before, ...ids.slice(index + 1)],
    });
  };

  if (text !== undefined) {
    return (
      <form class="waiting" onSubmit={save}>
        <label>
          <span class="unseen">Waiting message</span>
          <textarea rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit">Save</button>
        <button type="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
      </form>
    );
  }
  return (
    <div class="waiting">
      <span class="lane">{kind === 'steering' ? 'Steering' : 'Queued'}</span>
      <span class="waiting-text">{message.text}</span>
      {idle && (
        <button type="button" onClick={() => void sendNow(sending, entry)}>
          Send now
        </button>
      )}
      {kind === 'queued' && index > 0 && (
        <button type="button" class="quiet" aria-label="Move up" onClick={raise}>
          <Icon name="up" />
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-label="Edit waiting message"
        onClick={() => setText(message.text)}
      >
        <Icon name="edit" />
      </button>
      <button type="button" class="quiet" aria-label="Remove waiting message" onClick={() => void remove()}>
        <Icon name="close" />
      </button>
    </div>
  );
}
