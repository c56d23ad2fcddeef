// The files of a review: the tree with totals and filter, the toolbar, a card for each file, the comments.
import { useEffect, useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type {
  ChangesetFile,
  ChangesetOperation,
  ChatState,
  SessionState,
} from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useClient } from '../../state/app.ts';
import { diffLayout, useMarks } from './marks.ts';
import { useHasRole } from '../../state/role.ts';
import { goTo } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { errorText } from '../../../src/base/errorText.ts';
import { nameOf, pathOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { LineCounts } from '../parts/LineCounts.tsx';
import { CommentBar } from './Comments.tsx';
import { CommitForm, filesText } from './CommitForm.tsx';
import { cardId, FileCard } from './FileCard.tsx';
import type { ReviewContext } from './FileCard.tsx';
import { FileTree } from './FileTree.tsx';
import { redoId } from './HunkView.tsx';
import { Operations } from './Operations.tsx';
import { inOrder, pathIn, reviewFile, treeOf } from './reviewFiles.ts';
import type { ReviewFile } from './reviewFiles.ts';
import { useReviewKeys } from './useReviewKeys.ts';
import { useWide } from './useWide.ts';

export interface ReviewFilesProps {
  readonly session: URI;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
  readonly files: readonly ChangesetFile[];
  /** The changeset; undefined where the host has none. */
  readonly channel: URI | undefined;
  readonly operations: readonly ChangesetOperation[];
  readonly setReviewed: ((files: readonly ChangesetFile[], reviewed: boolean) => void) | undefined;
  readonly note: string | undefined;
}

export function ReviewFiles(props: ReviewFilesProps) {
  const { session, state, chat, operations } = props;
  const client = useClient();
  const mayControl = useHasRole('control');
  const folder = state.workingDirectories?.[0];
  const [filter, setFilter] = useState('');
  const root = folder && pathOf(folder);
  const all = props.files.map((file) => reviewFile(file, root));
  const [ignoreWhitespace, setIgnoreWhitespace] = useState(false);
  const shown = all.filter(({ path }) => path.toLowerCase().includes(filter.trim().toLowerCase()));
  const folds = useFolds(shown);
  const context = { ...useReviewContext(props, mayControl), ignoreWhitespace };
  const tree = treeOf(shown);
  useReviewKeys();
  return (
    <div class="review">
      <div class="tree-col">
        <TreeTop files={all} filter={filter} onFilter={setFilter} />
        <nav class="tree" id={treeId} popover="auto" aria-label="Changed files">
          <FileTree tree={tree} comments={commentCounts(context)} onOpen={(path) => folds.show(path)} />
        </nav>
        {mayControl && folder !== undefined && all.length > 0 && (
          <CommitForm
            folder={pathOf(folder)}
            title={state.title}
            said={(props.chat.state.value?.turns ?? []).map(({ message }) => message.text)}
            files={all}
          />
        )}
      </div>
      <div class="diff-col" tabIndex={0} role="region" aria-label="Diffs">
        <Toolbar {...{ props, context, shown, folds }} onIgnoreWhitespace={setIgnoreWhitespace} />
        {props.note !== undefined && <p class="note">{props.note}</p>}
        {inOrder(tree).map((entry) => (
          <FileCard
            key={entry.resource}
            entry={entry}
            context={context}
            open={folds.isOpen(entry)}
            onToggle={() => folds.toggle(entry)}
          />
        ))}
        {context.channel !== undefined && (
          <UndoneFiles channel={context.channel} {...{ operations, all, root }} />
        )}
        {mayControl && (
          <CommentBar
            marks={context.marks}
            target={{ client, channel: chat }}
            onSent={() => goTo({ page: 'session', session, chat: chat.uri })}
          />
        )}
      </div>
    </div>
  );
}

const treeId = 'changed-files';

function useReviewContext(
  { session, channel, operations, setReviewed }: ReviewFilesProps,
  mayControl: boolean,
): Omit<ReviewContext, 'ignoreWhitespace'> {
  const client = useClient();
  const wide = useWide();
  const marks = useMarks(session);
  const redo = async (operationId: string): Promise<void> => {
    if (channel === undefined) return;
    try {
      await client.request('invokeChangesetOperation', { channel, operationId });
    } catch (error) {
      toast('problem', errorText(error));
    }
  };
  return {
    marks,
    channel,
    operations,
    layout: wide ? diffLayout.value : 'unified',
    mayControl,
    review: setReviewed && ((entry, reviewed) => setReviewed([entry.file], reviewed)),
    onUndone: ({ resource }) => {
      const run = () => void redo(redoId(resource));
      toast('info', `Undone in ${nameOf(resource)}`, { label: 'Redo', run });
    },
  };
}

function commentCounts({ marks }: ReviewContext): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of marks.value.comments) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

interface Folds {
  readonly isOpen: (entry: ReviewFile) => boolean;
  readonly toggle: (entry: ReviewFile) => void;
  readonly setAll: (open: boolean) => void;
  /** Opens the card of a file and moves to it. */
  readonly show: (path: string) => void;
}

/** With more files than this the rest is folded at first: their texts are fetched when they are opened. */
const openAtFirst = 15;

/** Reviewed files are folded, until somebody opens them. */
function useFolds(files: readonly ReviewFile[]): Folds {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [target, setTarget] = useState<{ readonly path: string }>();
  const first = new Set(files.slice(0, openAtFirst).map(({ path }) => path));
  const isOpen = ({ path, file }: ReviewFile) =>
    chosen.get(path) ?? (first.has(path) && file.reviewed !== true);
  const set = (path: string, open: boolean) => setChosen(new Map([...chosen, [path, open]]));
  useEffect(() => {
    if (!target) return;
    const card = document.getElementById(cardId(target.path));
    card?.scrollIntoView({ block: 'start' });
    card?.focus({ preventScroll: true });
  }, [target]);
  return {
    isOpen,
    toggle: (entry) => set(entry.path, !isOpen(entry)),
    setAll: (open) => setChosen(new Map(files.map(({ path }) => [path, open]))),
    show: (path) => {
      set(path, true);
      setTarget({ path });
      const tree = document.getElementById(treeId);
      if (tree?.matches(':popover-open')) tree.hidePopover();
    },
  };
}

