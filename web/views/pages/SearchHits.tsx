// Search results in transcripts: sessions with the lines that match.
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { SearchHit } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { addressOf, addressOfLine } from '../../state/route.ts';
import type { Search } from '../../state/search.ts';
import { searchTerms } from '../../state/search.ts';
import { nameOf } from '../../text/format.ts';
import { stripEscapes } from '../../text/plainText.ts';
import { Icon } from '../parts/Icon.tsx';

interface HitsProps {
  readonly search: Search;
  readonly text: string;
  /** Sessions that the list above already shows. */
  readonly listed: readonly SessionSummary[];
}

export function SearchHits({ search, text, listed }: HitsProps) {
  const client = useClient();
  if (search.kind === 'none') return null;
  if (search.kind === 'searching') return <p class="note hits-head">Searching…</p>;
  const matches = search.hits.flatMap((hit) => {
    const summary = [...client.sessions.value.values()].find(({ resource }) =>
      resource.endsWith(`/${encodeURIComponent(hit.id)}`),
    );
    return summary && (hit.lines.length > 0 || !listed.includes(summary)) ? [{ hit, summary }] : [];
  });
  const { missing, sessions } = search;
  const progress = missing > 0 ? ` (index ${sessions - missing} of ${sessions})` : '';
  if (matches.length === 0) return <p class="note hits-head">No results in transcripts{progress}</p>;
  return (
    <section class="menu hits" aria-label="In transcripts">
      <p class="menu-head">In transcripts{progress}</p>
      {matches.map(({ hit, summary }) => (
        <a key={hit.id} class="item" href={addressOfHit(hit, summary, text)}>
          <Icon name="comment" />
          <span class="two">
            <Lines hit={hit} text={text} />
            <small class="truncate" dir="auto">
              {summary.title || 'New session'} · {nameOf(summary.workingDirectories?.[0] ?? '')}
            </small>
          </span>
        </a>
      ))}
    </section>
  );
}

/** Leads to the line that has most of the terms. */
function addressOfHit({ lines }: SearchHit, { resource: session }: SessionSummary, text: string): string {
  const terms = searchTerms(text).map((term) => term.toLowerCase());
  const count = (line: string) => terms.filter((term) => line.toLowerCase().includes(term)).length;
  const [line] = lines.toSorted((a, b) => count(b) - count(a));
  return line === undefined ? addressOf({ page: 'session', session }) : addressOfLine({ session, line });
}

const maxLines = 2;
const contextLength = 60;

function Lines({ hit, text }: { readonly hit: SearchHit; readonly text: string }) {
  const terms = searchTerms(text).map((term) => term.toLowerCase());
  return (
    <>
      {hit.lines.slice(0, maxLines).map((line, index) => (
        <span key={index} class="truncate" dir="auto">
          {splitAtTerms(excerpt(stripEscapes(line), terms), terms).map((piece, at) =>
            at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
          )}
        </span>
      ))}
    </>
  );
}

/** The part of the line around its first matching term. */
function excerpt(line: string, terms: readonly string[]): string {
  const lower = line.toLowerCase();
  const positions = terms.map((term) => lower.indexOf(term)).filter((position) => position >= 0);
  const first = Math.min(...positions, line.length);
  const from = Math.max(0, first - contextLength);
  return `${from > 0 ? '…' : ''}${line.slice(from, first + 2 * contextLength)}`;
}

/** Other text and matching terms in turn, beginning with other text. */
function splitAtTerms(line: string, terms: readonly string[]): readonly string[] {
  const pattern = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return line.split(new RegExp(`(${pattern})`, 'i'));
}
