// Where a person writes: sends, queues while the agent works, steers, stops, attaches and completes.
import { useId, useRef } from 'preact/hooks';
import type { ChatState, SessionModelInfo } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useClient } from '../../state/app.ts';
import { useMay } from '../../state/role.ts';
import { toast } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';
import { AttachmentView } from '../transcript/MessageView.tsx';
import { attachmentOf } from './attachments.ts';
import { complete } from './completion.ts';
import type { Completion } from './completion.ts';
import { CompletionList, optionId } from './CompletionList.tsx';
import { useSharedDraft } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { ModelPicker } from './ModelPicker.tsx';
import { Queue } from './Queue.tsx';
import { send, stop } from './sending.ts';
import { useCompletions } from './useCompletions.ts';

interface ComposerProps {
  readonly channel: Channel<ChatState>;
  readonly models: readonly SessionModelInfo[];
}

export function Composer({ channel, models }: ComposerProps) {
  const client = useClient();
  const state = channel.state.value;
  const draft = useSharedDraft(channel);
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const completions = useCompletions(channel.uri);
  const list = useId();
  const mayApprove = useMay('approve');
  const mayControl = useMay('control');
  if (!state) return null;
  if (!mayControl)
    return (
      <p class="composer hint">
        {mayApprove ? 'This device may look and answer what waits.' : 'This device may only look.'}
      </p>
    );
  if (state.interactivity === 'read-only') return <p class="composer hint">This chat can only be read.</p>;

  const { text, attachments, model } = draft.value;
  const running = state.activeTurn !== undefined;
  const ready = isReady(draft.value);
  const lastModel =
    state.activeTurn?.message.model?.id ??
    state.turns.findLast(({ message }) => message.model)?.message.model?.id;
  const sending = { client, channel };
  const offer = completions.offer.value;

  return (
    <form
      class="composer"
      aria-label="Write"
      onSubmit={submit}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <Queue state={state} sending={sending} />
      {attachments.length > 0 && (
        <ul class="attachments" aria-label="Attachments">
          {attachments.map((attachment, index) => (
            <li key={index}>
              <AttachmentView attachment={attachment} />
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${attachment.label}`}
                onClick={() => detach(index)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {offer && <CompletionList id={list} offer={offer} onChoose={choose} />}
      <label class="unseen" for={`${list}-field`}>
        Message
      </label>
      <textarea
        ref={field}
        id={`${list}-field`}
        class="message-field"
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        placeholder={running ? 'Queue a message, or steer with Ctrl+Enter' : 'Message the agent'}
        value={text}
        aria-autocomplete="list"
        aria-controls={offer ? list : undefined}
        aria-activedescendant={offer ? optionId(list, offer.chosen) : undefined}
        onInput={(event) => write(event.currentTarget)}
        onKeyDown={key}
        onPaste={paste}
        onBlur={() => completions.close()}
      />
      <div class="composer-row">
        <button type="button" class="quiet" aria-label="Attach a file" onClick={() => files.current?.click()}>
          <Icon name="attach" />
        </button>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          aria-hidden="true"
          tabIndex={-1}
          onChange={(event) => void attach(event.currentTarget.files)}
        />
        <ModelPicker
          models={models}
          model={model ?? lastModel}
          onChoose={(chosen) => (draft.value = { ...draft.value, model: chosen })}
        />
        <span class="spring" />
        {running && (
          <button type="button" class="danger" onClick={() => void stop(sending)}>
            <Icon name="stop" /> Stop
          </button>
        )}
        {running && (
          <button type="button" disabled={!ready} onClick={() => steer()}>
            <Icon name="steer" /> Steer
          </button>
        )}
        <button type="submit" class="primary" disabled={!ready}>
          <Icon name="send" /> {running ? 'Queue' : 'Send'}
        </button>
      </div>
    </form>
  );

  function write(target: HTMLTextAreaElement): void {
    draft.value = { ...draft.value, text: target.value };
    completions.look(target.value, target.selectionStart);
  }

  function submit(event: Event): void {
    event.preventDefault();
    if (isReady(draft.peek())) void send(sending, draft.peek(), 'turn');
    completions.close();
    field.current?.focus();
  }

  function steer(): void {
    if (isReady(draft.peek())) void send(sending, draft.peek(), 'steer');
    field.current?.focus();
  }

  function key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const offered = completions.offer.peek();
    if (offered) {
      const chosen = offered.items[offered.chosen];
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
        completions.move(event.key === 'ArrowDown' ? 1 : -1);
      else if (event.key === 'Escape') completions.close();
      else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) choose(chosen);
      else return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if ((event.ctrlKey || event.metaKey) && channel.state.peek()?.activeTurn) steer();
    else submit(event);
  }

  function choose(item: Completion): void {
    const target = field.current;
    const offered = completions.offer.peek();
    if (!offered || !target) return;
    const done = complete(draft.peek().text, { caret: target.selectionStart, start: offered.start }, item);
    const added = item.attachment.type === 'simple' ? [] : [item.attachment];
    draft.value = { ...draft.value, text: done.text, attachments: [...draft.peek().attachments, ...added] };
    completions.close();
    // After the field has its new text.
    requestAnimationFrame(() => {
      target.focus();
      target.setSelectionRange(done.caret, done.caret);
      completions.look(done.text, done.caret);
    });
  }

  function detach(index: number): void {
    draft.value = { ...draft.value, attachments: attachments.filter((_, other) => other !== index) };
    field.current?.focus();
  }

  async function attach(chosen: FileList | null | undefined): Promise<void> {
    for (const file of [...(chosen ?? [])]) {
      const attachment = await attachmentOf(file);
      if ('refused' in attachment) toast('problem', attachment.refused);
      else draft.value = { ...draft.value, attachments: [...draft.value.attachments, attachment] };
    }
  }

  function paste(event: ClipboardEvent): void {
    const pasted = event.clipboardData?.files;
    if (!pasted || pasted.length === 0) return;
    event.preventDefault();
    void attach(pasted);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    void attach(event.dataTransfer?.files);
  }
}

/** Asked of the draft itself and not of what is on the screen, which may be a few letters behind. */
function isReady({ text, attachments }: Draft): boolean {
  return text.trim() !== '' || attachments.length > 0;
}
