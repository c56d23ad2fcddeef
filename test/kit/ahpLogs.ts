// Random logs with what only the AHP door writes into them, and the steps of a log.
import fc from 'fast-check';
import { changesetState, editedIn } from '../../src/doors/ahp/v1_0/outbound/changesets.ts';
import { activeClients, heldResult, takeNote } from '../../src/doors/ahp/notes.ts';
import type { SessionNote } from '../../src/doors/ahp/notes.ts';
import type { Step } from '../../src/host/session/session.ts';
import type { Entry, Event } from '../../src/model/event.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import type { State } from '../../src/model/state.ts';
import type { SessionActiveClient } from '../../src/protocols/ahp/v1_0/state.ts';
import type { RandomLog } from './logs.ts';

export function stepsOf(entries: readonly Entry[], id = 'session-1'): readonly Step[] {
  let state = emptyState(id);
  return entries.map((entry) => {
    const before = state;
    state = reduce(before, entry);
    return { entry, before, after: state };
  });
}

/** Mixes in what random commands do not do: notes of this door, other roots, settings, larger edits, questions at the end of a turn. */
export function enriched(log: fc.Arbitrary<RandomLog>): fc.Arbitrary<{ readonly entries: readonly Entry[] }> {
  return fc
    .tuple(log, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }))
    .map(([{ entries }, seeds]) => {
      const at = new Map<number, number[]>();
      for (const [place, seed] of seeds)
        at.set(place % entries.length, [...(at.get(place % entries.length) ?? []), seed]);
      let state = emptyState('session-1');
      const mixed: Entry[] = [];
      const add = (event: Event, like: Entry) => {
        const entry = { ...like, seq: state.seq + 1, pos: state.pos + 1 + (state.pos % 3), event };
        state = reduce(state, entry);
        mixed.push(entry);
      };
      entries.forEach((entry, i) => {
        if (!isSettled(state, entry.event)) add(entry.event, entry);
        for (const seed of at.get(i) ?? []) for (const event of extra(state, seed)) add(event, entry);
      });
      return { entries: mixed };
    });
}

function extra(state: State, seed: number): readonly Event[] {
  const chat = state.order[seed % Math.max(1, state.order.length)] ?? 'session-1';
  const n = Math.floor(seed / 7) % 5;
  const note = (fact: SessionNote): readonly Event[] => [takeNote(fact) as Event];
  const [open] = Object.values(state.chats[chat]?.asks ?? {}).filter(({ ask }) => ask.kind === 'question');
  const asking = state.chats[chat]?.active?.items.find(
    (item) => item.type === 'tool' && item.status === 'asking',
  );
  const running = state.chats[chat]?.active?.items.find(
    (item) => item.type === 'tool' && item.status === 'running',
  );
  const turn = state.chats[chat]?.active?.id ?? 'none';
  const held = state.chats[chat]?.active?.items.find(
    (item) =>
      item.type === 'tool' &&
      item.status === 'running' &&
      item.source === 'client' &&
      !heldResult(state, { chat, turn: state.chats[chat]?.active?.id ?? '', tool: item.id }),
  );
  const files = changesetState(state)?.files ?? [];
  const file = files[n % Math.max(1, files.length)];
  switch (seed % 10) {
    case 0:
      return note({
        note: 'draft',
        chat,
        draft: n === 0 ? null : { text: `draft ${n}`, origin: { kind: 'user' } },
      });
    case 1: {
      const client = `c${n % 3}`;
      const known = activeClients(state).find((one) => one.client === client);
      const active: SessionActiveClient = { clientId: client, tools: [{ name: `tool-${n}` }] };
      return note({
        note: 'client',
        client,
        since: known?.since ?? state.seq + 1,
        active: n === 4 ? null : active,
      });
    }
    case 2:
      return open
        ? note({
            note: 'answer',
            chat,
            ask: open.ask.id,
            question: 'q',
            answer:
              n === 0 ? null : { state: 'draft', value: { kind: 'selected', value: 'ab'.charAt(n % 2) } },
          })
        : [];
    case 3:
      return [
        {
          kind: 'session.changed',
          changes: { roots: [['/w'], ['/w', '/v'], ['/v', '/w', '/v'], ['/u', '/w'], []][n] ?? [] },
        },
      ];
    case 4:
      return [
        {
          kind: 'session.changed',
          changes: {
            options: n === 0 ? {} : { other: n, ahp: { mode: n } },
            ...(n === 1 ? { title: 'With options' } : {}),
          },
        },
      ];
    case 5:
      return asking
        ? [
            {
              kind: 'tool.ready',
              chat,
              turn,
              tool: asking.id,
              input: `edited ${n}`,
              title: `again ${n}`,
              toolKind: 'edit',
              preview: n % 2 === 0 ? [] : [{ type: 'edit', path: '/w/b', before: null, after: 'x' }],
            },
          ]
        : [];
    case 7:
      return file ? note({ note: 'reviewed', of: '', file: file.id, reviewed: n % 2 === 0 }) : [];
    case 8:
      return note({
        note: 'undone',
        id: `u${state.seq}`,
        edits: (editedIn(state)?.[0]?.places ?? []).slice(0, n),
      });
    case 6:
      return held
        ? note({
            note: 'result',
            chat,
            turn,
            tool: held.id,
            result: {
              success: n > 1,
              pastTenseMessage: 'Did it',
              content: [{ type: 'text', text: `r${n}` }],
            },
          })
        : [];
    default:
      if (running && n === 4) {
        return [
          {
            kind: 'tool.ended',
            chat,
            turn,
            tool: running.id,
            result: {
              status: 'done',
              content: [
                {
                  type: 'edit',
                  path: `/w/${seed % 3}`,
                  before: seed % 2 === 0 ? null : 'old\n',
                  after: `new ${seed}\n`,
                },
              ],
            },
          },
        ];
      }
      return running
        ? [
            {
              kind: 'tool.output',
              chat,
              turn,
              tool: running.id,
              output:
                n === 0
                  ? { replace: [] }
                  : { replace: [{ type: 'image', mediaType: 'image/png', data: 'AA==' }] },
            },
          ]
        : [];
  }
}

/** Whoever has said what came of a call does not go on with it. */
function isSettled(state: State, event: Event): boolean {
  const tool =
    event.kind === 'ask.opened'
      ? 'tool' in event.ask
        ? event.ask.tool
        : undefined
      : event.kind === 'tool.ready' || event.kind === 'tool.running' || event.kind === 'tool.output'
        ? event.tool
        : undefined;
  return (
    tool !== undefined &&
    'turn' in event &&
    heldResult(state, { chat: event.chat, turn: event.turn, tool }) !== undefined
  );
}
