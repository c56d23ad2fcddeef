// Random logs with what only the AHP door writes into them, and the steps of a log.
import fc from 'fast-check';
import { changesetState } from '../../src/doors/ahp/v1_0/outbound/changesets.ts';
import { answerNote, takeNote } from '../../src/doors/ahp/notes.ts';
import type { AhpNote } from '../../src/doors/ahp/notes.ts';
import { fromToolResult } from '../../src/doors/ahp/outbound/content.ts';
import { fromActiveClient } from '../../src/doors/ahp/sessionClients.ts';
import type { Command } from '../../src/model/command.ts';
import type { Step } from '../../src/host/session/session.ts';
import type { Entry, Event } from '../../src/model/event.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState, findTool } from '../../src/model/state.ts';
import type { State } from '../../src/model/state.ts';
import { diff } from '../../src/protocols/ahp/difference.ts';
import { revertedEdits } from './logs.ts';
import type { RandomLog } from './logs.ts';

export function stepsOf(entries: readonly Entry[], id = 'session-1'): readonly Step[] {
  let state = emptyState(id);
  return entries.map((entry) => {
    const before = state;
    state = reduce(before, entry);
    return { entry, before, after: state };
  });
}

/**
 * How two values differ on the wire. Most do not, down to the order of their keys, and a
 * comparison of texts is cheap.
 */
export function differencesOf(wanted: unknown, got: unknown): readonly string[] {
  const [one, other] = [JSON.stringify(wanted), JSON.stringify(got)];
  return one === other ? [] : diff(JSON.parse(one), JSON.parse(other));
}

/**
 * Mixes in what random commands do not do: notes of this door, other roots, settings, larger edits, questions
 * at the end of a turn.
 */
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
  const note = (one: AhpNote): readonly Event[] => factsOf(takeNote(one));
  const [open] = Object.values(state.chats[chat]?.asks ?? {}).filter(({ ask }) => ask.kind === 'question');
  const asking = state.chats[chat]?.active?.items.find(
    (item) => item.type === 'tool' && item.status === 'asking',
  );
  const running = state.chats[chat]?.active?.items.find(
    (item) => item.type === 'tool' && item.status === 'running',
  );
  const turn = state.chats[chat]?.active?.id ?? 'none';
  const held = state.chats[chat]?.active?.items.find(
    (item) => item.type === 'tool' && item.status === 'running' && item.source === 'client' && !item.held,
  );
  const files = changesetState(state)?.files ?? [];
  const file = files[n % Math.max(1, files.length)];
  switch (seed % 10) {
    case 0:
      return [{ kind: 'draft.set', chat, draft: n === 0 ? null : { text: `draft ${n}` } }];
    case 1: {
      const client = `c${n % 3}`;
      const tools = [
        { name: `tool-${n}`, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      ];
      if (n === 4)
        return state.clients.some(({ id }) => id === client) ? [{ kind: 'client.left', client }] : [];
      return [{ kind: 'client.joined', client: fromActiveClient({ clientId: client, tools }) }];
    }
    case 2:
      return open
        ? note(
            answerNote(
              { chat, ask: open.ask.id, question: 'q' },
              n === 0
                ? undefined
                : { state: 'draft', value: { kind: 'selected', value: 'ab'.charAt(n % 2) } },
            ),
          )
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
            options: n === 0 ? {} : { other: n },
            clientOptions: n === 0 ? {} : { mode: n },
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
      return [revertedEdits(state, n)];
    case 6:
      return held
        ? [
            {
              kind: 'tool.held',
              chat,
              turn,
              tool: held.id,
              result: fromToolResult({
                success: n > 1,
                pastTenseMessage: 'Did it',
                content: [{ type: 'text', text: `r${n}` }],
              }),
            },
          ]
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
    'chat' in event &&
    findTool(state.chats[event.chat]?.active, tool)?.held !== undefined
  );
}

function factsOf(command: Command): readonly Event[] {
  return command.kind === 'record' ? [command.fact] : [];
}
