// Programs of the user around everything that is no single request: sessions and chats that begin and end,
// agents that work for others, summaries, and agents that others wrote.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import { ecaClient } from '../kit/clients.ts';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import { newHome } from '../kit/parley.ts';

let close: () => Promise<unknown> = () => Promise.resolve();
afterEach(() => close());

const model = formats[0][1];
const says = (answer: object) => `echo '${JSON.stringify(answer)}'`;
/** Writes down what it was told, one line each. */
const recorder = 'cat >> ../told.jsonl';

async function start(hooks: object, more: object = {}): Promise<Talking> {
  const rig = await startConversation({ settings: { hooks, ...more } });
  close = () => rig.close();
  return rig;
}

function told(dir: string): readonly Record<string, unknown>[] {
  const file = join(dir, 'told.jsonl');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];
}

const kinds = (dir: string) => told(dir).map(({ hook_type: kind }) => kind);

test('a session and its chats begin and end in order, and each program is told who and where', async () => {
  const on = ['sessionStart', 'chatStart', 'chatEnd', 'sessionEnd'] as const;
  const rig = await start(
    Object.fromEntries(on.map((event) => [`h-${event}`, { on: event, command: recorder }])),
  );
  await expect.poll(() => kinds(rig.home.dir)).toEqual(['sessionStart']);
  await rig.prompt('c', 'Hello.', model);
  await rig.prompt('c', 'Hello again.', model);
  await rig.eca.request('chat/delete', { chatId: 'c' });
  await expect.poll(() => kinds(rig.home.dir)).toEqual(['sessionStart', 'chatStart', 'chatEnd']);
  await rig.eca.request('shutdown', null);
  await rig.eca.close();
  await expect.poll(() => kinds(rig.home.dir), { timeout: 100_000 }).toEqual([...on]);
  const common = {
    workspaces: [rig.home.workspace],
    cwd: rig.home.workspace,
    db_cache_path: rig.home.env['PARLEY_HOME'],
    eca_executable: expect.stringContaining('parley') as string,
  };
  expect(told(rig.home.dir)).toMatchObject([
    { hook_name: 'h-sessionStart', ...common },
    { hook_name: 'h-chatStart', ...common, chat_id: 'c', resumed: false, agent: 'code', full_model: model },
    { ...common, chat_id: 'c' },
    common,
  ]);
});

test('an agent that works for another one is told more, and its last words are seen', async () => {
  const rig = await start({
    a: { on: 'subagentStart', command: `${recorder}; ${says({ additionalContext: 'Be brief.' })}` },
    b: { on: 'subagentPostRequest', command: recorder },
    c: { on: 'chatStart', command: recorder },
  });
  await rig.prompt(
    'parent',
    `TOOL:spawn_agent ${JSON.stringify({ agent: 'general', task: 'Say hello.' })}`,
    model,
  );
  expect(told(rig.home.dir)).toMatchObject([
    { hook_type: 'chatStart', chat_id: 'parent' },
    {
      hook_type: 'subagentStart',
      parent_chat_id: 'parent',
      agent: 'general',
      chat_id: expect.stringMatching(/^subagent-/) as string,
    },
    { hook_type: 'subagentPostRequest', response: expect.stringContaining('Say hello.') as string },
  ]);
  expect(
    rig
      .asked()
      .find(({ asked }) => asked?.prompt.includes('Say hello.') && !asked.prompt.includes('spawn_agent'))
      ?.asked?.prompt,
  ).toContain('Be brief.');
});

test('a summary is kept from being written, or told and added to', async () => {
  const rig = await start({
    a: {
      on: 'preCompact',
      command: `${recorder}; tail -1 ../told.jsonl | grep -q '"custom_instructions":"not now"' && { echo "too early" >&2; exit 2; } || true`,
    },
    b: { on: 'postCompact', command: `${recorder}; ${says({ additionalContext: 'The branch is main.' })}` },
  });
  rig.answer = ({ asked }) =>
    asked?.prompt.includes('by calling eca__compact_chat')
      ? [{ call: 'compact_chat', input: { summary: 'They greeted.' } }]
      : undefined;
  await rig.prompt('c', 'Hello.', model);
  expect(brief(await rig.prompt('c', '/compact not now', model)).join('\n')).toContain('too early');
  expect(rig.asked().some(({ asked }) => asked?.prompt.includes('by calling eca__compact_chat'))).toBe(false);
  await rig.prompt('c', '/compact', model);
  expect(told(rig.home.dir)).toMatchObject([
    { triggered: 'manual', custom_instructions: 'not now' },
    { triggered: 'manual' },
    { hook_type: 'postCompact', compact_summary: 'They greeted.' },
  ]);
});

