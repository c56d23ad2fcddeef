// The git state of the session's folder, and a commit of the files that the session changed.
import { useEffect, useState } from 'preact/hooks';
import type { GitState } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction, useHostData } from '../../state/hostData.ts';
import { toast } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';
import { pathOf } from '../../text/format.ts';
import { proposeMessage } from './reviewFiles.ts';
import type { ReviewFile } from './reviewFiles.ts';

interface CommitFormProps {
  /** The path of the session's folder. */
  readonly folder: string;
  readonly title: string;
  /** The messages of the chat, as far as they are loaded. */
  readonly said: readonly string[];
  readonly files: readonly ReviewFile[];
}

/** Nothing where the folder is in no repository. */
export function CommitForm({ folder, title, said, files }: CommitFormProps) {
  const { value, reload } = useHostData('git/state', { folder });
  const ids = files.map(({ file }) => file.id).join();
  useEffect(() => void reload(), [ids]);
  if (!value) return null;
  if ('refused' in value) return <p class="commit note">{value.refused}</p>;
  const changed = new Set(value.changed.map((path) => `${value.folder}/${path}`));
  const wanted = files.filter(({ resource }) => changed.has(pathOf(resource)));
  return <Commit state={value} {...{ folder, title, said, wanted }} onDone={() => void reload()} />;
}

interface CommitProps extends Pick<CommitFormProps, 'folder' | 'title' | 'said'> {
  readonly state: GitState;
  readonly wanted: readonly ReviewFile[];
  readonly onDone: () => void;
}

function Commit({ folder, title, said, state, wanted, onDone }: CommitProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const proposed = proposeMessage(
    title,
    wanted.map(({ path }) => path),
    said,
  );
  const [typed, setTyped] = useState<string>();
  const message = typed ?? proposed;
  const commit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const paths = wanted.map(({ resource }) => pathOf(resource));
    const done = await run(async () => {
      const { commit: id } = await client.requestExtension('git/commit', { folder, message, paths });
      toast('info', `Committed ${filesText(paths.length)} as ${id}`);
    });
    if (done) setTyped(undefined);
    onDone();
  };
  const others = state.staged.length - wanted.filter(({ path }) => state.staged.includes(path)).length;
  return (
    <form class="commit" aria-label="Commit" onSubmit={(event) => void commit(event)}>
      <div class="commit-line">
        <Icon name="branch" />
        <span class="truncate">{state.branch ?? 'No branch'}</span>
        <span class="faint nowrap">{distance(state)}</span>
      </div>
      {others > 0 && <p class="note">{filesText(others)} staged by others stay staged.</p>}
      <textarea
        class="input"
        aria-label="Commit message"
        dir="auto"
        value={message}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <div class="row">
        {typed !== undefined && typed !== proposed && (
          <button type="button" class="btn ghost small" onClick={() => setTyped(undefined)}>
            Use the proposed message
          </button>
        )}
        <span class="grow" />
        <button
          type="submit"
          class="btn primary"
          title="Hooks of the repository do not run"
          disabled={busy || wanted.length === 0 || message.trim() === ''}
        >
          {wanted.length === 0 ? 'Nothing to commit' : `Commit ${filesText(wanted.length)}`}
        </button>
      </div>
    </form>
  );
}

function distance({ upstream, ahead = 0, behind = 0 }: GitState): string {
  if (upstream === undefined) return '';
  const parts = [ahead > 0 ? `${ahead} ahead` : '', behind > 0 ? `${behind} behind` : ''].filter(Boolean);
  return parts.length === 0 ? `· level with ${upstream}` : `· ${parts.join(', ')} of ${upstream}`;
}

export function filesText(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
