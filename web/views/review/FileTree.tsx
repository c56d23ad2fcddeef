// The changed files as a tree of folders: kind, comments, line counts and whether they are reviewed.
import { LineCounts } from '../parts/LineCounts.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { ReviewFile, TreeFolder } from './reviewFiles.ts';

interface FileTreeProps {
  readonly tree: TreeFolder;
  readonly comments: ReadonlyMap<string, number>;
  readonly onOpen: (path: string) => void;
}

export function FileTree({ tree, comments, onOpen }: FileTreeProps) {
  return (
    <ul>
      {tree.folders.map((folder) => (
        <li key={folder.name}>
          <details open>
            <summary>
              <Icon name="chev" kind="chev" />
              <Icon name="folder" />
              <span class="truncate" dir="ltr">
                {folder.name}
              </span>
            </summary>
            <FileTree tree={folder} comments={comments} onOpen={onOpen} />
          </details>
        </li>
      ))}
      {tree.files.map((entry) => (
        <li key={entry.path}>
          <FileRow entry={entry} comments={comments.get(entry.path) ?? 0} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  );
}

const kindNames = { M: 'Modified', A: 'Added', D: 'Deleted' } as const;

interface FileRowProps {
  readonly entry: ReviewFile;
  readonly comments: number;
  readonly onOpen: (path: string) => void;
}

function FileRow({ entry: { path, kind, file }, comments, onOpen }: FileRowProps) {
  const { added, removed } = file.edit.diff ?? {};
  const reviewed = file.reviewed === true;
  return (
    <button
      type="button"
      class={`tree-file ${reviewed ? 'seen' : ''}`}
      title={path}
      onClick={() => onOpen(path)}
    >
      <span class={`kind ${kind}`} title={kindNames[kind]} aria-label={kindNames[kind]} role="img">
        {kind}
      </span>
      <span class="nm truncate" dir="ltr">
        {path.slice(path.lastIndexOf('/') + 1)}
      </span>
      <span class="end">
        {comments > 0 && (
          <span class="badge">
            <Icon name="comment" kind="tickmark" />
            {comments}
            <span class="unseen"> comments</span>
          </span>
        )}
        <LineCounts added={added} removed={removed} />
        {reviewed && (
          <>
            <Icon name="check" kind="tickmark" />
            <span class="unseen">Reviewed</span>
          </>
        )}
      </span>
    </button>
  );
}
