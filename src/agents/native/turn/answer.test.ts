// Answers as real models write them: ids that are the same or not there, arguments that are cut or no JSON.
// Whatever comes, each call gets its own result and the turn goes on.
import { afterEach, expect, test } from 'vitest';
import { nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../model.ts';

let rig: NativeRig | undefined;
afterEach(() => rig?.close());

const requests: ModelRequest[] = [];

/** A model that gives one answer after the other. */
async function saying(...answers: readonly (readonly ModelPart[])[]): Promise<NativeRig> {
  requests.length = 0;
  const model: LanguageModel = {
    id: 'm/m',
    name: 'M',
    async *stream(request) {
      const answer = answers[requests.length] ?? [
        { type: 'text', text: 'Done.' },
        { type: 'finish', reason: 'stop' },
      ];
      requests.push(request);
      yield* answer;
    },
  };
  rig = await nativeRig([model]);
  return rig;
}

const read = (path: string) => JSON.stringify({ path });
const results = (at: number) =>
  requests[at]?.messages.flatMap((message) => (message.role === 'tool' ? message.results : [])) ?? [];

test.each(['call_0', ''])(
  'calls that all have the id "%s" are told apart, also where their arguments come mixed',
  async (id) => {
    const { place, ...talk } = await saying([
      { type: 'tool-start', id, name: 'read_file' },
      { type: 'tool-start', id, name: 'directory_tree' },
      { type: 'tool-start', id, name: 'read_file' },
      { type: 'tool-input', id, delta: '{' },
      { type: 'tool-call', id, name: 'read_file', input: read('a.txt') },
      { type: 'tool-call', id, name: 'directory_tree', input: read('.') },
      { type: 'tool-call', id, name: 'read_file', input: read('none.txt') },
      { type: 'finish', reason: 'calls' },
    ]);
    const turn = await talk.prompt('Go.');
    expect(turn.outcome).toEqual({ kind: 'completed' });
    expect(
      turn.items.flatMap((item) => (item.type === 'tool' ? [[item.name, item.result?.status]] : [])),
    ).toEqual([
      ['read_file', 'done'],
      ['directory_tree', 'done'],
      ['read_file', 'failed'],
    ]);
    expect(new Set(results(1).map((each) => each.id)).size).toBe(3);
    expect(results(1)[0]?.text).toContain('one');
    expect(results(1)[1]?.text).toContain(place.root);
  },
);

test('a call that was cut for its length is told so, and one that was not runs', async () => {
  const talk = await saying([
    { type: 'tool-start', id: 'a', name: 'read_file' },
    { type: 'tool-call', id: 'a', name: 'read_file', input: read('a.txt') },
    { type: 'tool-start', id: 'b', name: 'write_file' },
    { type: 'tool-call', id: 'b', name: 'write_file', input: '{"path":"b.txt","content":"ha' },
    { type: 'finish', reason: 'length' },
  ]);
  expect((await talk.prompt('Go.')).outcome).toEqual({ kind: 'completed' });
  expect(results(1).map(({ status }) => status)).toEqual(['done', 'failed']);
  expect(results(1)[1]?.text).toMatch(/JSON/);
});

test('a model whose calls are always cut is not asked for ever, and no call is left open', async () => {
  const cut: readonly ModelPart[] = [
    { type: 'tool-start', id: 'b', name: 'write_file' },
    { type: 'tool-call', id: 'b', name: 'write_file', input: '{"path":"b.txt","content":"ha' },
    { type: 'finish', reason: 'length' },
  ];
  const talk = await saying(cut, cut, cut, cut, cut, cut);
  const turn = await talk.prompt('Go.');
  expect([turn.outcome, requests.length]).toEqual([{ kind: 'completed', stop: 'length' }, 4]);
  expect(turn.items.map((item) => (item.type === 'tool' ? item.result?.status : item.type))).toEqual([
    'failed',
    'failed',
    'failed',
    'failed',
  ]);
});

test('calls that come with a refusal do not run', async () => {
  const talk = await saying([
    { type: 'tool-start', id: 'a', name: 'read_file' },
    { type: 'tool-call', id: 'a', name: 'read_file', input: read('a.txt') },
    { type: 'finish', reason: 'refusal' },
  ]);
  expect(await talk.prompt('Go.')).toMatchObject({
    outcome: { kind: 'completed', stop: 'refusal' },
    items: [{ type: 'tool', result: { status: 'failed' } }],
  });
});
