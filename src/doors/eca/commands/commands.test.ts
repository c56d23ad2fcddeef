// Messages that begin with a slash, over a connection in memory.
import { afterEach, describe, expect, test } from 'vitest';
import { content, greetedClient } from '../../../../test/kit/ecaClient.ts';
import type { EcaClient, WireMessage } from '../../../../test/kit/ecaClient.ts';
import { rig } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { bareKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { Knowledge, ProjectKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { EcaOptions, TextFiles } from '../options.ts';
import { nativeCommands } from './natives.ts';

let made: Rig;
let client: EcaClient;
const disk = new Map<string, string>();

afterEach(async () => {
  await client.close();
  await made.close();
  disk.clear();
});

const texts: TextFiles = {
  read: (path) =>
    Promise.resolve(
      disk.has(path) ? { path, text: disk.get(path) ?? '' } : { refused: `${path} cannot be read` },
    ),
  write: (path, { name, text }) => {
    const file = path === '.' ? name : path;
    disk.set(file, text);
    return Promise.resolve({ path: file });
  },
};

const written: ProjectKnowledge = {
  ...bareKnowledge,
  commands: [
    {
      name: 'greet',
      description: 'Say hi',
      path: '/greet.md',
      arguments: [{ name: 'who', required: true }],
      text: 'Say hi to {{who}}.',
    },
  ],
  skills: [{ name: 'lint', description: 'Lint things', folder: '/skills/lint', text: 'Run lint on $1' }],
};

const knowledge: Knowledge = {
  now: () => written,
  of: () => Promise.resolve(written),
  hooks: () => [],
  watch: () => () => {},
};

/** A client with one chat in which as many messages were answered. */
async function start(messages: readonly string[] = [], options: Partial<EcaOptions> = {}): Promise<void> {
  made = await rig(undefined, { knowledge });
  made.scripts.set('*', async (turn) => {
    const meant =
      turn.message.attachments
        ?.map((attachment) => (attachment.type === 'text' ? ` (${attachment.text})` : ''))
        .join('') ?? '';
    turn.report({
      kind: 'text.added',
      item: turn.session.turn,
      channel: 'answer',
      text: `re ${turn.message.text}${meant}`,
    });
    turn.report({
      kind: 'usage.reported',
      usage: { input: 100, output: 20, cost: 0.25, context: { used: 120, size: 1_000 } },
    });
  });
  client = await greetedClient(made.host, { workspaceFiles: { texts }, ...options });
  for (const message of messages) await say(message);
}

async function say(message: string, chatId = 'c'): Promise<readonly string[]> {
  const { result } = await client.request('chat/prompt', { chatId, message });
  expect(result).toMatchObject({ chatId, status: 'prompting' });
  await client.until(content('progress', 'finished'));
  return client.news();
}

const told = (news: readonly string[]) =>
  JSON.parse(
    news.find((line) => line.startsWith('system text'))?.slice('system text '.length) ?? '""',
  ) as string;

test('what only tells is over before the answer, and is stored nowhere', async () => {
  await start(['one']);
  expect(await say('/costs')).toEqual([
    'user text "/costs\\n"',
    'system text "\\nTotal input tokens: 100\\nTotal output tokens: 20\\nTotal cost: $0.25"',
    'chat/statusChanged {"chatId":"c","status":"idle"}',
    'system progress finished',
    'result {"chatId":"c","model":"script/one","status":"prompting"}',
  ]);
  expect(made.host.opened('c')?.state.chats['c']?.turns.length).toBe(1);
});

test('a command may begin a chat', async () => {
  await start();
  expect((await say('/rules', 'new')).slice(0, 2)).toEqual([
    'chat/opened {"chatId":"new"}',
    'user text "/rules\\n"',
  ]);
});

test('a command while the agent works leaves the turn running', async () => {
  await start();
  made.scripts.set(
    'hang',
    (turn) => new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve(undefined))),
  );
  await client.request('chat/prompt', { chatId: 'c', message: 'hang' });
  client.news();
  await client.request('chat/prompt', { chatId: 'c', message: '/costs' });
  expect(client.news().map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    'user text "/costs\\n"',
    'system text "\\nTotal',
    'system progress "Waiting',
    'result {"chatId":"c","model":"script/one","status":"prompting"}',
  ]);
});

