// What providers see of a conversation: its beginning stays the same byte for byte, over turns, changes of
// files and restarts, until the user wants it otherwise.
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { ecaClient } from '../kit/clients.ts';
import { fakeProvider } from '../kit/fakeProvider.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose, Wire } from '../kit/wire.ts';

let raw: Bundle;
let home: Home;
let provider: FakeProvider;
beforeAll(async () => {
  raw = await bundle(fileURLToPath(new URL('../kit/mcpRawServer.ts', import.meta.url)));
});
afterAll(() => raw.dispose());
beforeEach(async () => {
  home = newHome();
  provider = await fakeProvider();
  delete home.env['PARLEY_SCRIPTED'];
  Object.assign(home.env, {
    ANTHROPIC_API_URL: provider.url,
    ANTHROPIC_API_KEY: 'k',
    OLLAMA_API_URL: 'http://127.0.0.1:9',
    LMSTUDIO_API_URL: 'http://127.0.0.1:9',
    LLAMA_CPP_API_URL: 'http://127.0.0.1:9',
    PARLEY_PRICES_URL: 'off',
  });
});
afterEach(async () => {
  await home.dispose();
  await provider.close();
});

function set(settings: object): void {
  mkdirSync(join(home.dir, 'home'), { recursive: true });
  writeFileSync(
    join(home.dir, 'home', 'config.jsonc'),
    JSON.stringify({
      prompts: { titles: false, ...settings },
      mcpServers: { one: { command: process.execPath, args: [raw.path] } },
    }),
  );
}

const agents = (text: string) => writeFileSync(join(home.workspace, 'AGENTS.md'), text);

/** An editor with a server of tools that is up. */
async function editor(): Promise<Wire> {
  const eca = await ecaClient(home);
  await eca.wait(
    ({ method, params }) =>
      method === 'tool/serverUpdated' && params.name === 'one' && params.status === 'running',
  );
  return eca;
}

async function say(eca: Wire, message: string): Promise<readonly Loose[]> {
  const from = eca.said.length;
  await eca.request('chat/prompt', {
    chatId: 'c1',
    message,
    model: 'anthropic/claude-sonnet-5',
    trust: true,
  });
  await eca.wait(
    ({ method, params }) =>
      method === 'chat/statusChanged' && params.chatId === 'c1' && params.status === 'idle',
    from,
  );
  return eca.said.slice(from).map(({ params }) => params);
}

/** Everything but the marks that move on with the conversation. */
function bodies(): readonly { readonly head: string; readonly messages: readonly string[] }[] {
  const unmarked = (value: unknown) =>
    JSON.stringify(value, (key, each: unknown) => (key === 'cache_control' ? undefined : each));
  return provider.requests
    .filter(({ asked }) => asked)
    .map(({ body }) => ({
      head: unmarked({ system: body.system, tools: body.tools, model: body.model }),
      messages: body.messages.map(unmarked),
    }));
}

test('the beginning stays through changed files, tools in another order and a new start of the host, until the user has it built anew', async () => {
  set({});
  agents('Indent with tabs.');
  let host = await home.serve();
  let eca = await editor();
  provider.replies.push([{ think: 'A thought.', seal: 'SEAL-1' }, { text: 'One.' }]);
  await say(eca, 'First');
  agents('Indent with two blanks.');
  provider.replies.push([{ call: 'one__shuffle', input: {}, id: 'callabcde' }], [{ text: 'Two.' }]);
  const changed = await say(eca, 'Second');
  expect(JSON.stringify(changed).match(/have changed since the conversation began/g)).toHaveLength(1);
  expect(JSON.stringify(await say(eca, 'Third'))).not.toContain('have changed since');
  await host.kill('SIGKILL');
  await eca.close();
  host = await home.serve();
  eca = await editor();
  await say(eca, 'Fourth');
  const before = bodies();
  expect([
    before.length,
    new Set(before.map(({ head }) => head)).size,
    before[0]?.head.includes('Indent with tabs.'),
  ]).toEqual([5, 1, true]);
  for (const [at, { messages }] of before.entries())
    expect(messages.slice(0, before[at - 1]?.messages.length ?? 0)).toEqual(before[at - 1]?.messages ?? []);
  expect(before.at(-1)?.messages.join('')).toContain('SEAL-1');
  const shown = JSON.stringify(await say(eca, '/prompt-show'));
  expect([shown.includes('Indent with tabs.'), shown.includes('two blanks')]).toEqual([true, false]);
  await say(eca, '/sync-system-prompt');
  await say(eca, 'Fifth');
  const last = bodies().at(-1);
  expect([
    last?.head.includes('Indent with two blanks.'),
    last?.head.includes('tabs'),
    last?.messages.join('').includes('sync-system-prompt'),
  ]).toEqual([true, false, false]);
  await eca.close();
  await host.kill('SIGTERM');
});

test('a conversation follows at once where the settings say so, and a choice of the user always holds at once', async () => {
  set({ follow: true });
  agents('Indent with tabs.');
  const host = await home.serve();
  const eca = await editor();
  await say(eca, 'First');
  agents('Indent with two blanks.');
  expect(JSON.stringify(await say(eca, 'Second'))).not.toContain('have changed since');
  eca.notify('chat/selectedAgentChanged', { agent: 'plan' });
  const from = eca.said.length;
  await eca.request('chat/prompt', {
    chatId: 'c1',
    message: 'Third',
    agent: 'plan',
    model: 'anthropic/claude-sonnet-5',
  });
  await eca.wait(({ method, params }) => method === 'chat/statusChanged' && params.status === 'idle', from);
  const heads = bodies().map(({ head }) => head);
  expect(heads.map((head) => [head.includes('tabs'), head.includes('two blanks')])).toEqual([
    [true, false],
    [false, true],
    [false, true],
  ]);
  expect(heads[2]).not.toBe(heads[1]);
  await eca.close();
  await host.kill('SIGTERM');
});
