import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../../../test/kit/acpSchema.ts';
import type { Message } from '../../../../test/kit/acpSchema.ts';
import { AcpView } from '../../../../test/kit/acpView.ts';
import { logs, sessionId } from '../../../../test/kit/logs.ts';
import type { RandomLog } from '../../../../test/kit/logs.ts';
import { format1Logs } from '../../../../test/kit/released.ts';
import { lawRuns, storedLogs } from '../../../../test/kit/storedLogs.ts';
import type { Entry, Event, Origin } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { Chat, State } from '../../../model/state.ts';
import { project } from './entries.ts';
import type { AcpUpdate } from './entries.ts';
import { replayEntries } from './replay.ts';

const stored = await storedLogs(logs());

const cases = new URL('../cases/', import.meta.url);

/**
 * A line is an event that happened (`in`, all of them the agent's unless `by` says otherwise), or what it
 * means to clients (`out`).
 */
type Line = { readonly in: Event; readonly by?: Origin } | { readonly out: object };

describe('cases: log in, wire out', () => {
  test.each(readdirSync(cases))('%s', (name) => {
    const lines = readFileSync(new URL(name, cases), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    let state = emptyState('s');
    const actual = lines.flatMap((line): readonly Line[] => {
      if ('out' in line) return [];
      const seq = state.seq + 1;
      const entry: Entry = {
        seq,
        pos: seq,
        at: seq * 1000,
        by: line.by ?? { kind: 'agent', agent: 'script' },
        event: line.in,
      };
      const before = state;
      state = reduce(before, entry);
      return [line, ...project({ entry, before, after: state }).map((update) => ({ out: wire(update) }))];
    });
    expect(JSON.parse(JSON.stringify(actual))).toEqual(lines);
    expect(lines.flatMap((line) => ('out' in line ? validity(line.out) : []))).toEqual([]);
  });
});

/** The message a client gets; what differs from client to client is named by its kind. */
function wire(update: AcpUpdate): object {
  if (update.kind === 'update')
    return { method: 'session/update', params: { sessionId: update.chat, update: update.update } };
  if (update.kind === 'ask') return { method: 'session/request_permission', params: update.request };
  return update.kind === 'settings' ? { kind: 'settings', chat: update.chat } : update;
}

function validity(message: Message & { readonly kind?: string }): readonly string[] {
  if (message.method === undefined) return [];
  const id = message.method === 'session/update' ? {} : { id: 1 };
  return problemsOf({ jsonrpc: '2.0', ...message, ...id }, message.method);
}

describe('laws, on random logs', () => {
  const runs = { numRuns: lawRuns(1000) };

  test('prefix: the replay at k and what comes live after k show what the replay at n shows', () => {
    fc.assert(
      fc.property(stored, fc.nat(), fc.constantFrom(sessionId, 'chat-2'), (log, cut, wanted) => {
        const k = 2 + (cut % (log.states.length - 2));
        const chat = log.states[k]?.chats[wanted] && log.states.at(-1)?.chats[wanted] ? wanted : sessionId;
        const client = viewOf(replayOf(log, k, chat));
        for (const update of liveAfter(log, k, chat)) client.take(update);
        client.forget(droppedTurns(log, chat));
        expect(client.shown()).toEqual(viewOf(replayOf(log, log.entries.length, chat)).shown());
      }),
      runs,
    );
  });

  test.each(format1Logs.map(({ name, entries }) => [name, entries] as const))(
    'prefix, also for a log of format 1: %s',
    (_, entries) => {
      const states = entries.reduce<readonly State[]>(
        (all, entry) => [...all, reduce(all.at(-1) as State, entry)],
        [emptyState(sessionId)],
      );
      const log: RandomLog = { entries, states };
      for (const chat of states.at(-1)?.order ?? []) {
        for (let k = states.findIndex(({ chats }) => chats[chat]); k < states.length; k += 1) {
          const client = viewOf(replayOf(log, k, chat));
          for (const update of liveAfter(log, k, chat)) client.take(update);
          client.forget(droppedTurns(log, chat));
          expect(client.shown()).toEqual(viewOf(replayOf(log, entries.length, chat)).shown());
        }
      }
    },
  );

  test('everything is valid, and belongs to a chat of the log', () => {
    fc.assert(
      fc.property(stored, (log) => {
        for (const update of log.entries.flatMap((_, i) => stepAt(log, i))) {
          expect([sessionId, 'chat-2', 'chat-3']).toContain(update.chat);
          expect(validity(wire(update))).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a tool call is told before anything is said of it, and every question is taken back or answered once', () => {
    fc.assert(
      fc.property(stored, (log) => {
        const calls = new Set<string>();
        const untold: string[] = [];
        const asks = new Set<string>();
        for (const update of log.entries.flatMap((_, i) => stepAt(log, i))) {
          if (update.kind === 'update' && update.update.sessionUpdate === 'tool_call')
            calls.add(update.update.toolCallId);
          if (
            update.kind === 'update' &&
            update.update.sessionUpdate === 'tool_call_update' &&
            !calls.has(update.update.toolCallId)
          )
            untold.push(update.update.toolCallId);
          if (update.kind === 'ask') asks.add(update.ask);
          if (update.kind === 'answered') asks.delete(update.ask);
        }
        const open = Object.values(log.states.at(-1)?.chats ?? {}).flatMap((chat) =>
          Object.values(chat.asks).flatMap(({ ask }) => (ask.kind === 'approval' ? [ask.id] : [])),
        );
        expect(untold).toEqual([]);
        expect([...asks].toSorted()).toEqual(open.toSorted());
      }),
      runs,
    );
  });
});

test('a piece of a stream is shown without a look at the turns before', () => {
  const event: Event = { kind: 'text.added', chat: 's', turn: 't', item: 'i', channel: 'answer', text: 'x' };
  const chat = new Proxy({} as Chat, {
    get: (_, key) => {
      throw new Error(`looked at ${String(key)}`);
    },
  });
  const state = { ...emptyState('s'), chats: { s: chat } };
  const entry: Entry = { seq: 1, pos: 1, at: 1, by: { kind: 'host' }, event };
  expect(project({ entry, before: state, after: state }).length).toBe(1);
});

test('what is shown of a long output is bounded', () => {
  const events: readonly Event[] = [
    { kind: 'session.created', session: 's', agent: 'script', roots: [] },
    { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
    { kind: 'turn.started', chat: 's', turn: 't', message: { id: 'm', text: 'x' }, queued: false },
    {
      kind: 'tool.started',
      chat: 's',
      turn: 't',
      tool: 'c',
      name: 'shell_command',
      title: 'Run',
      toolKind: 'execute',
      source: 'native',
    },
    ...Array.from({ length: 100 }, (): Event => ({
      kind: 'tool.output',
      chat: 's',
      turn: 't',
      tool: 'c',
      output: { append: 'line of output\n'.repeat(100) },
    })),
  ];
  let state = emptyState('s');
  const sizes = events.map((event, i) => {
    const entry: Entry = { seq: i + 1, pos: i + 1, at: 0, by: { kind: 'host' }, event };
    const before = state;
    state = reduce(before, entry);
    return JSON.stringify(project({ entry, before, after: state })).length;
  });
  expect(Math.max(...sizes)).toBeLessThan(20_000);
});

function stepAt({ entries, states }: RandomLog, i: number): readonly AcpUpdate[] {
  return project({ entry: entries[i] as Entry, before: states[i] as State, after: states[i + 1] as State });
}

function liveAfter(log: RandomLog, k: number, chat: string): readonly AcpUpdate[] {
  return log.entries
    .slice(k)
    .flatMap((_, i) => stepAt(log, k + i))
    .filter((update) => update.chat === chat);
}

function replayOf({ entries, states }: RandomLog, k: number, chat: string): readonly AcpUpdate[] {
  return [
    ...replayEntries({
      entries: entries.slice(0, k),
      from: emptyState(sessionId),
      project,
      upTo: states[k] as State,
      chat,
    }),
  ];
}

function viewOf(updates: readonly AcpUpdate[]): AcpView {
  const view = new AcpView();
  for (const update of updates) if (update.kind === 'update') view.take(update);
  return view;
}

/**
 * ACP v1 cannot take back what it has shown, so a client that was there when turns were
 * dropped still shows them.
 */
function droppedTurns({ entries, states }: RandomLog, chat: string): ReadonlySet<string> {
  const last = states.at(-1)?.chats[chat];
  const kept = new Set([...(last?.turns ?? []), ...(last?.active ? [last.active] : [])].map(({ id }) => id));
  return new Set(
    entries.flatMap(({ event }) =>
      'turn' in event && 'chat' in event && event.chat === chat && !kept.has(event.turn) ? [event.turn] : [],
    ),
  );
}
