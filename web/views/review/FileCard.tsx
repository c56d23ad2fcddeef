// One changed file of the review: its head with undo and the reviewed mark, and its hunks.
import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ContentRef } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChangesetOperation } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { ReviewMarks } from './marks.ts';
import { useResource } from '../../state/resources.ts';
import { compare } from '../../text/diff.ts';
import type { Hunk } from '../../text/diff.ts';
import { nameOf } from '../../text/format.ts';
import { Pictures, resourceText } from '../diff/FileEditView.tsx';
import { Icon } from '../parts/Icon.tsx';
import { LineCounts } from '../parts/LineCounts.tsx';
import { PlainText } from '../parts/PlainText.tsx';
import { HunkView, UndoneHunk } from './HunkView.tsx';
import { Operations } from './Operations.tsx';
import { hunkKey } from './reviewFiles.ts';
import type { ReviewFile } from './reviewFiles.ts';

export interface ReviewContext {
  readonly marks: Signal<ReviewMarks>;
  /** The changeset; undefined where the host has none, and so no operations. */
  readonly channel: string | undefined;
  readonly operations: readonly ChangesetOperation[];
  readonly layout: 'side' | 'unified';
  readonly ignoreWhitespace: boolean;
  readonly mayControl: boolean;
  /** Absent where the host keeps no marks. */
  readonly review?: ((file: ReviewFile, reviewed: boolean) => void) | undefined;
  /** What an undo offers afterwards. */
  readonly onUndone: (file: ReviewFile) => void;
}

interface FileCardProps {
  readonly entry: ReviewFile;
  readonly context: ReviewContext;
  readonly open: boolean;
  readonly onToggle: () => void;
}

const badges = { M: undefined, A: 'New', D: 'Deleted' } as const;

export function FileCard({ entry, context, open, onToggle }: FileCardProps) {
  const { path, kind, file, resource } = entry;
  const { added, removed } = file.edit.diff ?? {};
  const name = nameOf(resource);
  const badge = badges[kind];
  return (
    <section class={`filecard ${open ? 'open' : ''}`} id={cardId(path)} aria-label={path} tabIndex={-1}>
      <header class="file-head">
        <button type="button" class="file-fold" aria-expanded={open} onClick={onToggle}>
          <Icon name="chev" kind="chev" />
          <span class="path" dir="ltr" title={path}>
            {path.slice(0, path.length - name.length)}
            <b>{name}</b>
          </span>
          {badge !== undefined && <span class={`badge ${kind === 'A' ? 'ok' : 'bad'}`}>{badge}</span>}
          <LineCounts added={added} removed={removed} />
        </button>
        <span class="end">
          {context.channel !== undefined && (
            <Operations
              channel={context.channel}
              operations={context.operations}
              target={{ kind: 'resource', resource }}
              about={name}
              suffix="file"
              onDone={() => context.onUndone(entry)}
            />
          )}
          {context.review && (
            <label class="check btn ghost small">
              <input
                type="checkbox"
                checked={file.reviewed === true}
                onChange={(event) => context.review?.(entry, event.currentTarget.checked)}
              />
              <span class="desk-only" aria-hidden="true">
                Reviewed
              </span>
              <span class="unseen">{name} reviewed</span>
            </label>
          )}
        </span>
      </header>
      {open && <FileHunks entry={entry} context={context} />}
    </section>
  );
}

/** Paths have characters that an id may not have. */
export function cardId(path: string): string {
  return `file-${encodeURIComponent(path)}`;
}

function FileHunks({ entry, context }: Pick<FileCardProps, 'entry' | 'context'>) {
  const { edit } = entry.file;
  const sides = useTexts([edit.before?.content, edit.after?.content, entry.undone]);
  if (sides.kind === 'problem') return <p class="note">The content cannot be shown: {sides.reason}</p>;
  if (sides.kind === 'loading') return <p class="note">Loading…</p>;
  if (sides.kind === 'bytes') return <Pictures sides={sides.sides} label={entry.path} />;
  const [before = '', after = '', undone] = sides.texts;
  return <TextHunks {...{ entry, context, before, after, undone: entry.undone && undone }} />;
}

interface TextHunksProps extends Pick<FileCardProps, 'entry' | 'context'> {
  readonly before: string;
  readonly after: string;
  readonly undone: string | undefined;
}

function TextHunks({ entry, context, before, after, undone }: TextHunksProps) {
  const { ignoreWhitespace } = context;
  const open = useMemo(() => compare(before, after, { ignoreWhitespace }), [before, after, ignoreWhitespace]);
  const taken = useMemo(() => (undone === undefined ? undefined : compare(after, undone)), [after, undone]);
  if (!open)
    return (
      <>
        <p class="note">The texts are too different to compare. This is the new text.</p>
        <PlainText text={after} label={`${entry.path}, new text`} />
      </>
    );
  const { accepted } = context.marks.value;
  const accept = (hunk: Hunk, isAccepted: boolean): void => {
    const key = hunkKey(entry.path, hunk);
    const others = accepted.filter((each) => each !== key);
    const next = isAccepted ? [...others, key] : others;
    context.marks.value = { ...context.marks.peek(), accepted: next };
    const isAll = open.hunks.every((each) => next.includes(hunkKey(entry.path, each)));
    // A user who has accepted every hunk has reviewed the file.
    if (isAll !== (entry.file.reviewed === true)) context.review?.(entry, isAll);
  };
  return (
    <>
      {open.hunks.length === 0 && (
        <p class="note">{ignoreWhitespace ? 'No difference but whitespace' : 'No difference'}</p>
      )}
      {open.hunks.map((hunk) => (
        <HunkView
          key={hunk.header}
          hunk={hunk}
          entry={entry}
          context={context}
          accepted={entry.file.reviewed === true || accepted.includes(hunkKey(entry.path, hunk))}
          onAccept={(isAccepted) => accept(hunk, isAccepted)}
        />
      ))}
      {taken?.hunks.map((hunk) => (
        <UndoneHunk key={`undone ${hunk.header}`} hunk={hunk} entry={entry} context={context} />
      ))}
    </>
  );
}

type Texts =
  | { readonly kind: 'loading' }
  | { readonly kind: 'problem'; readonly reason: string }
  | { readonly kind: 'bytes'; readonly sides: readonly ReturnType<typeof useResource>[] }
  | { readonly kind: 'texts'; readonly texts: readonly string[] };

/** The texts of three contents; an absent one is empty. */
function useTexts([first, second, third]: readonly (ContentRef | undefined)[]): Texts {
  const resources = [
    [first, useResource(first)],
    [second, useResource(second)],
    [third, useResource(third)],
  ] as const;
  const sides = resources.flatMap(([ref, resource]) => (ref ? [resource] : []));
  const problem = sides.find((side) => side.kind === 'problem');
  if (problem?.kind === 'problem') return problem;
  if (sides.some(({ kind }) => kind === 'loading')) return { kind: 'loading' };
  if (sides.some(({ kind }) => kind === 'bytes')) return { kind: 'bytes', sides };
  return { kind: 'texts', texts: resources.map(([ref, resource]) => (ref ? resourceText(resource) : '')) };
}
