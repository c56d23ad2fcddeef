// How far the review of a session has come in this browser: which hunks are accepted, and the comments that
// are not sent yet. Whole files are marked on the host, for everyone.
import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isRecord } from '../../../src/base/isRecord.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';

export interface LineComment {
  readonly path: string;
  readonly line: number;
  readonly side: 'before' | 'after';
  /** The line itself. */
  readonly quote: string;
  readonly text: string;
}

export interface ReviewMarks {
  /** The keys of accepted hunks. */
  readonly accepted: readonly string[];
  readonly comments: readonly LineComment[];
}

export function useMarks(session: URI): Signal<ReviewMarks> {
  const key = `parley.review.${session}`;
  const marks = useMemo(() => signal(readMarks(localStorage.getItem(key))), [key]);
  useEffect(
    () =>
      effect(() => {
        const { accepted, comments } = marks.value;
        if (accepted.length + comments.length === 0) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(marks.value));
      }),
    [marks],
  );
  return marks;
}

function readMarks(stored: string | null): ReviewMarks {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    if (!isRecord(value)) return none;
    const { accepted, comments } = value;
    return {
      accepted: Array.isArray(accepted) ? accepted.filter((each) => typeof each === 'string') : [],
      comments: Array.isArray(comments) ? comments.filter(isComment) : [],
    };
  } catch {
    return none;
  }
}

const none: ReviewMarks = { accepted: [], comments: [] };

function isComment(value: unknown): value is LineComment {
  return (
    isRecord(value) &&
    typeof value['path'] === 'string' &&
    typeof value['line'] === 'number' &&
    (value['side'] === 'before' || value['side'] === 'after') &&
    typeof value['quote'] === 'string' &&
    typeof value['text'] === 'string'
  );
}

export function isAt(comment: LineComment, place: Pick<LineComment, 'path' | 'line' | 'side'>): boolean {
  return comment.path === place.path && comment.line === place.line && comment.side === place.side;
}

/** All comments as one message to the agent. */
export function commentsText(comments: readonly LineComment[]): string {
  const parts = comments.map(({ path, line, side, quote, text }) => {
    const removed = side === 'before' ? ' (of the text before)' : '';
    return `${path}, line ${line}${removed}:\n> ${quote.trim()}\n\n${text.trim()}`;
  });
  return `I have looked at your changes and have these comments:\n\n${parts.join('\n\n')}`;
}

/** Which layout the diffs of the review have, remembered by this browser. */
export const diffLayout = signal<'side' | 'unified'>('side');

const layoutKey = 'parley.diffLayout';

export function rememberLayout(): void {
  if (localStorage.getItem(layoutKey) === 'unified') diffLayout.value = 'unified';
  effect(() => localStorage.setItem(layoutKey, diffLayout.value));
}
