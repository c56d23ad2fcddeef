import { afterEach, describe, expect, test } from 'vitest';
import { testClient, until } from '../../../../../test/kit/host.ts';
import { nativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { EventOf } from '../../../../model/event.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../../model.ts';

let rig: NativeRig;
let requests: ModelRequest[];
afterEach(() => rig.close());

type Calls = readonly (readonly [name: string, input: object])[];

async function open(calls: Calls): Promise<string[]> {
  requests = [];
  const parts = calls.map(([name, input], at): ModelPart => ({
    type: 'tool-call',
    id: `c${at}`,
    name,
    input: JSON.stringify(input),
  }));
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    async *stream(request) {
      requests.push(request);
      yield* requests.length === 1 ? parts : [{ type: 'text', text: 'Done.' } as const];
      yield { type: 'finish', reason: requests.length === 1 ? 'calls' : 'stop' };
    },
  };
  rig = await nativeRig([model]);
  const moves: string[] = [];
  rig.session.follow((steps) =>
    moves.push(
      ...steps
        .map(({ entry }) => entry.event)
        .filter(isMove)
        .map((event) => `${event.kind === 'tool.running' ? 'runs' : 'ended'} ${event.tool}`),
    ),
  );
  return moves;
}

function isMove(event: { readonly kind: string }): event is EventOf<'tool.running' | 'tool.ended'> {
  return event.kind === 'tool.running' || event.kind === 'tool.ended';
}

describe('calls of one answer', () => {
  test('that only look run side by side', async () => {
    const moves = await open([
      ['read_file', { path: 'a.txt' }],
      ['directory_tree', { path: '.' }],
      ['grep', { path: '.', pattern: 'one' }],
    ]);
    await rig.prompt('Look.');
    expect(moves.slice(0, 3).toSorted()).toEqual(['runs c0', 'runs c1', 'runs c2']);
  });

  test('with too many arguments are not run, and the user is told', async () => {
    const moves = await open([['write_file', { path: 'b.txt', content: 'x'.repeat(8_000_001) }]]);
    const { outcome } = await rig.prompt('Write.');
    expect(outcome).toMatchObject({
      kind: 'failed',
      problem: { message: expect.stringContaining('more than 8,000,000 characters') },
    });
    expect([moves, Object.keys(rig.place.tree())]).toEqual([[], ['a.txt']]);
  });

  test('run only so many side by side, and only so many at all; the model is told of the rest', async () => {
    // Each starts a program, so none has ended before the last of a group begins.
    const moves = await open(Array.from({ length: 102 }, () => ['grep', { path: '.', pattern: 'one' }]));
    const { outcome } = await rig.prompt('Look at everything.');
    const running = moves.map((_, at) =>
      moves.slice(0, at + 1).reduce((count, move) => count + (move.startsWith('runs') ? 1 : -1), 0),
    );
    expect([
      outcome.kind,
      moves.filter((move) => move.startsWith('runs')).length,
      Math.max(...running),
    ]).toEqual(['completed', 100, 8]);
    const results = requests.at(-1)?.messages.at(-1);
    expect(
      results?.role === 'tool' &&
        results.results.slice(99).map(({ status, text }) => [status, /Not run|a\.txt/.exec(text)?.[0]]),
    ).toEqual([
      ['done', 'a.txt'],
      ['failed', 'Not run'],
      ['failed', 'Not run'],
    ]);
  });

  test('that change something run alone and in order', async () => {
    const moves = await open([
      ['write_file', { path: 'b.txt', content: 'new' }],
      ['read_file', { path: 'b.txt' }],
      ['shell_command', { command: 'cat b.txt' }],
    ]);
    const turn = await rig.prompt('Write.');
    expect(moves).toEqual(['runs c0', 'ended c0', 'runs c1', 'ended c1', 'runs c2', 'ended c2']);
    expect(JSON.stringify(turn.items.map((item) => (item.type === 'tool' ? item.result : '')))).toContain(
      'Stdout:\\nnew',
    );
  });

  test('are asked about one after the other', async () => {
    await open([
      ['read_file', { path: '/etc/hostname' }],
      ['read_file', { path: '/etc/passwd' }],
    ]);
    rig.start('Read outside.');
    await until(rig.session, () => Object.keys(rig.chat().asks).length > 0);
    const [first] = Object.values(rig.chat().asks);
    expect(Object.keys(rig.chat().asks)).toHaveLength(1);
    expect(first?.ask).toMatchObject({ tool: 'c0' });
    rig.session.dispatch(
      {
        kind: 'answer',
        chat: rig.session.id,
        ask: first?.ask.id ?? '',
        answer: { kind: 'option', option: 'deny' },
      },
      testClient,
    );
    await until(rig.session, () =>
      Object.values(rig.chat().asks).some(({ ask }) => ask.kind === 'approval' && ask.tool === 'c1'),
    );
  });

  test('give their results in the order of the calls', async () => {
    await open([
      ['grep', { path: '.', pattern: 'two' }],
      ['read_file', { path: 'a.txt' }],
    ]);
    await rig.prompt('Look.');
    const results = requests.at(-1)?.messages.at(-1);
    expect(results?.role === 'tool' && results.results.map(({ id }) => id)).toEqual(['c0', 'c1']);
  });
});
