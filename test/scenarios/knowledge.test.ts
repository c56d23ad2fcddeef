// What a project and its user tell agents, seen from both ends: an editor on the real program, and the
// provider that gets the requests.
import { mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { acpProcess } from '../kit/acpClient.ts';
import { brief, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import { newHome } from '../kit/parley.ts';
import type { ModelRequest } from '../kit/provider/reply.ts';

let close: () => Promise<unknown> = () => Promise.resolve();
afterEach(() => close());

async function start(files: { readonly [path: string]: string }): Promise<Talking> {
  const rig = await startConversation();
  close = () => rig.close();
  put(rig.home.workspace, files);
  return rig;
}

function put(root: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** What the provider was asked last. */
function last(rig: Talking): ModelRequest {
  const asked = rig.asked().at(-1)?.asked;
  if (!asked) throw new Error('nothing was asked');
  return asked;
}

const named = ({ tools }: ModelRequest) => tools.map(({ name }) => name);

test('a model is told instructions, rules and skills, and what has changed with another way to work', async () => {
  const rig = await start({
    'AGENTS.md': 'Indent with tabs. See @docs/more.md',
    'docs/more.md': 'More of it.',
    '.eca/rules/kind.md': 'Be kind.',
    '.eca/rules/other.md': '---\nagent: plan\n---\nFor plans.',
    '.eca/rules/ts.md': '---\npaths: "src/**"\n---\nNo any.',
    '.agents/skills/deploy/SKILL.md': '---\nname: deploy\ndescription: Brings it out\n---\nRun the script.',
  });
  expect(await rig.home.run('trust', rig.home.workspace, '--yes').done).toMatchObject({ code: 0 });
  await rig.prompt('c', 'hello');
  for (const told of [
    'Indent with tabs.',
    'More of it.',
    'Be kind.',
    'ts, for src/**',
    '- deploy: Brings it out',
  ])
    expect(last(rig).system).toContain(told);
  for (const kept of ['For plans.', 'No any.', 'Run the script.'])
    expect(last(rig).system).not.toContain(kept);
  expect(named(last(rig))).toEqual(
    expect.arrayContaining(['eca__skill', 'eca__fetch_rule', 'eca__edit_file']),
  );

  put(rig.home.workspace, { 'AGENTS.md': 'Indent with two blanks.' });
  rig.eca.notify('chat/selectedAgentChanged', { chatId: 'c', agent: 'plan' });
  await rig.prompt('c', 'again');
  for (const told of ['Indent with two blanks.', 'For plans.', 'You are planning'])
    expect(last(rig).system).toContain(told);
  expect(named(last(rig))).not.toContain('eca__edit_file');
});

test('models are told in words of the user what a title, a summary and a tool are', async () => {
  const prompts = {
    title: 'A title generator of mine.',
    compact: 'Sum it up my way.',
    tools: { grep: 'Looks for things my way.' },
  };
  const rig = await startConversation({ settings: { prompts } });
  close = () => rig.close();
  await rig.prompt('c', 'hello');
  expect(JSON.stringify(rig.asked().at(-1)?.body)).toContain('"description":"Looks for things my way."');
  await expect
    .poll(() => rig.provider.requests.some(({ asked }) => asked?.system === prompts.title))
    .toBe(true);
  await rig.prompt('c', '/compact');
  expect(last(rig).prompt).toContain('Sum it up my way.');
});

test('a conversation has no title where none is wanted', async () => {
  const rig = await startConversation({ settings: { prompts: { titles: false } } });
  close = () => rig.close();
  await rig.prompt('c', 'hello');
  expect(rig.provider.requests.filter(({ asked }) => asked)).toEqual(rig.asked());
  const { chats } = await rig.eca.request('chat/list', {});
  expect(chats).toMatchObject([{ id: 'c', title: null }]);
});

test('rules and skills are read with tools, and a file waits for the rule it needs', async () => {
  const rig = await start({
    'src/a.ts': 'let a: any;\n',
    '.eca/rules/ts.md': '---\nname: types\npaths: "src/**"\nenforce: [read]\n---\nNo any here.',
    '.eca/skills/deploy/SKILL.md': 'Run the script.',
  });
  rig.answer = ({ asked }) => {
    const id = /- (\w{8}): types/.exec(asked?.system ?? '')?.[1] ?? '';
    const steps = [
      [{ call: 'read_file', input: { path: 'src/a.ts' } }],
      [{ call: 'fetch_rule', input: { id, path: 'README.md' } }],
      [{ call: 'fetch_rule', input: { id, path: 'src/a.ts' } }],
      [{ call: 'read_file', input: { path: 'src/a.ts' } }],
      [{ call: 'skill', input: { name: 'deploy' } }],
    ] as const;
    return asked?.prompt === 'look' ? steps[asked.results.length] : undefined;
  };
  const said = brief(await rig.prompt('c', 'look'));
  expect(said.filter((line) => /failed|done/.test(line))).toEqual([
    'read_file failed',
    'fetch_rule failed',
    'fetch_rule done',
    'read_file done',
    'skill done',
  ]);
  expect(
    last(rig).results.map(
      (text) => /First read the rules|is for src|No any here|let a: any|Run the script/.exec(text)?.[0],
    ),
  ).toEqual(['First read the rules', 'is for src', 'No any here', 'let a: any', 'Run the script']);
});

test('commands and skills that people call, mentions and contexts reach the model as they were then', async () => {
  const rig = await start({
    '.eca/commands/greet.md': '---\ndescription: Says hi\n---\nSay hi to $1.',
    '.parley/skills/tidy/SKILL.md': '---\ndescription: Tidies\n---\nTidy $ARGS up.',
    'src/a.ts': 'one\ntwo\nthree\nfour\n',
    'docs/b.md': 'B.\n',
  });
  expect(await rig.home.run('trust', rig.home.workspace, '--yes').done).toMatchObject({ code: 0 });
  const { commands } = await rig.eca.request('chat/queryCommands', { chatId: 'c', query: '' });
  const written = (commands as { name: string; type: string; description: string }[]).filter(
    ({ type, name }) => type !== 'native' && name !== 'eca-info',
  );
  expect(written).toMatchObject([
    { name: 'tidy', type: 'skill', description: 'Tidies' },
    { name: 'greet', type: 'custom-prompt', description: 'Says hi', arguments: [{ name: 'arg1' }] },
  ]);
  await rig.prompt('c', '/greet Bob');
  expect(last(rig).prompt).toContain('Say hi to Bob.');
  await rig.prompt('c', '/tidy src');
  expect(last(rig).prompt).toContain('Tidy src up.');
  await rig.prompt('c', 'compare @src/a.ts:L2-L3 with @docs/b.md, not with @nobody');
  expect(last(rig).prompt).toContain('lines="2-3">\ntwo\nthree\n</file>');
  expect(last(rig).prompt).toContain('B.\n</file>');
  put(rig.home.workspace, { 'docs/b.md': 'Changed.\n' });
  const contexts = [
    { type: 'file', path: join(rig.home.workspace, 'src/a.ts') },
    { type: 'directory', path: join(rig.home.workspace, 'src') },
    { type: 'text', label: 'selection', content: 'chosen words' },
    {
      type: 'cursor',
      path: join(rig.home.workspace, 'src/a.ts'),
      position: { start: { line: 2, character: 1 }, end: { line: 2, character: 1 } },
    },
  ];
  const from = rig.eca.said.length;
  await rig.eca.request('chat/prompt', { chatId: 'c', message: 'look', contexts });
  await rig.finished('c', from);
  for (const given of [
    'one\ntwo\nthree\nfour\n</file>',
    'a.ts\n</directory>',
    'selection:\nchosen words',
    'line 2, column 1. That line is:\ntwo',
  ])
    expect(last(rig).prompt).toContain(given);
  // What was given before stays as it was given.
  const whole = JSON.stringify(rig.asked().at(-1)?.body);
  expect(whole).toContain('B.');
  expect(whole).not.toContain('Changed.');
});

test('a page of the web, a picture and a selection that are attached reach the model, too', async () => {
  const rig = await start({ 'src/a.ts': 'one\ntwo\nthree\n' });
  const server = createServer((_, answer) =>
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The page</h1>'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const contexts = [
    { type: 'web', url: `http://127.0.0.1:${port}/x` },
    { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
    { type: 'file', path: join(rig.home.workspace, 'src/a.ts'), linesRange: { start: 2, end: 2 } },
  ];
  const from = rig.eca.said.length;
  await rig.eca.request('chat/prompt', {
    chatId: 'c',
    message: 'look',
    contexts,
    model: 'anthropic/claude-sonnet-4-6',
  });
  await rig.finished('c', from);
  server.close();
  expect(last(rig).prompt).toMatch(/<page url="[^"]+">\n[^]*The page[^]*<\/page>/);
  expect(last(rig).prompt).toContain('lines="2-2">\ntwo\n</file>');
  expect(JSON.stringify(rig.asked().at(-1)?.body)).toContain('iVBORw0KGgo=');
});

test('a picture that a message mentions, or that is attached by its path, is shown to the model and stays as it was then', async () => {
  const rig = await start({ 'docs/a.png': 'first', 'b.jpg': 'second' });
  const shown = () => JSON.stringify(rig.asked().at(-1)?.body);
  const [first, second] = ['first', 'second'].map((words) => btoa(words));
  await rig.prompt('c', 'what is on @docs/a.png?', 'anthropic/claude-sonnet-4-6');
  expect(rig.asked().at(-1)?.body).toMatchObject({
    messages: [
      {
        role: 'user',
        content: expect.arrayContaining([
          expect.objectContaining({
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: first },
          }),
        ]),
      },
    ],
  });
  expect(last(rig).prompt).toContain(`Attached file: ${join(rig.home.workspace, 'docs/a.png')}`);
  put(rig.home.workspace, { 'docs/a.png': 'changed' });
  const from = rig.eca.said.length;
  await rig.eca.request('chat/prompt', {
    chatId: 'c',
    message: 'and here?',
    contexts: [
      { type: 'file', path: join(rig.home.workspace, 'b.jpg') },
      { type: 'file', path: join(rig.home.workspace, 'none.gif') },
    ],
  });
  await rig.finished('c', from);
  expect([first, second, btoa('changed')].map((data = '') => shown().includes(`"${data}"`))).toEqual([
    true,
    true,
    false,
  ]);
  expect(last(rig).prompt).toMatch(/none\.gif">\n\[It cannot be read: /);
});

test('ACP clients are offered modes and commands of the workspace, once they are read', async () => {
  const home = newHome();
  close = () => home.dispose();
  put(home.workspace, {
    '.parley/commands/greet.md': 'Say hi to {{who}}.',
    '.eca/agents/pair.md': '---\ndescription: Works with you\nmode: primary\n---\nBe a pair.',
  });
  const acp = acpProcess(home);
  await acp.initialize();
  const id = await acp.newSession({ cwd: home.workspace });
  const told = (update: string, name: string) =>
    acp.seen((message) => JSON.stringify(message).includes(update) && JSON.stringify(message).includes(name));
  await told('available_commands_update', '"greet"');
  await told('config_option_update', '"pair"');
  await acp.call('session/set_mode', { sessionId: id, modeId: 'pair' });
  expect(acp.problems).toEqual([]);
  await acp.close();
});

test('project files of a stranger run nothing and allow nothing; a broken file is told in every conversation', async () => {
  const rig = await start({
    '.eca/config.json':
      '{"hooks": {"h": {"type": "preRequest", "actions": [{"type": "shell", "shell": "touch ran"}]}}, "chat": {"defaultTrust": true}}',
    '.parley/config.jsonc': '{ "disabledTools": ["grep"], oops',
  });
  const said = brief(await rig.prompt('c', 'hello'));
  expect(
    said
      .filter((line) => line.startsWith('system:'))
      .map((line) => /is broken in line|is not trusted/.exec(line)?.[0]),
  ).toEqual(['is broken in line']);
  expect(brief(await rig.prompt('c', 'hello')).filter((line) => line.startsWith('system:'))).toEqual([]);
});
