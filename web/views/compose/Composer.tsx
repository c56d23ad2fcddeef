// The message composer: sends, queues, steers and stops, with attachments and completions.
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { ChatState, SessionModelInfo } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { AttachmentList, FilePicker } from './Attachments.tsx';
import { filesDropped, draftAttachments } from './attachFiles.ts';
import { CompletionList } from './CompletionList.tsx';
import { isReady, useSharedDraft } from './drafts.ts';
import { MessageField } from './MessageField.tsx';
import { ModelPicker } from './ModelPicker.tsx';
import { Queue } from './Queue.tsx';
import { SendButtons } from './SendButtons.tsx';
import { sendDraft } from './sending.ts';
import { useCompletions } from './useCompletions.ts';

interface ComposerProps {
  readonly channel: Channel<ChatState>;
  readonly models: readonly SessionModelInfo[];
}

export function Composer({ channel, models }: ComposerProps) {
  const state = channel.state.value;
  const mayApprove = useHasRole('approve');
  const mayControl = useHasRole('control');
  if (!state) return null;
  if (!mayControl)
    return (
      <p class="composer hint">{mayApprove ? 'You can view and approve on this device' : 'View only'}</p>
    );
  if (state.interactivity === 'read-only') return <p class="composer hint">This chat is read-only.</p>;
  return <ComposerForm channel={channel} models={models} state={state} />;
}

interface ComposerFormProps extends ComposerProps {
  readonly state: ChatState;
}

function ComposerForm({ channel, models, state }: ComposerFormProps) {
  const target = { client: useClient(), channel };
  const draft = useSharedDraft(channel);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { attach, detach } = draftAttachments(draft);
  const completions = useCompletions(channel.uri, draft, field);
  const offer = completions.offer.value;

  /** Reads draft and state themselves, because the rendered ones may be behind the keyboard. */
  const send = (wanted: 'turn' | 'steer'): void => {
    const lane = channel.state.peek()?.activeTurn ? wanted : 'turn';
    if (isReady(draft.peek())) void sendDraft(target, draft.peek(), lane);
    completions.close();
    field.current?.focus();
  };
  return (
    <ComposerFrame onSubmit={() => send('turn')} onFiles={(files) => void attach(files)}>
      <Queue state={state} target={target} />
      <AttachmentList
        attachments={draft.value.attachments}
        onRemove={(index) => {
          detach(index);
          field.current?.focus();
        }}
      />
      {offer && <CompletionList id={id} offer={offer} onChoose={completions.choose} />}
      <MessageField
        field={field}
        listId={id}
        draft={draft}
        completions={completions}
        isRunning={state.activeTurn !== undefined}
        onSend={send}
        onFiles={(files) => void attach(files)}
      />
      <div class="composer-row">
        <FilePicker onFiles={(files) => void attach(files)} />
        <ModelPicker
          models={models}
          model={draft.value.model ?? lastModel(state)}
          onChoose={(model) => (draft.value = { ...draft.value, model })}
        />
        <span class="spring" />
        <SendButtons
          target={target}
          isRunning={state.activeTurn !== undefined}
          isReady={isReady(draft.value)}
          onSteer={() => send('steer')}
        />
      </div>
    </ComposerFrame>
  );
}

interface ComposerFrameProps {
  readonly onSubmit: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** The form element, which also accepts dropped files. */
function ComposerFrame({ onSubmit, onFiles, children }: ComposerFrameProps) {
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form
      class="composer"
      aria-label="Write"
      onSubmit={submit}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => onFiles(filesDropped(event))}
    >
      {children}
    </form>
  );
}

function lastModel({ activeTurn, turns }: ChatState): string | undefined {
  return activeTurn?.message.model?.id ?? turns.findLast(({ message }) => message.model)?.message.model?.id;
}