describe('the list', () => {
  test('has the native ones in their order, then skills, then commands', async () => {
    await start();
    const { result } = await client.request('chat/queryCommands', { query: '' });
    const { commands } = result as { commands: readonly { name: string; type: string }[] };
    expect(commands.map(({ name }) => name)).toEqual([
      'init',
      'login',
      'model',
      'skills',
      'skill-create',
      'costs',
      'context',
      'compact',
      'fork',
      'resume',
      'export',
      'import',
      'remote',
      'config',
      'doctor',
      'debug-chat',
      'repo-map-show',
      'rules',
      'prompt-show',
      'sync-system-prompt',
      'subagents',
      'plugins',
      'plugin-install',
      'plugin-uninstall',
      'hooks',
      'lint',
      'eca-info',
      'greet',
    ]);
    expect(commands.slice(-2).map(({ type }) => type)).toEqual(['skill', 'custom-prompt']);
    expect(commands.at(-1)).not.toHaveProperty('body');
  });

  test('is filtered by names and descriptions', async () => {
    await start();
    const { result } = await client.request('chat/queryCommands', { chatId: 'c', query: 'SAY HI' });
    expect(result).toEqual({
      chatId: 'c',
      commands: [
        {
          name: 'greet',
          description: 'Say hi',
          type: 'custom-prompt',
          arguments: [{ name: 'who', required: true }],
        },
      ],
    });
  });
});

describe('commands and skills of the user', () => {
  test.each([
    ['/greet Bob', 're /greet Bob (Say hi to Bob.)'],
    ['/lint foo', 're /lint foo (Run lint on foo\n\nThe files of this skill are in /skills/lint.)'],
    ['/nosuch thing', 're /nosuch thing'],
    ['/usr/bin is a folder', 're /usr/bin is a folder'],
  ])('%s', async (message, answer) => {
    await start();
    const news = await say(message);
    expect(news).toContain(`user text ${JSON.stringify(`${message}\n`)}`);
    expect(news).toContain(`assistant text ${JSON.stringify(answer)}`);
    expect(news.join('\n')).not.toContain('Parsing given context');
  });
});

describe('every native command does something or says why not', () => {
  test.each(nativeCommands.map(({ name }) => name))('/%s', async (name) => {
    await start(['one']);
    const news = await say(`/${name}`);
    expect(
      told(news).length + news.filter((line) => line.startsWith('assistant text')).length,
    ).toBeGreaterThan(0);
  });
});

describe('what they say', () => {
  test.each([
    ['/model', '* script/one'],
    ['/model one', 'now uses script/one'],
    ['/model nope', 'Unknown model nope'],
    ['/context', '120 of 1.0k tokens (12.0% used)'],
    ['/doctor', 'Parley: 1.2.3'],
    ['/doctor', 'Node: 99'],
    ['/config', '"agent": "script"'],
    ['/rules', 'Rules of this chat:\n- none'],
    ['/skills', '- lint: Lint things'],
    ['/subagents', '- script: Does what a test says.'],
    [
      '/prompt-show hi',
      '# Instructions (System prompt)\n\nBe good in /w.\n\nTool schemas are sent separately.\n\n# Chat ' +
        '(User prompt)\n\nhi',
    ],
    ['/remote', 'http://127.0.0.1:4517/'],
    ['/repo-map-show', '/w'],
    ['/import nowhere.json', 'nowhere.json cannot be read'],
    ['/resume', 'There are no other chats'],
  ])('%s', async (message, words) => {
    await start(['one'], {
      about: {
        facts: () => [['Node', '99']],
        consoleAddress: () => ({ url: 'http://127.0.0.1:4517/', token: '/t' }),
      },
      nativeAgent: { tools: () => [], systemPrompt: ({ roots }) => `Be good in ${roots.join()}.` },
    });
    expect(told(await say(message))).toContain(words);
  });

  test('/context also sends what fills the context', async () => {
    await start(['one'], { nativeAgent: { tools: () => [], systemPrompt: () => 'x'.repeat(400) } });
    await client.request('chat/prompt', { chatId: 'c', message: '/context' });
    const usage = client.wire.findLast(
      ({ params }) => (params?.['content'] as { type?: string } | undefined)?.type === 'usage',
    );
    expect(usage?.params?.['content']).toMatchObject({
      sessionTokens: 120,
      contextBreakdown: {
        usedTokens: 120,
        freeTokens: 880,
        contextLimit: 1_000,
        freeEmoji: '⬜',
        categories: [
          { name: 'System prompt', color: '#61afef', emoji: '🟦' },
          { name: 'Skills' },
          { name: 'Tool definitions' },
          { name: 'Conversation' },
        ],
      },
    });
  });
});

