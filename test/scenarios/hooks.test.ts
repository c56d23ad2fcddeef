// Programs of the user around the work of our agent, in the real program: what they are told, what they
// change, and what clients see of it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { brief, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import { fakeProvider } from '../kit/fakeProvider.ts';
import { newHome } from '../kit/parley.ts';

let rig: Talking | undefined;
afterEach(() => rig?.close());

const says = (answer: object) => `echo '${JSON.stringify(answer)}'`;

test('they add to messages and change them, judge calls, change results, and ask for more', async () => {
  const talk = await startConversation({
    settings: {
      approvals: { allow: ['shell_command(echo *)'] },
      hooks: {
        a: { on: 'chatStart', command: says({ additionalContext: 'It is Monday.' }) },
        b: {
          on: 'preRequest',
          command: `cat > seen.json; ${says({ replacedPrompt: 'say replaced', systemMessage: 'Changed.' })}`,
        },
        c: {
          on: 'preToolCall',
          matcher: { shell_command: { command: ['echo bad'] } },
          command: 'echo "not that" >&2; exit 2',
        },
        d: {
          on: 'postToolCall',
          matcher: 'shell_command',
          visible: false,
          command: says({ replacedOutput: 'hidden', additionalContext: 'Look again.' }),
        },
        e: {
          on: 'postRequest',
          command: 'grep -q \'"follow_up_active":true\' || { echo "go on" >&2; exit 2; }',
        },
        f: { on: 'chatStatusChanged', command: 'cat > status.json' },
      },
    },
  });
  rig = talk;
  const steps = [
    [{ call: 'shell_command', input: { command: 'echo bad' } }],
    [{ call: 'shell_command', input: { command: 'echo good' } }],
  ] as const;
  talk.answer = ({ asked }) =>
    asked?.prompt.startsWith('say replaced') ? steps[asked.results.length] : undefined;
  const said = await talk.prompt('c', 'untouched words', 'anthropic/claude-sonnet-4-6');
  const first = talk.asked()[0]?.asked;
  expect(first?.prompt).toContain('say replaced');
  expect(first?.prompt).toContain('It is Monday.');
  expect(JSON.stringify(talk.asked()[0]?.body)).not.toContain('untouched words');
  expect(JSON.parse(readFileSync(join(talk.home.workspace, 'seen.json'), 'utf8'))).toMatchObject({
    hook_name: 'b',
    hook_type: 'preRequest',
    chat_id: 'c',
    agent: 'code',
    workspaces: [talk.home.workspace],
    full_model: 'anthropic/claude-sonnet-4-6',
  });
  const results = talk.asked()[2]?.asked?.results ?? [];
  expect(results[0]).toContain('not that');
  expect(results[1]).toBe('hidden\nLook again.\n');
  expect(brief(said)).toEqual(
    expect.arrayContaining(["system: Hook 'b': Changed.", 'shell_command rejected', 'shell_command done']),
  );
  const shown = said.flatMap(({ content }) =>
    String(content.type).startsWith('hookAction')
      ? [`${content.type} ${content.name} ${content.status ?? ''}`.trim()]
      : [],
  );
  expect(shown).toEqual(
    expect.arrayContaining([
      'hookActionStarted a',
      'hookActionFinished a 0',
      'hookActionFinished c 2',
      'hookActionFinished e 2',
    ]),
  );
  expect(shown.some((line) => line.includes(' d '))).toBe(false);
  // The answer was asked to go on once.
  await expect.poll(() => talk.asked().length).toBeGreaterThan(3);
  await expect.poll(() => existsSync(join(talk.home.workspace, 'status.json'))).toBe(true);
});

test('they keep a message from the model, and one that hangs holds nothing up', async () => {
  const talk = await startConversation({
    settings: {
      hooks: {
        slow: { on: 'preRequest', command: 'sleep 300', timeout: 100 },
        stop: { on: 'preRequest', command: 'grep -q secret && { echo "no secrets" >&2; exit 2; } || true' },
      },
    },
  });
  rig = talk;
  const said = brief(await talk.prompt('c', 'the secret'));
  expect(said).toEqual(['user: the secret', "system: Turn stopped by hook 'stop': no secrets"]);
  expect(talk.provider.requests.filter(({ asked }) => asked)).toEqual([]);
  expect(brief(await talk.prompt('c', 'say hello')).at(-1)).toContain('assistant:');
  expect(JSON.stringify(talk.provider.requests.map(({ body }) => body))).not.toContain('secret');
});

test('nothing leaves the machine of a message that a hook blocks', async () => {
  const home = newHome();
  const provider = await fakeProvider();
  try {
    mkdirSync(home.env['PARLEY_HOME'] ?? '', { recursive: true });
    writeFileSync(
      join(home.env['PARLEY_HOME'] ?? '', 'config.jsonc'),
      JSON.stringify({
        providers: {
          fake: { api: 'openai-chat', url: provider.url, key: '${env:FAKE_API_KEY}', models: { m1: {} } },
        },
        hooks: {
          guard: {
            on: 'preRequest',
            command: 'grep -q hunter2 && { echo "no secrets, please" >&2; exit 2; }; exit 0',
          },
        },
      }),
    );
    delete home.env['PARLEY_SCRIPTED'];
    home.env['FAKE_API_KEY'] = 'sk-test';
    const run = (text: string) => home.run('run', '--standalone', '--model', 'fake/m1', text).done;
    const { err } = await run('my password is hunter2, log me in');
    expect(err).toContain("Turn stopped by hook 'guard': no secrets, please");
    expect(provider.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect((await run('log me in')).code).toBe(0);
    expect(provider.requests.some(({ asked }) => asked?.prompt.includes('log me in'))).toBe(true);
  } finally {
    await provider.close();
    await home.dispose();
  }
});
