// The files that a session changed: as the host sums them up, otherwise as its tool calls tell.
import { useMemo } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/newest/content.ts';
import type { Changeset, ChatState, SessionState } from '../../../src/protocols/ahp/newest/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { act } from '../../state/chat.ts';
import { problemText, toast } from '../../state/toasts.ts';
import { plainText } from '../parts/Inline.tsx';
import { FileEditView } from '../diff/FileEditView.tsx';
import { editsIn } from './editsIn.ts';

interface ChangesProps {
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
}

export function Changes({ state, chat }: ChangesProps) {
  // A template with places to fill in is about one turn or file, not about the whole.
  const sets = [...(chat.state.value?.changesets ?? []), ...(state.changesets ?? [])].filter(({ uriTemplate }) => !uriTemplate.includes('{'));
  if (sets.length === 0) return <ToldChanges chat={chat} />;
  return (
    <>
      {sets.map((set) => (
        <ChangesetView key={set.uriTemplate} set={set} />
      ))}
    </>
  );
}

function ToldChanges({ chat }: { readonly chat: Channel<ChatState> }) {
  const state = chat.state.value;
  const edits = useMemo(() => (state ? editsIn(state) : []), [state?.turns, state?.activeTurn]);
  if (edits.length === 0) return <p class="hint">No file has been changed yet.</p>;
  return (
    <div class="changes">
      {edits.map(({ uri, edit }) => (
        <FileEditView key={uri} edit={edit} />
      ))}
    </div>
  );
}

function ChangesetView({ set }: { readonly set: Changeset }) {
  const client = useClient();
  const channel = useChannel('changeset', set.uriTemplate);
  const state = channel.state.value;
  const reviews = set.capabilities?.review !== undefined;
  return (
    <section class="changes" aria-label={set.label}>
      <h3>{set.label}</h3>
      {set.description !== undefined && <p class="hint">{set.description}</p>}
      {!state && <p class="hint">Loading…</p>}
      {state?.error && <p class="problem">{state.error.message}</p>}
      {state?.files.map(({ id, edit, reviewed = false }) => (
        <div key={id} class="changed-file">
          <FileEditView edit={edit} />
          {reviews && (
            <label class="choice">
              <input
                type="checkbox"
                checked={reviewed}
                onChange={(event) => void act(client, channel, { type: 'changeset/filesReviewChanged', files: [id], reviewed: event.currentTarget.checked })}
              />
              <span>Reviewed</span>
            </label>
          )}
        </div>
      ))}
      <div class="ask-actions" role="group" aria-label="Operations">
        {state?.operations
          ?.filter(({ scopes }) => scopes.includes('changeset'))
          .map(({ id, label, status, description, confirmation }) => (
            <button key={id} type="button" title={description} disabled={status === 'running' || status === 'disabled'} onClick={() => void invoke(set.uriTemplate, id, confirmation && plainText(confirmation))}>
              {label}
            </button>
          ))}
      </div>
    </section>
  );

  async function invoke(changeset: URI, operationId: string, question: string | undefined): Promise<void> {
    // oxlint-disable-next-line no-alert -- the host asks for a word of confirmation before something that may not be undone
    if (question !== undefined && !confirm(question)) return;
    try {
      const { message } = await client.request('invokeChangesetOperation', { channel: changeset, operationId });
      if (message !== undefined) toast('info', plainText(message));
    } catch (error) {
      toast('problem', problemText(error));
    }
  }
}