describe('chats', () => {
  test('/export and /import carry a chat elsewhere', async () => {
    await start(['one', 'two']);
    expect(told(await say('/export out.json'))).toContain('Exported to out.json');
    await client.request('chat/delete', { chatId: 'c' });
    client.news();
    const news = await say('/import out.json', 'other');
    expect(news).toContain('chat/opened {"chatId":"c"}');
    expect(news.filter((line) => line.startsWith('assistant text'))).toEqual([
      'assistant text "\\nre one"',
      'assistant text "\\nre two"',
    ]);
    await say('three');
    expect(made.host.opened('c')?.state.chats['c']?.turns.map(({ message }) => message.text)).toEqual([
      'one',
      'two',
      'three',
    ]);
  });

  test('/import of a chat that is still here makes another one', async () => {
    await start(['one']);
    await say('/export out.json');
    const news = await say('/import out.json');
    expect(told(news.filter((line) => line.includes('Imported')))).not.toContain('as chat c.');
  });

  test('/import refuses what is no chat', async () => {
    await start(['one']);
    disk.set('x.json', '{"parley":"chat","version":1,"turns":[{"id":5}]}');
    expect(told(await say('/import x.json'))).toContain('Not a chat exported by Parley.');
  });

  test('/resume lists the others and goes on with one under the id of this chat', async () => {
    await start(['one']);
    await say('hello', 'second');
    const chooser = { kind: 'client', door: 'test', client: 'phone' } as const;
    made.host.opened('second')?.dispatch({ kind: 'changeSession', changes: { autonomy: 'plan' } }, chooser);
    expect(told(await say('/resume'))).toContain('1. Untitled (second)');
    const news = await say('/resume latest');
    expect(news.filter((line) => /^chat\/(?!status)|^assistant text/.test(line))).toEqual([
      'chat/deleted {"chatId":"second"}',
      'chat/cleared {"chatId":"c","messages":true}',
      'chat/opened {"chatId":"c"}',
      'assistant text "\\nre hello"',
    ]);
    const { result } = await client.request('chat/list', {});
    expect((result as { chats: readonly { id: string }[] }).chats.map(({ id }) => id)).toEqual(['c']);
    expect(await say('go on')).toContain('assistant text "re go on"');
    expect(made.host.opened('c')?.state.chats['c']?.turns.map(({ message }) => message.text)).toEqual([
      'hello',
      'go on',
    ]);
    expect(made.host.opened('c')?.state.autonomy).toEqual({ level: 'plan', by: chooser });
  });

  test('/resume in a new chat, and never of a chat at work', async () => {
    await start(['one']);
    made.scripts.set(
      'hang',
      (turn) => new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve(undefined))),
    );
    await client.request('chat/prompt', { chatId: 'c', message: 'hang' });
    expect((await say('/resume c', 'new')).join()).toContain('is running');
    client.notify('chat/promptStop', { chatId: 'c' });
    await client.until(content('progress', 'finished'));
    client.news();
    expect(await say('/resume 1', 'new')).toContain('assistant text "\\nre one"');
    expect(made.host.summary('c')?.archived).toBe(true);
  });

  test('/debug-chat leaves the words out', async () => {
    await start(['a secret thing']);
    await say('/debug-chat out.json');
    expect(disk.get('out.json')).not.toContain('secret');
    expect(disk.get('out.json')).toContain('<14 characters>');
  });

  test('/fork copies the chat', async () => {
    await start(['one']);
    await client.request('chat/update', { chatId: 'c', title: 'Talk' });
    client.news();
    const news = await say('/fork');
    expect(news).toContain('system text "\\nChat forked to: Talk (2)"');
    expect(news.find((line) => line.startsWith('chat/opened'))).toContain('"title":"Talk (2)"');
    expect(news).toContain('assistant text "\\nre one"');
  });
});

describe('chat/fork', () => {
  const ids = () => made.host.opened('c')?.state.chats['c']?.turns.map(({ message }) => message.id) ?? [];

  test('keeps everything up to a message, flags included, and says so in the old chat', async () => {
    await start(['one', 'two', 'three']);
    const [first, second, third] = ids();
    await client.request('chat/addFlag', { chatId: 'c', contentId: first, text: 'here' });
    await client.request('chat/addFlag', { chatId: 'c', contentId: third, text: 'there' });
    client.news();
    const { result } = await client.request('chat/fork', { chatId: 'c', contentId: second });
    expect(result).toEqual({});
    const news = client.news();
    const opened = client.wire.findLast(({ method }) => method === 'chat/opened') as WireMessage;
    expect(news.map((line) => line.replace(/ \{.*/, ''))).toEqual([
      'chat/opened',
      'user text "\\none"',
      'system flag "here"',
      'assistant text "\\nre one"',
      'user text "\\ntwo"',
      'system metadata',
      'system usage 120',
      'system text "Chat forked to: Untitled (2)"',
      'result',
    ]);
    const copy = String(opened.params?.['chatId']);
    await say('four', copy);
    expect(made.host.opened(copy)?.state.chats[copy]?.turns.map(({ message }) => message.text)).toEqual([
      'one',
      'two',
      'four',
    ]);
    expect(ids().length).toBe(3);
  });

  test('of a message or chat that is not there is refused', async () => {
    await start(['one']);
    expect((await client.request('chat/fork', { chatId: 'c', contentId: 'nope' })).error).toMatchObject({
      code: -32602,
    });
    expect((await client.request('chat/fork', { chatId: 'nope', contentId: 'x' })).error).toEqual({
      code: 'chat_not_found',
      message: 'Chat nope not found',
    });
  });
});