interface TreeTopProps {
  readonly files: readonly ReviewFile[];
  readonly filter: string;
  readonly onFilter: (text: string) => void;
}

function TreeTop({ files, filter, onFilter }: TreeTopProps) {
  const sum = (key: 'added' | 'removed') =>
    files.reduce((total, { file }) => total + (file.edit.diff?.[key] ?? 0), 0);
  const reviewed = files.filter(({ file }) => file.reviewed === true).length;
  const progress = `${reviewed} of ${files.length} reviewed`;
  return (
    <div class="tree-top">
      <div class="row">
        <b class="nowrap">{filesText(files.length)}</b>
        <LineCounts added={sum('added')} removed={sum('removed')} />
        <span class="grow" />
        {files.length > 0 && <span class="faint nowrap small-text">{progress}</span>}
      </div>
      <button type="button" class="btn phone-only" popovertarget={treeId}>
        <Icon name="folder" />
        Files
      </button>
      <progress class="bar" max={Math.max(1, files.length)} value={reviewed} aria-label={progress} />
      <span class="with-icon">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          aria-label="Filter files"
          placeholder="Filter files"
          value={filter}
          onInput={(event) => onFilter(event.currentTarget.value)}
        />
      </span>
    </div>
  );
}

interface ToolbarProps {
  readonly props: ReviewFilesProps;
  readonly context: ReviewContext;
  readonly shown: readonly ReviewFile[];
  readonly folds: Folds;
  readonly onIgnoreWhitespace: (ignore: boolean) => void;
}

function Toolbar({ props, context, shown, folds, onIgnoreWhitespace }: ToolbarProps) {
  const { setReviewed } = props;
  const anyOpen = shown.some((entry) => folds.isOpen(entry));
  const open = shown.filter(({ file }) => file.reviewed !== true);
  return (
    <div class="toolbar">
      <LayoutChoice />
      <label class="check muted small-text">
        <input
          type="checkbox"
          checked={context.ignoreWhitespace}
          onChange={(event) => onIgnoreWhitespace(event.currentTarget.checked)}
        />
        Ignore whitespace
      </label>
      <span class="grow" />
      {shown.length > 0 && (
        <button type="button" class="btn ghost small" onClick={() => folds.setAll(!anyOpen)}>
          {anyOpen ? 'Collapse all' : 'Expand all'}
        </button>
      )}
      {context.channel !== undefined && (
        <Operations
          channel={context.channel}
          operations={allFilesOperations(context.operations, props.files.length)}
          about="all files"
        />
      )}
      {setReviewed && open.length > 0 && (
        <button
          type="button"
          class="btn small"
          onClick={() =>
            setReviewed(
              open.map(({ file }) => file),
              true,
            )
          }
        >
          <Icon name="check" />
          Accept all
        </button>
      )}
    </div>
  );
}

/** Side by side needs a wide window; the choice is not offered below that. */
function LayoutChoice() {
  if (!useWide()) return null;
  const option = (layout: 'side' | 'unified', label: string) => (
    <label>
      <input
        type="radio"
        name="layout"
        checked={diffLayout.value === layout}
        onChange={() => (diffLayout.value = layout)}
      />
      <Icon name={layout === 'side' ? 'columns' : 'menu'} />
      {label}
    </label>
  );
  return (
    <div class="segment small fit" role="group" aria-label="Layout">
      {option('side', 'Side by side')}
      {option('unified', 'Unified')}
    </div>
  );
}

/**
 * The operations on all files. One that also works on single files is labelled "all", and is
 * left out for one file; redoing single files has a place of its own.
 */
function allFilesOperations(
  operations: readonly ChangesetOperation[],
  files: number,
): readonly ChangesetOperation[] {
  const undone = operations.filter(({ id }) => id.startsWith('redo:')).length;
  return operations
    .filter(({ id }) => !id.startsWith('redo:') && (id !== 'redo' || undone > 1))
    .flatMap((operation) => {
      if (operation.id === 'redo') return [{ ...operation, label: 'Redo all' }];
      if (!operation.scopes.includes('resource')) return [operation];
      return files > 1 ? [{ ...operation, label: `${operation.label} all` }] : [];
    });
}

interface UndoneFilesProps {
  readonly channel: URI;
  readonly operations: readonly ChangesetOperation[];
  readonly all: readonly ReviewFile[];
  /** The folder of the session. */
  readonly root: string | undefined;
}

/** Files of which every change was undone, and which therefore are not in the list. */
function UndoneFiles({ channel, operations, all, root }: UndoneFilesProps) {
  const listed = new Set(all.map(({ resource }) => redoId(resource)));
  const undone = operations.filter(({ id }) => id.startsWith('redo:') && !listed.has(id));
  if (undone.length === 0) return null;
  return (
    <section class="undone-files" aria-labelledby="undone-title">
      <h2 id="undone-title">Undone</h2>
      <ul class="items">
        {undone.map((operation) => {
          const path = operation.id.slice('redo:'.length);
          return (
            <li key={operation.id} class="undone-file" aria-label={nameOf(path)}>
              <span class="path truncate" dir="ltr" title={path}>
                {pathIn(root, path)}
              </span>
              <Operations channel={channel} operations={[{ ...operation, label: 'Redo' }]} about={path} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
