// Golden files: what goes in is a log, what comes out is the wire. `{"log": event}` adds an entry,
// `{"open": chat}` opens a chat, and the lines after it are everything that is sent. A case that was changed
// on purpose is written anew by GOLDEN=write.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Entry, Event } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import type { EcaMessage } from './message.ts';
import { project } from './entries.ts';
import { opening } from './replay.ts';

const folder = fileURLToPath(new URL('../cases/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

interface Line {
  readonly log?: Event;
  readonly at?: number;
  readonly open?: string;
  readonly wire?: string;
  readonly signal?: string;
}

describe('log in, wire out', () => {
  test('there are cases', () => expect(files.length).toBeGreaterThan(10));

  test.each(files)('%s', (name) => {
    const lines = readFileSync(folder + name, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const told = play(lines.filter((line) => line.log ?? line.open));
    if (process.env['GOLDEN'] === 'write')
      writeFileSync(folder + name, `${told.map((line) => JSON.stringify(line)).join('\n')}\n`);
    expect(told).toEqual(lines);
  });
});

function play(given: readonly Line[]): unknown[] {
  let state: State = emptyState('c');
  return given.flatMap((line, n) => {
    if (line.open !== undefined) return [line, ...opening(state, line.open).map(shown)];
    if (!line.log) return [line];
    const entry: Entry = {
      seq: n + 1,
      pos: n + 1,
      at: line.at ?? 1_000 + n,
      by: { kind: 'host' },
      event: line.log,
    };
    const before = state;
    state = reduce(before, entry);
    return [line, ...project({ entry, before, after: state }).map(shown)];
  });
}

/** A notification as it goes over the wire, or what is left to the client's connection. */
function shown(message: EcaMessage): unknown {
  if (message.kind !== 'notification')
    return { signal: message.kind, root: message.root, ...('ask' in message ? { ask: message.ask } : {}) };
  const { method, params } = JSON.parse(message.text) as { method: string; params: unknown };
  return { wire: method, params };
}
