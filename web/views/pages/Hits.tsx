// The sessions in which something was said, with the lines that say it.
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Hit } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { addressOf } from '../../state/route.ts';
import type { Search } from '../../state/search.ts';
import { wordsOf } from '../../state/search.ts';
import { withoutEscapes } from '../../text/plain.ts';

interface HitsProps {
  readonly search: Search;
  readonly text: string;
  /** Sessions that are listed by their names already. */
  readonly known: readonly SessionSummary[];
}

export function Hits({ search, text, known }: HitsProps) {
  const client = useClient();
  if (search.kind === 'none') return null;
  if (search.kind === 'searching') return <p class="hint hits-head">Searching…</p>;
  const found = search.hits.flatMap((hit) => {
    const summary = [...client.sessions.value.values()].find(({ resource }) =>
      resource.endsWith(`/${encodeURIComponent(hit.id)}`),
    );
    return summary && (hit.lines.length > 0 || !known.includes(summary)) ? [{ hit, summary }] : [];
  });
  if (found.length === 0) return <p class="hint hits-head">Nobody said so.</p>;
  return (
    <>
      <h2 class="hits-head">In what was said</h2>
      <ul class="hits">
        {found.map(({ hit, summary }) => (
          <li key={hit.id} class="session-row">
            <a href={addressOf({ page: 'session', session: summary.resource })}>
              <span class="row-title hit-title">{summary.title || 'New session'}</span>
              <Lines hit={hit} text={text} />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

const linesShown = 2;
const around = 60;

function Lines({ hit, text }: { readonly hit: Hit; readonly text: string }) {
  const words = wordsOf(text).map((word) => word.toLowerCase());
  return (
    <>
      {hit.lines.slice(0, linesShown).map((line, index) => (
        <span key={index} class="hit-line">
          {marked(near(withoutEscapes(line), words), words).map((piece, at) =>
            at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
          )}
        </span>
      ))}
    </>
  );
}

/** The part of a line in which the first of the words stands. */
function near(line: string, words: readonly string[]): string {
  const lower = line.toLowerCase();
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0), line.length);
  const from = Math.max(0, at - around);
  return `${from > 0 ? '…' : ''}${line.slice(from, at + 2 * around)}`;
}

/** Text and words in turn, beginning with text. */
function marked(line: string, words: readonly string[]): readonly string[] {
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return line.split(new RegExp(`(${pattern})`, 'i'));
}
