// Every log format ever released still folds to the state that was recorded with it.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { format1Logs } from '../../test/kit/released.ts';
import type { Json } from './event.ts';
import { reduce } from './reduce.ts';
import { emptyState } from './state.ts';
import type { State } from './state.ts';
import { format, isNewer, upgrade } from './upgrade.ts';

/** What format 1 had in its state as notes, by door and key, and as terminals. */
interface Format1State extends Omit<State, 'notes'> {
  readonly notes: { readonly [doorAndKey: string]: Json };
  readonly terminals: unknown;
}

describe('format 1', () => {
  test.each(format1Logs.map((log) => [log.name, log] as const))('%s', (_, { session, entries, state }) => {
    const folded = entries.reduce(reduce, emptyState(session));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- recorded by the reducer of format 1
    const { notes, terminals: __, asked, ...rest } = state as unknown as Format1State;
    // What was recorded is still there; a newer state may say more.
    expect(plain(folded)).toMatchObject(plain(mapped(rest)));
    const hasHeld = Object.keys(notes).some((key) => key.startsWith('ahp:result:'));
    expect(folded.asked).toBe(asked || hasHeld);
    // A draft goes with its chat.
    const kept = Object.entries(notes).filter(([key]) => !isOfGoneChat(folded, key));
    expect(kept.map(([key, value]) => [key, found(folded, key, value)])).toEqual(
      kept.map(([key, value]) => [key, expected(key, value)]),
    );
  });

  test('the recorded logs have every kind of note', () => {
    const kinds = new Set(
      format1Logs.flatMap(({ state }) => Object.keys((state as unknown as Format1State).notes).map(kindOf)),
    );
    expect([...kinds].toSorted()).toEqual([
      'agent call',
      'agent commands',
      'agent given',
      'agent hook',
      'agent pictures',
      'agent prompt',
      'agent undone',
      'agent update',
      'agent usage_update',
      'ahp answer',
      'ahp client',
      'ahp clients',
      'ahp config',
      'ahp draft',
      'ahp echo',
      'ahp result',
      'ahp reviewed',
      'ahp undone',
      'client leftOut',
      'client meta',
      'client systemPrompt',
      'eca flags',
      'host prepared',
      'host undone',
      'test x',
      'test y',
    ]);
  });
});

/**
 * What the recorded states have as AHP had it on the wire, and what today's have instead.
 * Nothing else is different.
 */
const mappings = [
  {
    field: 'meta',
    was: {
      ahp: {
        attachments: [
          {
            type: 'resource',
            uri: 'file:///w/a',
            label: 'a',
            displayKind: 'document',
            _meta: { 'ahp.v1': { type: 'file', uri: 'file:///w/a' } },
          },
        ],
      },
    },
    is: {
      details: {
        attachments: [
          {
            kind: 'link',
            uri: 'file:///w/a',
            label: 'a',
            display: 'document',
            place: { kind: 'file', uri: 'file:///w/a' },
          },
        ],
      },
    },
  },
  {
    field: 'raw',
    was: { ahp: { success: true, pastTenseMessage: 'Opened', content: [] } },
    is: { details: { summary: { text: 'Opened' }, content: [] } },
  },
  {
    field: 'options',
    was: { ahp: { autoApprove: 'all', mode: 'plan' } },
    is: { options: {}, clientOptions: { autoApprove: 'all', mode: 'plan' } },
  },
  {
    field: 'options',
    was: { voice: 'loud', ahp: { mode: 'interactive', isolation: 'none' } },
    is: { options: { voice: 'loud' }, clientOptions: { mode: 'interactive', isolation: 'none' } },
  },
];

function mapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
      const mapping = mappings.find(({ field, was }) => field === key && isDeepStrictEqual(each, was));
      return mapping ? Object.entries(mapping.is) : [[key, mapped(each)] as const];
    }),
  );
}

function plain(value: unknown): object {
  return JSON.parse(JSON.stringify(value)) as object;
}

