// The palette: searches sessions by title, what was said in them, files, commands and settings. Opened by
// Ctrl+K.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { paletteOpen } from '../../state/palette.ts';
import { addressOf } from '../../state/route.ts';
import { useSearch } from '../../state/search.ts';
import { isArchived, nameOf, statusKindOf, statusLabels } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { FullMark, StatusMark } from '../parts/StatusMark.tsx';
import { newestFirst } from '../pages/sessionGroups.ts';
import { SearchHits } from '../pages/SearchHits.tsx';
import { useCommands, useFiles } from './paletteCommands.ts';
import type { Command } from './paletteCommands.ts';
import { useDialog } from './useDialog.ts';

export function Palette() {
  const { box, onClose } = useDialog(paletteOpen);
  return (
    <dialog
      ref={box}
      class="palette"
      aria-label="Palette"
      onClose={onClose}
      onClick={(event) => {
        // A click on the backdrop is a click on the dialog itself; a click on a result closes, too.
        const { target } = event;
        if (target === box.current || (target instanceof Element && target.closest('.item')))
          paletteOpen.value = false;
      }}
    >
      {paletteOpen.value && <Content />}
    </dialog>
  );
}

function Content() {
  const [text, setText] = useState('');
  const results = useRef<HTMLDivElement>(null);
  const openFirst = useFirstResult(results, text);
  const press = (event: KeyboardEvent): void => {
    const step = steps.get(event.key);
    if (step !== undefined) {
      event.preventDefault();
      move(results.current, step);
    }
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      openFirst(event.target.value);
    }
  };
  return (
    <div onKeyDown={press}>
      <div class="ask-line">
        <Icon name="search" />
        <input
          ref={(element) => element?.focus()}
          type="text"
          role="searchbox"
          class="search-field"
          aria-label="Search sessions"
          placeholder="Search sessions, files, commands"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <kbd>Esc</kbd>
      </div>
      <div ref={results} class="results">
        <Results text={text.trim()} />
      </div>
      <footer>
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd>move
        </span>
        <span>
          <kbd>Enter</kbd>open
        </span>
      </footer>
    </div>
  );
}

/** Opens the first result of what was typed, as soon as it is drawn: a fast typist is ahead of the list. */
function useFirstResult(results: RefObject<HTMLElement | null>, drawn: string): (typed: string) => void {
  const waiting = useRef(false);
  const open = () => results.current?.querySelector<HTMLElement>('.item')?.click();
  useLayoutEffect(() => {
    if (waiting.current) open();
    waiting.current = false;
  }, [drawn]);
  return (typed) => {
    if (typed === drawn) open();
    else waiting.current = true;
  };
}

const steps: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
]);

function move(box: HTMLElement | null, step: number): void {
  const all = [...(box?.querySelectorAll<HTMLElement>('.item') ?? [])];
  const at = all.findIndex((item) => item === document.activeElement);
  const next = at < 0 && step > 0 ? 0 : at + step;
  if (next < 0) box?.parentElement?.querySelector('input')?.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
}

const maxSessions = 8;

function Results({ text }: { readonly text: string }) {
  const client = useClient();
  const search = useSearch(text);
  const words = text.toLowerCase().split(/\s+/);
  const has = (haystack: string) => words.every((word) => haystack.toLowerCase().includes(word));
  const sessions = newestFirst([...client.sessions.value.values()])
    .filter(({ title, provider, status, workingDirectories = [] }) =>
      has(
        [title || 'New session', provider, statusLabels[statusKindOf(status)], ...workingDirectories].join(
          ' ',
        ),
      ),
    )
    .slice(0, maxSessions);
  const commands = useCommands().filter(({ label }) => has(label));
  const files = useFiles(text);
  return (
    <>
      <p class="unseen" role="status">
        {text === '' ? '' : `${sessions.length} sessions, ${commands.length} commands, ${files.length} files`}
      </p>
      <Section title="Sessions" shown={sessions.length > 0}>
        {sessions.map((summary) => (
          <SessionResult key={summary.resource} summary={summary} />
        ))}
      </Section>
      {text !== '' && <SearchHits search={search} text={text} listed={sessions} />}
      <Commands title="Files to mention" commands={files} />
      <Commands title="Commands" commands={commands} />
      {text !== '' && sessions.length + commands.length + files.length === 0 && search.kind === 'none' && (
        <p class="empty">Nothing found</p>
      )}
    </>
  );
}

function SessionResult({ summary }: { readonly summary: SessionSummary }) {
  const { resource, title, status, workingDirectories = [] } = summary;
  return (
    <a class="item" href={addressOf({ page: 'session', session: resource })}>
      <StatusMark status={status} />
      <span class="truncate" dir="auto">
        {title || 'New session'}
      </span>
      <FullMark summary={summary} />
      <span class="end folder-name">
        {nameOf(workingDirectories[0] ?? '')}
        {isArchived(status) && ' · archived'}
      </span>
    </a>
  );
}

interface CommandsProps {
  readonly title: string;
  readonly commands: readonly Command[];
}

function Commands({ title, commands }: CommandsProps) {
  return (
    <Section title={title} shown={commands.length > 0}>
      {commands.map(({ label, icon, keys, run }) => (
        <button key={label} type="button" class="item" onClick={run}>
          <Icon name={icon} />
          <span class="truncate" dir="auto">
            {label}
          </span>
          {keys !== undefined && <span class="end desk-only">{keys}</span>}
        </button>
      ))}
    </Section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly shown: boolean;
  readonly children: ComponentChildren;
}

function Section({ title, shown, children }: SectionProps) {
  if (!shown) return null;
  return (
    <section class="menu" aria-label={title}>
      <p class="menu-head">{title}</p>
      {children}
    </section>
  );
}
