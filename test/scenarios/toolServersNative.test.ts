// The native agent with a real tool server that behaves badly: whatever it does, the turn goes on
// or ends as it should.
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { scriptedModel } from '../../src/agents/native/models/scripted/scripted.ts';
import type { ToolServers } from '../../src/host/tools/toolServers.ts';
import { openToolServers } from '../../src/io/mcp/toolServers.ts';
import type { Answer } from '../../src/model/event.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { testClient, until } from '../kit/host.ts';
import { nativeRig } from '../kit/nativeRig.ts';
import type { NativeRig } from '../kit/nativeRig.ts';
import { eventually } from '../kit/patience.ts';

let raw: Bundle;
let servers: ToolServers;
let rig: NativeRig;

beforeAll(async () => {
  raw = await bundle(fileURLToPath(new URL('../kit/mcpRawServer.ts', import.meta.url)));
});
afterAll(() => raw.dispose());
beforeEach(async () => {
  servers = openToolServers({ env: process.env, version: '0', times: { call: 3_000, again: 20 } });
  rig = await nativeRig(
    [
      scriptedModel({
        rules: [
          { when: 'Say something.', steps: [{ text: 'Something.' }, { usage: { input: 7, output: 3 } }] },
        ],
        sleep: () => Promise.resolve(),
      }),
    ],
    { external: { servers } },
  );
  rig.host.toolServers.set(rig.session.id, [
    { type: 'process', name: 'one', command: process.execPath, args: [raw.path, 'library'], env: {} },
  ]);
  await rig.prompt('say Hello.');
  await eventually(() => servers.list()[0]?.status === 'running', 'a tool server that runs');
});
afterEach(async () => {
  await rig.close();
  await servers.close();
});

/** The last turn's calls: name, status and what came of them. */
async function calls(prompt: string): Promise<readonly (readonly [string, string | undefined, string])[]> {
  const turn = await rig.prompt(prompt);
  expect(turn.outcome).toEqual({ kind: 'completed' });
  return turn.items.flatMap((item) =>
    item.type === 'tool' ? [[item.name, item.result?.status, JSON.stringify(item.result)] as const] : [],
  );
}

test('a crash fails one call, and the next one finds the server again', async () => {
  expect(await calls('tool one__crash {}\ntool one__echo {"a":1}')).toEqual([
    ['one__crash', 'failed', expect.stringContaining('Its last output: I fell.')],
    ['one__echo', 'done', expect.stringContaining('{\\"a\\":1}')],
  ]);
});

test('a call that hangs fails in time', async () => {
  expect(await calls('tool one__hang {}')).toEqual([
    ['one__hang', 'failed', expect.stringContaining('did not answer within 3 seconds')],
  ]);
});

test('a stop ends a turn whose call hangs, and the server is told and lives on', async () => {
  const turn = rig.start('tool one__hang {}');
  await until(rig.session, () => Object.keys(rig.chat().asks).length > 0);
  rig.session.dispatch(
    {
      kind: 'answer',
      chat: rig.session.id,
      ask: Object.keys(rig.chat().asks)[0] ?? '',
      answer: { kind: 'option', option: 'allow' },
    },
    testClient,
  );
  await rig.shows((item) => item.type === 'tool' && item.status === 'running');
  rig.session.dispatch({ kind: 'stopTurn', chat: rig.session.id, turn, next: 'none' }, testClient);
  await until(rig.session, () => rig.chat().turns.some(({ id }) => id === turn));
  expect(rig.chat().turns.at(-1)).toMatchObject({
    outcome: { kind: 'cancelled' },
    items: [{ type: 'tool', result: { status: 'cancelled' } }],
  });
  expect(await calls('tool one__left {}')).toEqual([
    ['one__left', 'done', expect.stringContaining('["hang"]'.replaceAll('"', '\\"'))],
  ]);
});

test('a server that wants a model to answer has to be allowed to, and the turn pays for it', async () => {
  const turn = rig.start('usage 10 5\ntool one__sample {}\nsay {{result}}');
  const answer = async (given: Answer) => {
    await until(rig.session, () => Object.keys(rig.chat().asks).length > 0);
    rig.session.dispatch(
      { kind: 'answer', chat: rig.session.id, ask: Object.keys(rig.chat().asks)[0] ?? '', answer: given },
      testClient,
    );
    await rig.session.settled();
  };
  await answer({ kind: 'option', option: 'allow' });
  await until(rig.session, () => Object.keys(rig.chat().asks).length > 0);
  expect(Object.values(rig.chat().asks)[0]?.ask).toMatchObject({
    kind: 'question',
    message: expect.stringMatching(/one wants .* to answer this for it:[^]*Be brief\.[^]*Say something\./),
  });
  await answer({ kind: 'fields', values: { consent: 'yes' } });
  await until(rig.session, () => rig.chat().turns.some(({ id }) => id === turn));
  expect(rig.chat().turns.at(-1)).toMatchObject({
    usage: { input: 17, output: 8 },
    items: [
      { type: 'tool', result: { status: 'done' }, sandbox: { confined: false, because: 'server' } },
      { type: 'ask' },
      { type: 'text', text: expect.stringContaining('Something.') },
    ],
  });
});

test('a tool that the server adds can be called in the next turn', async () => {
  await calls('tool one__grow {}');
  await eventually(() => servers.list()[0]?.tools.some(({ name }) => name === 'grown'), 'the new tool');
  expect(await calls('tool one__grown {}')).toEqual([
    ['one__grown', 'done', expect.stringContaining('I am grown')],
  ]);
});

test('a result of any size is cut for the log and the model', async () => {
  const results = await calls('tool one__huge {}');
  expect(
    results.map(([, status, text]) => [status, text.length < 70_000, text.includes('[OUTPUT TRUNCATED]')]),
  ).toEqual([['done', true, true]]);
});

test('a resource that was given is given again once the server says that it has changed', async () => {
  const given = () => Object.values(rig.session.state.inputs).map((input) => JSON.stringify(input));
  await rig.prompt('say Hello.', { attachments: [{ type: 'link', uri: 'book://sea' }] });
  expect(given()).toEqual([expect.stringContaining('Calm.')]);
  await rig.prompt('tool one__write {"text":"Rough."}');
  // The same words again are no news.
  await rig.prompt('tool one__write {"text":"Rough."}');
  expect(given().slice(1)).toEqual([
    expect.stringMatching(/has changed and is this now:.*book:\/\/sea.*Rough\./),
  ]);
  await rig.prompt('say Hello again.');
  expect(given()).toHaveLength(2);
});