function kindOf(key: string): string {
  const [door = '', ...rest] = key.split(':');
  const name = door === 'agent' ? rest[1] : rest[0];
  return `${door} ${/^[\w]+/.exec(name ?? '')?.[0] ?? ''}`;
}

function isOfGoneChat(state: State, key: string): boolean {
  return key.startsWith('ahp:draft:') && !state.chats[key.slice('ahp:draft:'.length)];
}

/** Where today's state has what a note of format 1 said. */
function found(state: State, key: string, value: Json): unknown {
  const note = value as { readonly [name: string]: Json };
  const id = key.slice(key.indexOf(':', key.indexOf(':') + 1) + 1);
  const agentKey = key.slice('agent:'.length);
  const nativeChat = agentKey.split(':').slice(2).join(':');
  switch (kindOf(key)) {
    case 'host prepared':
      return state.preparations[key.slice('host:prepared '.length)];
    case 'host undone':
      return state.chats[id]?.restored;
    case 'client meta':
      return state.extensions;
    case 'client systemPrompt':
      return state.systemPrompt;
    case 'client leftOut':
      return state.disabledFeatures;
    case 'eca flags':
      return state.notes['doors/eca']?.[key.slice('eca:'.length)];
    case 'ahp draft':
      return state.chats[id]?.draft?.text;
    case 'ahp client':
      return state.clients.find((client) => client.id === id)?.tools.length;
    case 'ahp result': {
      const chat = state.chats[note['chat'] as string];
      const turn = [...(chat?.turns ?? []), ...(chat?.active ? [chat.active] : [])].find(
        (each) => each.id === note['turn'],
      );
      const tool = turn?.items.find((item) => item.id === note['tool']);
      return tool?.type === 'tool' ? tool.held?.details : undefined;
    }
    case 'ahp undone': {
      const edits = state.revertedEdits.map(({ turn, tool, index }) => JSON.stringify([turn, tool, index]));
      return edits.filter((edit) => (note['edits'] as readonly string[]).includes(edit));
    }
    case 'ahp answer':
    case 'ahp reviewed':
    case 'ahp config':
    case 'ahp echo':
    case 'ahp clients':
      return state.notes['doors/ahp']?.[key.slice('ahp:'.length)] !== undefined;
    case 'agent hook':
      return undefined;
    case 'agent given':
      return state.inputs[agentKey.slice(agentKey.indexOf(':given:') + ':given:'.length)]?.added;
    case 'agent undone':
      return state.chats[nativeChat]?.revertedTurns;
    case 'agent pictures':
      return state.chats[nativeChat]?.refusedImages;
    case 'agent prompt': {
      const { madeFor: made, text, changeTold } = state.chats[nativeChat]?.pinnedPrompt ?? {};
      return made === undefined ? undefined : { made, text, ...(changeTold ? { told: true } : {}) };
    }
    default:
      return undefined;
  }
}

function expected(key: string, value: Json): unknown {
  const note = value as { readonly [name: string]: Json };
  switch (kindOf(key)) {
    case 'ahp draft':
      return (note['draft'] as { readonly text: string } | null)?.text;
    case 'ahp client':
      return (note['active'] as { readonly tools: readonly unknown[] } | null)?.tools.length;
    case 'ahp result':
      return mappings.find(({ was }) => isDeepStrictEqual(was.ahp, note['result']))?.is.details;
    case 'ahp undone':
      return note['edits'];
    case 'ahp answer':
    case 'ahp reviewed':
    case 'ahp config':
    case 'ahp echo':
    case 'ahp clients':
      return true;
    // News that no state follows from.
    case 'agent hook':
      return undefined;
    case 'agent given':
      return note['more'];
    case 'agent undone':
      return [...new Set(value as readonly string[])];
    // Private facts of external agents, which nobody read, and of tests.
    case 'agent call':
    case 'agent commands':
    case 'agent update':
    case 'agent usage_update':
    case 'test x':
    case 'test y':
      return undefined;
    case 'agent prompt':
      return key.startsWith('agent:parley:') ? value : undefined;
    default:
      return value ?? undefined;
  }
}

