import { describe, expect, test } from 'vitest';
import { connect, start } from '../../../../../test/kit/acpDoor.ts';
import type { MemoryClient } from '../../../../../test/kit/acpDoor.ts';
import type { Position, PositionEncoding } from '../../../../protocols/acp/v1/nesSchema.ts';
import { indexOf, positionAt } from './positions.ts';
import type { CompletePrompt } from './predict.ts';

describe('places in a text', () => {
  const text = 'aé\r\n🙂b\n';
  const cases: readonly (readonly [PositionEncoding, Position, number])[] = [
    ['utf-16', { line: 1, character: 2 }, 6],
    ['utf-8', { line: 1, character: 4 }, 6],
    ['utf-32', { line: 1, character: 1 }, 6],
    ['utf-16', { line: 0, character: 2 }, 2],
    ['utf-8', { line: 0, character: 3 }, 2],
    ['utf-32', { line: 0, character: 2 }, 2],
    ['utf-16', { line: 2, character: 0 }, 8],
  ];
  test.each(cases)('%s %j', (encoding, position, index) => {
    expect([indexOf(text, position, encoding), positionAt(text, index, encoding)]).toEqual([index, position]);
  });

  test('beyond a line or the text are its end, and amid a letter is its beginning', () => {
    expect([
      indexOf(text, { line: 0, character: 99 }, 'utf-8'),
      indexOf(text, { line: 9, character: 0 }, 'utf-8'),
      indexOf(text, { line: 1, character: 2 }, 'utf-8'),
    ]).toEqual([2, 8, 4]);
  });
});

const uri = 'file:///w/a.ts';
const ready = { nes: { jump: {} }, positionEncodings: ['utf-8', 'utf-16'] };

async function suggesting(complete: CompletePrompt, clientCapabilities: object = ready) {
  const host = await start();
  const client = await connect(host, { complete }, { clientCapabilities });
  const { sessionId } = (await client.call('nes/start', { workspaceUri: 'file:///w' })) as {
    sessionId: string;
  };
  const open = (text: string) =>
    client.peer.notify('document/didOpen', { sessionId, uri, languageId: 'typescript', version: 1, text });
  const suggest = (position: Position, more: object = {}) =>
    client.call('nes/suggest', {
      sessionId,
      uri,
      version: 1,
      position,
      triggerKind: 'automatic',
      ...more,
    }) as Promise<{ suggestions: { id: string; kind: string }[] }>;
  return { client, sessionId, open, suggest };
}

/** Answers with the region of the prompt after a change of it. */
const rewriting =
  (change: (region: string) => string, prompts: string[] = []): CompletePrompt =>
  ({ prompt }) => {
    prompts.push(prompt);
    const region = /<region>\n([^]*)\n<\/region>/.exec(prompt)?.[1] ?? '';
    return Promise.resolve(`<region>\n${change(region.replace('<|cursor|>', ''))}\n</region>`);
  };

test('are offered to clients that know them, in the first encoding they would like', async () => {
  const host = await start();
  for (const [positionEncodings, positionEncoding] of [
    [['utf-32', 'utf-16'], 'utf-32'],
    [['utf-7'], 'utf-16'],
    [undefined, 'utf-16'],
  ] as const) {
    const client = await connect(host, {}, { clientCapabilities: { nes: {}, positionEncodings } });
    expect(client.sent[0]?.result).toMatchObject({
      agentCapabilities: {
        positionEncoding,
        nes: { events: { document: { didChange: { syncKind: 'incremental' } } } },
      },
    });
  }
  const plain = await connect(host);
  expect(JSON.stringify(plain.sent[0])).not.toMatch(/nes|positionEncoding/);
  expect((await plain.failure('nes/start', {})).code).toBe(-32601);
});

test('a suggestion is the smallest edit, with the place of the cursor after it', async () => {
  const { suggest, open } = await suggesting(
    rewriting((region) => region.replace('const b = 1;', 'const b = 2;')),
  );
  open('// 🙂\nconst a = 1;\nconst b = 1;\n');
  expect(await suggest({ line: 1, character: 12 })).toEqual({
    suggestions: [
      {
        kind: 'edit',
        id: expect.any(String),
        uri,
        edits: [
          { range: { start: { line: 2, character: 10 }, end: { line: 2, character: 11 } }, newText: '2' },
        ],
        cursorPosition: { line: 2, character: 11 },
      },
    ],
  });
});

