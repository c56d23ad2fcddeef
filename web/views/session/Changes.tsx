// The files that a session changed: from the host's changesets, otherwise from the edits in its tool calls.
import { useMemo } from 'preact/hooks';
import type { ChangesetOperationTarget } from '../../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type {
  Changeset,
  ChangesetOperation,
  ChangesetState,
  ChatState,
  SessionState,
} from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import type { Hunk } from '../../text/diff.ts';
import { nameOf } from '../../text/format.ts';
import { Loading } from '../parts/Loading.tsx';
import { FileEditView } from '../diff/FileEditView.tsx';
import { editsIn } from './editsIn.ts';
import { Operations } from './Operations.tsx';

interface ChangesProps {
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
}

export function Changes({ state, chat }: ChangesProps) {
  // A URI template with placeholders stands for single turns or files, not for the whole session.
  const changesets = [...(chat.state.value?.changesets ?? []), ...(state.changesets ?? [])].filter(
    ({ uriTemplate }) => !uriTemplate.includes('{'),
  );
  if (changesets.length === 0) return <ReportedChanges chat={chat} />;
  return (
    <>
      {changesets.map((changeset) => (
        <ChangesetView key={changeset.uriTemplate} changeset={changeset} hasHeading={changesets.length > 1} />
      ))}
    </>
  );
}

/** For hosts without changesets: the edits that the tool calls reported. */
function ReportedChanges({ chat }: { readonly chat: Channel<ChatState> }) {
  const state = chat.state.value;
  const edits = useMemo(() => (state ? editsIn(state) : []), [state?.turns, state?.activeTurn]);
  if (edits.length === 0) return <p class="note">No changes yet</p>;
  return (
    <div class="changes">
      {edits.map(({ uri, edit }) => (
        <FileEditView key={uri} edit={edit} />
      ))}
    </div>
  );
}

interface ChangesetViewProps {
  readonly changeset: Changeset;
  /** Needed where several changesets are shown. */
  readonly hasHeading: boolean;
}

function ChangesetView({ changeset, hasHeading }: ChangesetViewProps) {
  const { label, description, uriTemplate: uri, capabilities } = changeset;
  const channel = useChannel('changeset', uri);
  const mayControl = useHasRole('control');
  const state = channel.state.value;
  const operations = mayControl ? (state?.operations ?? []) : [];
  const files = state?.files ?? [];
  return (
    <section class="changes" aria-label={label}>
      {hasHeading && <h3>{label}</h3>}
      {description !== undefined && <p class="note">{description}</p>}
      {!state && <Loading what="the changes" />}
      {state?.error && <p class="field-error">{state.error.message}</p>}
      {state && state.status !== 'computing' && files.length === 0 && <p class="note">No changes</p>}
      {files.map((file) => (
        <ChangedFileView
          key={file.id}
          file={file}
          channel={channel}
          operations={operations}
          hasReview={capabilities?.review !== undefined && mayControl}
        />
      ))}
      <Operations channel={uri} operations={changesetOperations(operations, files.length)} about={label} />
    </section>
  );
}

interface ChangedFileViewProps {
  readonly file: ChangesetState['files'][number];
  readonly channel: Channel<ChangesetState>;
  readonly operations: readonly ChangesetOperation[];
  readonly hasReview: boolean;
}

function ChangedFileView({ file, channel, operations, hasReview }: ChangedFileViewProps) {
  const client = useClient();
  const { id, edit, reviewed = false } = file;
  const resource = edit.after?.uri ?? edit.before?.uri ?? '';
  const setReviewed = (next: boolean) =>
    dispatchOrToast(client, channel, { type: 'changeset/filesReviewChanged', files: [id], reviewed: next });
  return (
    <div class="changed-file">
      <FileEditView
        edit={edit}
        renderHunkActions={(hunk) => (
          <Operations
            channel={channel.uri}
            operations={operations}
            target={hunkTarget(resource, hunk)}
            about={`${nameOf(resource)}, ${hunk.header}`}
          />
        )}
      />
      <Operations
        channel={channel.uri}
        operations={operations}
        target={{ kind: 'resource', resource }}
        about={nameOf(resource)}
      />
      {hasReview && (
        <label class="check">
          <input
            type="checkbox"
            checked={reviewed}
            onChange={(event) => void setReviewed(event.currentTarget.checked)}
          />
          <span>Reviewed</span>
        </label>
      )}
    </div>
  );
}

/**
 * The operations on all files. One that also works on single files is labelled "all", and is
 * left out for one file.
 */
function changesetOperations(
  operations: readonly ChangesetOperation[],
  files: number,
): readonly ChangesetOperation[] {
  return operations.flatMap((operation) => {
    if (!operation.scopes.includes('resource')) return [operation];
    return files > 1 ? [{ ...operation, label: `${operation.label} all` }] : [];
  });
}

/**
 * The lines of the hunk in the new text, from the start of the first to the start of the line after the last.
 */
function hunkTarget(resource: URI, { after: { from, lines } }: Hunk): ChangesetOperationTarget {
  const line = Math.max(0, from - 1);
  return {
    kind: 'range',
    resource,
    side: 'after',
    range: { start: { line, character: 0 }, end: { line: line + lines, character: 0 } },
  };
}