test('a refusal by a hook is typed, where format 1 had only the text of its rule', () => {
  const denied = { status: 'denied', reason: 'No.', rule: "deny shell_command (hook 'guard': no)" };
  expect(upgrade({ kind: 'tool.ended', chat: 'c', turn: 't', tool: 'x', result: denied }, 1)).toMatchObject({
    result: { ...denied, hook: 'guard' },
  });
  expect(
    upgrade(
      { kind: 'tool.ended', chat: 'c', turn: 't', tool: 'x', result: { ...denied, rule: 'deny *' } },
      1,
    ),
  ).toMatchObject({ result: { rule: 'deny *' } });
});

test('notes of the native agent are typed, and those of external agents mean nothing', () => {
  const from = (agent: string, key: string, value: Json) =>
    upgrade({ kind: 'note', door: `agent:${agent}`, key, value }, 1);
  expect([
    from('parley', 'prompt:c', null),
    from('parley', 'prompt:c', { made: 'm', text: 't', told: true }),
    from('parley', 'pictures:c', { m: 't1', n: 7 }),
    from('parley', 'undone:c', 'all'),
    from('parley', 'prompt', {}),
    from('codex', 'prompt:c', { made: 'm', text: 't' }),
  ]).toEqual([
    { kind: 'prompt.pinned', chat: 'c', prompt: null },
    { kind: 'prompt.pinned', chat: 'c', prompt: { text: 't', madeFor: 'm', changeTold: true } },
    { kind: 'images.refused', chat: 'c', upTo: { m: 't1' } },
    { kind: 'turns.reverted', chat: 'c', turns: [] },
    { kind: 'retired', was: 'note agent:parley:prompt' },
    { kind: 'retired', was: 'note agent:codex:prompt:c' },
  ]);
});

test('binary data of external agents is typed, where format 1 had a block of ACP', () => {
  const data = (value: Json): Json => ({ type: 'data', value });
  const content = [
    data({ type: 'audio', mimeType: 'audio/wav', data: 'AA==' }),
    data({ type: 'blob', mimeType: 'application/zip', data: 'AA==' }),
    data({ type: 'audio' }),
  ];
  const result = { status: 'done', content };
  expect(upgrade({ kind: 'tool.ended', chat: 'c', turn: 't', tool: 'x', result }, 1)).toMatchObject({
    result: {
      content: [
        { type: 'blob', mediaType: 'audio/wav', data: 'AA==' },
        { type: 'blob', mediaType: 'application/zip', data: 'AA==' },
        data({ type: 'audio' }),
      ],
    },
  });
});

test('what format 1 said about terminals, and notes of nobody we know, mean nothing', () => {
  expect(upgrade({ kind: 'terminal.started', chat: 'c', terminal: 't', title: 'sh', cwd: '/' }, 1)).toEqual({
    kind: 'retired',
    was: 'terminal.started',
  });
  expect(upgrade({ kind: 'note', door: 'x', key: 'y', value: 1 }, 1)).toEqual({
    kind: 'retired',
    was: 'note x:y',
  });
  expect(
    upgrade(
      {
        kind: 'note',
        door: 'ahp',
        key: 'undone:1',
        value: { note: 'undone', edits: ['["t","x",0]', 'no place', '{}'] },
      },
      1,
    ),
  ).toEqual({ kind: 'edits.reverted', edits: [{ turn: 't', tool: 'x', index: 0 }] });
});

test('a format from the future, and what is no event at all, is refused', () => {
  expect([isNewer(format), isNewer(format + 1)]).toEqual([false, true]);
  expect(upgrade({ kind: 'note', owner: 'doors/ahp', key: 'y', value: 1 }, format + 1)).toBeUndefined();
  expect([null, 1, 'x', [], {}, { kind: 1 }].map((value) => upgrade(value, 1))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
