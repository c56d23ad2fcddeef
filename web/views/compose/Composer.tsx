// The dock of a chat: what waits, the queue, and the composer, which sends, queues, steers and stops, with
// attachments, completions and pickers.
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { AgentInfo, ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import { mutableProperties } from '../session/SessionSettings.tsx';
import { Icon } from '../parts/Icon.tsx';
import { AttachmentList, FilePicker } from './Attachments.tsx';
import { filesDropped, draftAttachments } from './attachFiles.ts';
import { CompletionList } from './CompletionList.tsx';
import { ContextMeter } from './ContextMeter.tsx';
import { editOf, isReady, useSharedDraft } from './drafts.ts';
import type { MessageDraft } from './drafts.ts';
import { useOfferedConfig } from './offeredConfig.ts';
import { MessageField } from './MessageField.tsx';
import { PickerBar } from './PickerBar.tsx';
import { agentPicker, configPickers, modelPicker, nextOption, withChooser } from './pickers.ts';
import type { Picker } from './pickers.ts';
import { Queue } from './Queue.tsx';
import { SendButtons } from './SendButtons.tsx';
import { chosenModel, lastModel, sendWritten } from './sending.ts';
import { useCompletions } from './useCompletions.ts';

interface ComposerProps {
  readonly session: Channel<SessionState>;
  readonly state: SessionState;
  readonly channel: Channel<ChatState>;
  readonly agent: AgentInfo | undefined;
}

export function Composer(props: ComposerProps) {
  const chat = props.channel.state.value;
  const mayApprove = useHasRole('approve');
  const mayControl = useHasRole('control');
  if (!chat) return null;
  if (!mayControl)
    return <ReadOnly>{mayApprove ? 'You can view and approve on this device' : 'View only'}</ReadOnly>;
  if (chat.interactivity === 'read-only') return <ReadOnly>This chat is read-only.</ReadOnly>;
  return <ComposerForm {...props} chat={chat} />;
}

function ReadOnly({ children }: { readonly children: ComponentChildren }) {
  return <p class="banner">{children}</p>;
}

interface ComposerFormProps extends ComposerProps {
  readonly chat: ChatState;
}

function ComposerForm({ session, state, channel, agent, chat }: ComposerFormProps) {
  const client = useClient();
  const target = { client, channel };
  const { draft, edit, endEdit } = useWrittenDraft(channel);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { attach, detach } = draftAttachments(draft);
  const completions = useCompletions(channel.uri, draft, field);
  const offer = completions.offer.value;
  const isRunning = chat.activeTurn !== undefined;
  const pickers = usePickers({ session, state, channel, agent, chat }, draft);
  useEffect(() => {
    completions.close();
    if (edit) field.current?.focus();
  }, [edit]);

  const send = (wanted: 'turn' | 'steer'): void => {
    void sendWritten(target, wanted);
    completions.close();
    field.current?.focus();
  };
  return (
    <>
      <Queue state={chat} target={target} />
      {edit && <EditNote isRunning={isRunning} onCancel={endEdit} />}
      <ComposerFrame onSubmit={() => send('turn')} onFiles={(files) => void attach(files)}>
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
          placeholder={isRunning ? 'Queue or steer' : 'Message the agent'}
          onSend={send}
          onEscape={edit && endEdit}
          onNextMode={() => chooseNext(pickers.find(({ keys }) => keys !== undefined))}
          onFiles={(files) => void attach(files)}
        />
        <div class="composer-bar">
          <FilePicker onFiles={(files) => void attach(files)} />
          <PickerBar pickers={pickers} />
          <span class="spacer" />
          <ContextMeter chat={chat} />
          <SendButtons {...{ target, isRunning }} isReady={isReady(draft.value)} isEdit={Boolean(edit)} />
        </div>
      </ComposerFrame>
      {isRunning && <RunningKeys />}
    </>
  );
}

/** What is written now: an edited message, else the unsent draft, which waits below it. */
function useWrittenDraft(channel: Channel<ChatState>) {
  const unsent = useSharedDraft(channel);
  const editing = editOf(channel.uri);
  const edit = editing.value;
  const endEdit = (): void => {
    editing.value = undefined;
  };
  return { draft: edit?.draft ?? unsent, edit, endEdit };
}

interface EditNoteProps {
  readonly isRunning: boolean;
  readonly onCancel: () => void;
}

function EditNote({ isRunning, onCancel }: EditNoteProps) {
  return (
    <p class="banner edit-note" role="status">
      <Icon name="edit" />
      <span>
        {isRunning
          ? 'A turn is running. The edited message can be sent when it has ended.'
          : 'Sending replaces the message and everything after it.'}
      </span>
      <button type="button" class="btn small" aria-label="Cancel the edit" onClick={onCancel}>
        Cancel
      </button>
    </p>
  );
}

function usePickers(props: ComposerFormProps, draft: Signal<MessageDraft>): readonly Picker[] {
  const { session, state, agent, chat } = props;
  const client = useClient();
  const chosen = draft.value.model ?? lastModel(chat) ?? chosenModel(state);
  const { values: config = {} } = state.config ?? {};
  const place = { provider: agent?.provider, directory: state.workingDirectories?.[0], config };
  const { usual } = useOfferedConfig(chosen === undefined ? place : undefined);
  return [
    agentPicker(agent ? [agent] : [], agent?.provider),
    modelPicker(
      agent?.models ?? [],
      chosen ?? usual.model,
      (model) => (draft.value = { ...draft.value, model }),
    ),
    ...withChooser(
      configPickers(
        Object.fromEntries(mutableProperties(state)),
        { ...usualValues, ...config },
        (change) => void dispatchOrToast(client, session, { type: 'session/configChanged', config: change }),
      ),
      state._meta?.['permissionsChosenBy'],
    ),
  ];
}

export function chooseNext(picker: Picker | undefined): void {
  const next = picker && nextOption(picker);
  if (next !== undefined) picker?.choose?.(next);
}

function RunningKeys() {
  return (
    <p class="under desk-only">
      <span>
        <kbd>Enter</kbd> queues
      </span>
      <span>
        <kbd>Ctrl Enter</kbd> steers the current turn
      </span>
      <span>
        <kbd>Esc</kbd> stops
      </span>
    </p>
  );
}

interface ComposerFrameProps {
  readonly onSubmit: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** The form element, which also accepts dropped files. */
export function ComposerFrame({ onSubmit, onFiles, children }: ComposerFrameProps) {
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

/** What our host does in a session where nobody has chosen. */
const usualValues = { permissions: 'ask' };
