// The changes of a session as a page: a tree of the files, their hunks with undo, accept and comments, and a
// commit. From the host's changesets, otherwise from the edits in the tool calls.
import { useMemo, useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type {
  Changeset,
  ChangesetFile,
  ChangesetOperation,
  ChangesetState,
  ChatState,
  SessionState,
} from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf } from '../../state/route.ts';
import { nameOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Loading } from '../parts/Loading.tsx';
import { editsIn } from './editsIn.ts';
import { ReviewFiles } from './ReviewFiles.tsx';

interface ReviewProps {
  readonly session: URI;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
}

export function Review({ session, state, chat }: ReviewProps) {
  // A URI template with placeholders stands for single turns or files, not for the whole session.
  const changesets = [...(chat.state.value?.changesets ?? []), ...(state.changesets ?? [])].filter(
    ({ uriTemplate }) => !uriTemplate.includes('{'),
  );
  const [chosen, setChosen] = useState(0);
  const changeset = changesets[chosen] ?? changesets[0];
  return (
    <section class="session-page" aria-label="Changes">
      <ReviewHead session={session} state={state} chat={chat.uri} />
      {changesets.length > 1 && (
        <label class="which-changes">
          <span class="unseen">Which changes</span>
          <select class="input" onChange={(event) => setChosen(event.currentTarget.selectedIndex)}>
            {changesets.map(({ label, uriTemplate }) => (
              <option key={uriTemplate}>{label}</option>
            ))}
          </select>
        </label>
      )}
      {changeset ? (
        <HostChanges key={changeset.uriTemplate} {...{ session, state, chat, changeset }} />
      ) : (
        <ReportedChanges {...{ session, state, chat }} />
      )}
    </section>
  );
}

function ReviewHead({ session, state, chat }: Omit<ReviewProps, 'chat'> & { readonly chat: URI }) {
  const back = addressOf({ page: 'session', session, chat });
  const folder = state.workingDirectories?.[0];
  return (
    <header class="head lined">
      <a class="btn ghost icon-only menu-btn" href={back} aria-label="Back to the conversation">
        <Icon name="undo" />
      </a>
      <div class="title">
        <h1 class="truncate" tabIndex={-1}>
          Changes
        </h1>
        <span class="where">
          <a class="quiet truncate" href={back} dir="auto">
            {state.title || 'New session'}
          </a>
          {folder !== undefined && (
            <>
              <span aria-hidden="true">·</span>
              <Icon name="folder" />
              <span class="truncate">{nameOf(folder)}</span>
            </>
          )}
        </span>
      </div>
      <div class="tools">
        <a class="btn ghost desk-only changes-button" href={back}>
          <Icon name="comment" />
          Conversation
          <kbd>Alt C</kbd>
        </a>
      </div>
    </header>
  );
}

interface HostChangesProps extends ReviewProps {
  readonly changeset: Changeset;
}

function HostChanges({ session, state, chat, changeset }: HostChangesProps) {
  const { uriTemplate: uri, capabilities, description } = changeset;
  const client = useClient();
  const channel = useChannel('changeset', uri);
  const mayControl = useHasRole('control');
  const changes = channel.state.value;
  if (!changes) return <Loading what="the changes" />;
  const setReviewed = (files: readonly ChangesetFile[], reviewed: boolean) =>
    void dispatchOrToast(client, channel, {
      type: 'changeset/filesReviewChanged',
      files: files.map(({ id }) => id),
      reviewed,
    });
  return (
    <ReviewFiles
      session={session}
      state={state}
      chat={chat}
      files={changes.files}
      channel={uri}
      operations={mayControl ? (changes.operations ?? noOperations) : noOperations}
      setReviewed={capabilities?.review !== undefined && mayControl ? setReviewed : undefined}
      note={noteOf(changes, description)}
    />
  );
}

const noOperations: readonly ChangesetOperation[] = [];

function noteOf(
  { error, status, files }: ChangesetState,
  description: string | undefined,
): string | undefined {
  if (error) return error.message;
  if (files.length > 0) return description;
  return status === 'computing' ? 'The changes are being computed…' : 'No changes';
}

/** For hosts without changesets: the edits that the tool calls reported. */
function ReportedChanges({ session, state, chat }: ReviewProps) {
  const transcript = chat.state.value;
  const files = useMemo(
    () => (transcript ? editsIn(transcript).map(({ uri, edit }) => ({ id: uri, edit })) : []),
    [transcript?.turns, transcript?.activeTurn],
  );
  return (
    <ReviewFiles
      {...{ session, state, chat, files }}
      channel={undefined}
      operations={noOperations}
      setReviewed={undefined}
      note={files.length === 0 ? 'No changes yet' : undefined}
    />
  );
}
