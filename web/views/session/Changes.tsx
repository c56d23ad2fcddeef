// The files that a session changed: as the host sums them up, otherwise as its tool calls tell.
import { useMemo } from 'preact/hooks';
import type { ChangesetOperationTarget } from '../../../src/protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type {
  Changeset,
  ChangesetOperation,
  ChatState,
  SessionState,
} from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { act } from '../../state/chat.ts';
import { useMay } from '../../state/role.ts';
import type { Hunk } from '../../text/diff.ts';
import { nameOf } from '../../text/words.ts';
import { FileEditView } from '../diff/FileEditView.tsx';
import { editsIn } from './editsIn.ts';
import { Operations } from './Operations.tsx';

interface ChangesProps {
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
}

export function Changes({ state, chat }: ChangesProps) {
  // A template with places to fill in is about one turn or file, not about the whole.
  const sets = [...(chat.state.value?.changesets ?? []), ...(state.changesets ?? [])].filter(
    ({ uriTemplate }) => !uriTemplate.includes('{'),
  );
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
  const mayControl = useMay('control');
  const state = channel.state.value;
  const reviews = set.capabilities?.review !== undefined && mayControl;
  const operations = mayControl ? (state?.operations ?? []) : [];
  return (
    <section class="changes" aria-label={set.label}>
      <h3>{set.label}</h3>
      {set.description !== undefined && <p class="hint">{set.description}</p>}
      {!state && <p class="hint">Loading…</p>}
      {state?.error && <p class="problem">{state.error.message}</p>}
      {state?.status !== 'computing' && state?.files.length === 0 && (
        <p class="hint">No file has been changed.</p>
      )}
      {state?.files.map(({ id, edit, reviewed = false }) => {
        const resource = edit.after?.uri ?? edit.before?.uri ?? '';
        return (
          <div key={id} class="changed-file">
            <FileEditView
              edit={edit}
              aside={(hunk) => (
                <Operations
                  channel={set.uriTemplate}
                  operations={operations}
                  target={rangeOf(resource, hunk)}
                  about={`${nameOf(resource)}, ${hunk.header}`}
                />
              )}
            />
            <Operations
              channel={set.uriTemplate}
              operations={operations}
              target={{ kind: 'resource', resource }}
              about={nameOf(resource)}
            />
            {reviews && (
              <label class="choice">
                <input
                  type="checkbox"
                  checked={reviewed}
                  onChange={(event) =>
                    void act(client, channel, {
                      type: 'changeset/filesReviewChanged',
                      files: [id],
                      reviewed: event.currentTarget.checked,
                    })
                  }
                />
                <span>Reviewed</span>
              </label>
            )}
          </div>
        );
      })}
      <Operations
        channel={set.uriTemplate}
        operations={forAll(operations, state?.files.length ?? 0)}
        about={set.label}
      />
    </section>
  );
}

/** What can be done with one file is called otherwise where it is done with all, and is one thing too many where there is only one. */
function forAll(operations: readonly ChangesetOperation[], files: number): readonly ChangesetOperation[] {
  return operations.flatMap((operation) => {
    if (!operation.scopes.includes('resource')) return [operation];
    return files > 1 ? [{ ...operation, label: `${operation.label} all` }] : [];
  });
}

/** Lines of the new text, from the first letter of the first to the first letter after the last. */
function rangeOf(resource: URI, { after: { from, lines } }: Hunk): ChangesetOperationTarget {
  const line = Math.max(0, from - 1);
  return {
    kind: 'range',
    resource,
    side: 'after',
    range: { start: { line, character: 0 }, end: { line: line + lines, character: 0 } },
  };
}