test('texts follow the client change by change, counted as it counts', async () => {
  const prompts: string[] = [];
  const { client, sessionId, suggest, open } = await suggesting(rewriting((region) => region, prompts));
  open('é one\ntwo\n');
  client.peer.notify('document/didChange', {
    sessionId,
    uri,
    version: 2,
    contentChanges: [
      { range: { start: { line: 0, character: 3 }, end: { line: 0, character: 6 } }, text: 'ONE' },
      { range: { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } }, text: '2' },
    ],
  });
  expect(await suggest({ line: 0, character: 0 }, { version: 2 })).toEqual({ suggestions: [] });
  expect(prompts[0]).toContain('é ONE\n2\n');
  client.peer.notify('document/didChange', {
    sessionId,
    uri,
    version: 3,
    contentChanges: [{ text: 'all new' }],
  });
  expect(await suggest({ line: 0, character: 0 }, { version: 2 })).toEqual({ suggestions: [] });
  await suggest({ line: 0, character: 0 }, { version: 3 });
  expect([prompts.length, prompts[1]?.includes('all new')]).toEqual([2, true]);
});

test('what was rejected is not suggested again; what was only ignored is', async () => {
  const { client, sessionId, suggest, open } = await suggesting(rewriting((region) => `${region}!`));
  open('x');
  const id = async () => (await suggest({ line: 0, character: 1 })).suggestions[0]?.id;
  client.peer.notify('nes/reject', { sessionId, id: await id(), reason: 'ignored' });
  client.peer.notify('nes/accept', { sessionId, id: await id() });
  client.peer.notify('nes/reject', { sessionId, id: await id(), reason: 'rejected' });
  expect(await id()).toBeUndefined();
});

test('a problem far away is mended where it is, and the client led there', async () => {
  const prompts: string[] = [];
  const { suggest, open } = await suggesting(
    rewriting((region) => region.replace('wrong', 'right'), prompts),
  );
  open(`${'line\n'.repeat(60)}wrong\n`);
  const diagnostics = [
    {
      uri,
      range: { start: { line: 60, character: 0 }, end: { line: 60, character: 5 } },
      severity: 'error',
      message: 'It is wrong.',
    },
  ];
  const { suggestions } = await suggest(
    { line: 0, character: 0 },
    { triggerKind: 'diagnostic', context: { diagnostics, editHistory: [{ uri, diff: '-a\n+b' }] } },
  );
  expect(suggestions).toMatchObject([
    { kind: 'jump', position: { line: 60, character: 0 } },
    { kind: 'edit' },
  ]);
  expect(prompts[0]).toMatch(/\+b[^]*error in file:\/\/\/w\/a\.ts, line 61: It is wrong\./);
});

test('a newer question ends an older one, and so does its cancellation', async () => {
  const signals: AbortSignal[] = [];
  const { suggest, open, client } = await suggesting(
    ({ signal }) =>
      new Promise((resolve) => {
        signals.push(signal);
        signal.addEventListener('abort', () => resolve(undefined));
        if (signals.length === 2) resolve('<region>\ny\n</region>');
      }),
  );
  open('x');
  const first = suggest({ line: 0, character: 0 });
  expect((await suggest({ line: 0, character: 0 })).suggestions.length).toBe(1);
  expect(await first).toEqual({ suggestions: [] });
  await client.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('strange answers of models are no suggestions, and strange questions are refused', async () => {
  const { client, sessionId, suggest, open } = await suggesting(() =>
    Promise.resolve('I would rather chat.'),
  );
  open('x');
  expect(await suggest({ line: 0, character: 0 })).toEqual({ suggestions: [] });
  const refused = (wish: object) =>
    failed(client, {
      sessionId,
      uri,
      version: 1,
      position: { line: 0, character: 0 },
      triggerKind: 'manual',
      ...wish,
    });
  expect(await refused({ sessionId: 'none' })).toBe(-32002);
  expect(await refused({ uri: 'file:///other' })).toBe(-32602);
  expect(await refused({ position: { line: -1, character: 0 } })).toBe(-32602);
  client.peer.notify('document/didOpen', { wrong: true });
  expect(await client.call('nes/close', { sessionId })).toEqual({});
  expect(await refused({})).toBe(-32002);
});

async function failed(client: MemoryClient, params: object): Promise<unknown> {
  return (await client.failure('nes/suggest', params)).code;
}