test('a program is told what policy says of a call, refuses it and ends the turn, and the model is not asked again', async () => {
  const rig = await start(
    {
      a: {
        on: 'preToolCall',
        command: `${recorder}; ${says({ approval: 'deny', continue: false, stopReason: 'Enough.' })}`,
      },
    },
    { approvals: { allow: ['shell_command(echo *)'] } },
  );
  rig.answer = ({ asked }) =>
    asked?.results.length === 0 ? [{ call: 'shell_command', input: { command: 'echo hi' } }] : undefined;
  const said = brief(await rig.prompt('c', 'Do it.', model));
  expect(said.slice(1)).toEqual(
    expect.arrayContaining(['shell_command rejected', "system: Turn stopped by hook 'a': Enough."]),
  );
  expect(rig.asked().length).toBe(1);
  expect(told(rig.home.dir)).toMatchObject([
    { tool_name: 'shell_command', server: 'eca', approval: 'allow', tool_input: { command: 'echo hi' } },
  ]);
});

test('agents that others wrote have them around their turns and their calls, too', async () => {
  const agent = await bundle(join(import.meta.dirname, '..', 'kit', 'referenceAgent.ts'));
  const home = newHome();
  close = async () => {
    await home.dispose();
    agent.dispose();
  };
  mkdirSync(home.env['PARLEY_HOME'] ?? '', { recursive: true });
  writeFileSync(
    join(home.env['PARLEY_HOME'] ?? '', 'config.jsonc'),
    JSON.stringify({
      agents: { ref: { command: process.execPath, args: [agent.path], env: { REFERENCE_AGENT: '{}' } } },
      defaultAgent: 'ref',
      hooks: {
        a: { on: 'preRequest', command: `${recorder}; ${says({ additionalContext: 'It is Monday.' })}` },
        b: {
          on: 'preToolCall',
          command:
            `${recorder}; tail -1 ../told.jsonl | grep -q forbidden && { echo "not that one" >&2; exit 2; ` +
            '} || tail -1 ../told.jsonl | grep -q changed && ' +
            `${says({ updatedInput: { command: 'echo other' } })} || true`,
        },
        c: { on: 'postToolCall', command: recorder },
        d: { on: 'postRequest', command: recorder },
        e: { on: 'chatStart', command: `${recorder}; ${says({ additionalContext: 'It is early.' })}` },
      },
    }),
  );
  const eca = await ecaClient(home, { args: ['--standalone'] });
  const prompt = async (message: string, asked?: 'asked') => {
    const from = eca.said.length;
    await eca.request('chat/prompt', { chatId: 'c', message, agent: 'ref' });
    if (asked) {
      const { params } = await eca.wait(
        ({ method, params: { content } }) =>
          method === 'chat/contentReceived' &&
          content.type === 'toolCallRun' &&
          content.manualApproval === true,
        from,
      );
      eca.notify('chat/toolCallApprove', { chatId: 'c', toolCallId: params.content.id });
    }
    await eca.wait(
      ({ method, params }) =>
        method === 'chat/contentReceived' &&
        params.content.type === 'progress' &&
        params.content.state === 'finished',
      from,
    );
    return JSON.stringify(eca.said.slice(from));
  };
  const first = await prompt('show');
  expect([first.includes('It is Monday.'), first.includes('It is early.')]).toEqual([true, true]);
  expect(await prompt('show')).not.toContain('It is early.');
  const refused = await prompt('shell echo forbidden');
  expect(refused).toContain('toolCallRejected');
  expect(kinds(home.dir)).toEqual([
    'chatStart',
    'preRequest',
    'postRequest',
    'preRequest',
    'postRequest',
    'preRequest',
    'preToolCall',
    'postRequest',
  ]);
  expect(told(home.dir)[0]).toMatchObject({ hook_name: 'e', chat_id: 'c', resumed: false });
  expect(told(home.dir)[6]).toMatchObject({ server: 'ref', approval: 'ask', chat_id: 'c' });
  const other = await prompt('shell echo changed');
  expect([
    other.includes('toolCallRejected'),
    other.includes('a hook changed the arguments, which this agent does not support'),
  ]).toEqual([true, true]);
  await prompt('shell echo permitted', 'asked');
  const after = () => told(home.dir).filter(({ hook_type: kind }) => kind === 'postToolCall');
  await expect.poll(after).toMatchObject([
    {
      hook_name: 'c',
      server: 'ref',
      chat_id: 'c',
      error: false,
      tool_input: expect.anything() as unknown,
      tool_response: expect.stringContaining('permitted') as string,
    },
  ]);
  const unasked = `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: 'u', title: 'Peek', kind: 'read', status: 'completed' })}`;
  expect(await prompt(unasked)).toContain('ref ran Peek without asking');
  expect(await prompt(unasked)).not.toContain('without asking');
  await eca.close();
});
