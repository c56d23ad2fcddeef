// Section 6.15 and the hook scenarios of ECA's own suite: programs of the user around prompts and calls, set
// up in the user's ECA configuration.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../eca.ts';
import { ending, first, formats, startRig } from './formats.ts';
import type { Prompted, Rig } from './formats.ts';
import { content, inShort, isContent } from './words.ts';
import type { Json } from '../../../src/model/event.ts';
import type { Loose, ReceivedNotification } from '../../kit/wire.ts';

let rig: Rig;

const says = (answer: object) => `echo '${JSON.stringify(answer)}'`;
/** Answers where what the hook is told has certain words in it. */
const when = (words: string, command: string) => `grep -q '${words}' && ${command} || true`;
const hook = (type: string, shell: string, more: object = {}) => ({
  type,
  ...more,
  actions: [{ type: 'shell', shell }],
});

beforeAll(async () => {
  rig = await startRig({
    config: {
      toolCall: {
        approval: {
          allow: { eca__shell_command: {} },
          deny: { eca__shell_command: { argsMatchers: { command: ['rm .*'] } } },
        },
      },
      hooks: {
        'a-rewrite': hook('preRequest', when('chain of two', says({ replacedPrompt: 'REWRITTEN PROMPT' }))),
        stop: hook(
          'prePrompt',
          when('REWRITTEN PROMPT', says({ continue: false, stopReason: 'STOPPED BY HOOK' })),
        ),
        context: hook(
          'preRequest',
          when(
            'add to this',
            says({ additionalContext: 'THE MOON IS FULL', systemMessage: 'I have added something.' }),
          ),
          { visible: false },
        ),
        greet: hook('chatStart', when('greeted-', says({ systemMessage: 'Welcome.' })), { visible: false }),
        shut: hook('chatStart', when('closed-', says({ continue: false, stopReason: 'NOT HERE' })), {
          visible: false,
        }),
        wait: hook('preRequest', when('wait for it', 'until [ -e come ]; do sleep 0.05; done'), {
          visible: false,
        }),
        change: hook('preToolCall', when('echo before', says({ updatedInput: { command: 'echo after' } })), {
          matcher: 'eca__shell_command',
        }),
        deny: hook('preToolCall', when('echo denied', says({ approval: 'deny', reason: 'not today' })), {
          matcher: { eca__shell_command: { argsMatchers: { command: ['echo denied'] } } },
        }),
        exit: hook('preToolCall', when('echo exits', '{ echo "with two" >&2; exit 2; }'), {
          matcher: 'eca__shell_command',
          visible: false,
        }),
        last: hook(
          'preToolCall',
          when('echo last', says({ approval: 'deny', continue: false, stopReason: 'ENOUGH' })),
          { matcher: 'eca__shell_command', visible: false },
        ),
        seen: hook('postToolCall', 'cat > seen.json', { matcher: 'eca__shell_command' }),
      },
    },
  });
});
afterAll(() => rig.close());

const shell = (command: string) => `TOOL:shell_command ${JSON.stringify({ command })}`;
/** Contents of a chat, hooks by their names. */
const told = ({ said, chat }: Prompted) =>
  said
    .flatMap((each) => {
      const { type, name } = content(each);
      if (each.params.chatId !== chat || type === undefined || /progress|usage|metadata|Prepare/.test(type))
        return [];
      return [type.startsWith('hook') ? `${type.slice(10)} ${name}` : `${each.params.role} ${type}`];
    })
    .filter((word, at, all) => word !== all[at - 1] || word !== 'assistant text');

const pair = (name: string) => [`Started ${name}`, `Finished ${name}`];

describe.each(formats)('$name', ({ provider }) => {
  test(`ECA: ${verifies('hook.chain', 'hook.content')}`, async () => {
    rig.asked();
    const done = await rig.prompt(provider, 'chain of two');
    expect(told(done)).toEqual(['user text', ...pair('a-rewrite'), ...pair('stop'), 'system text']);
    expect(first(done.said, 'text', { contentId: undefined }).text).toBe(
      "Turn stopped by hook 'stop': STOPPED BY HOOK",
    );
    expect(done.words.slice(-3)).toEqual(['system text', ...ending]);
    expect(rig.asked()).toEqual([]);
    const { id } = first(done.said, 'hookActionStarted');
    expect(first(done.said, 'hookActionStarted')).toEqual({
      type: 'hookActionStarted',
      id,
      name: 'a-rewrite',
      actionType: 'shell',
    });
    expect(first(done.said, 'hookActionFinished')).toEqual({
      type: 'hookActionFinished',
      id,
      name: 'a-rewrite',
      actionType: 'shell',
      status: 0,
      output: expect.stringContaining('REWRITTEN') as string,
      error: null,
    });
  });

  test(`ECA: ${verifies('hook.context')}`, async () => {
    rig.asked();
    const done = await rig.prompt(provider, 'add to this');
    const [request] = rig.asked();
    expect(request?.asked?.prompt).toMatch(/add to this[^]*THE MOON IS FULL/);
    expect(first(done.said, 'text', { contentId: undefined }).text).toContain(
      "Hook 'context': I have added something.",
    );
    // One that is not to be seen is not shown.
    expect(told(done)).toEqual([
      'user text',
      ...pair('a-rewrite'),
      ...pair('stop'),
      'system text',
      'assistant text',
    ]);
  });

  test(`ECA: ${verifies('hook.input')}`, async () => {
    rig.asked();
    const done = await rig.prompt(provider, shell('echo before'));
    expect(told(done).slice(5)).toEqual([
      ...pair('change'),
      'assistant toolCallRun',
      'assistant toolCallRunning',
      'assistant toolCalled',
      ...pair('seen'),
      'assistant text',
    ]);
    expect(first(done.said, 'toolCallRun').arguments).toEqual({ command: 'echo after' });
    expect(first(done.said, 'hookActionFinished', { name: 'change' }).toolCallId).toBe(
      first(done.said, 'toolCallRun').id,
    );
    const second = rig.asked().at(-1);
    expect(second?.asked?.results[0]).toContain('after');
    expect(JSON.stringify(second?.body)).toContain('echo after');
  });

  test(`ECA: ${verifies('hook.after')}`, async () => {
    const { said } = await rig.prompt(provider, shell('echo looked'));
    const seen = JSON.parse(readFileSync(join(rig.home.workspace, 'seen.json'), 'utf8'));
    expect(seen).toMatchObject({
      hook_name: 'seen',
      hook_type: 'postToolCall',
      tool_name: 'shell_command',
      server: 'eca',
      tool_input: { command: 'echo looked' },
      error: false,
      tool_call_id: first(said, 'toolCalled').id,
    });
    expect(JSON.stringify(seen.tool_response)).toContain('looked');
    const kinds = said.map((each) => content(each).type);
    expect(kinds.lastIndexOf('hookActionFinished')).toBeGreaterThan(kinds.indexOf('toolCalled'));
  });

  test(`ECA: ${verifies('hook.deny')}`, async () => {
    for (const [command, reason] of [
      ['echo denied', 'not today'],
      ['echo exits', 'with two'],
    ] as const) {
      rig.asked();
      const done = await rig.prompt(provider, shell(command));
      expect(
        told(done)
          .slice(5)
          .filter((word) => !/^(?:Started|Finished)/.test(word)),
      ).toEqual(['assistant toolCallRun', 'assistant toolCallRejected', 'assistant text']);
      expect(first(done.said, 'toolCallRejected')).toMatchObject({
        name: 'shell_command',
        reason: 'hookRejected',
        arguments: { command },
      });
      expect(rig.asked().at(-1)?.asked?.results[0]).toContain(reason);
    }
  });

  test(`ECA: ${verifies('hook.stop')}`, async () => {
    rig.asked();
    const done = await rig.prompt(provider, shell('echo last'));
    expect(told(done).slice(-3)).toEqual([
      'assistant toolCallRun',
      'assistant toolCallRejected',
      'system text',
    ]);
    expect(content(done.said.findLast(isContent('text')) ?? {}).text).toBe(
      "Turn stopped by hook 'last': ENOUGH",
    );
    expect(rig.asked()).toHaveLength(1);
  });

  test(`ECA: ${verifies('deny.rule')}`, async () => {
    rig.asked();
    const done = await rig.prompt(provider, shell('rm everything'));
    expect(told(done).slice(-3)).toEqual([
      'assistant toolCallRun',
      'assistant toolCallRejected',
      'system text',
    ]);
    expect(first(done.said, 'toolCallRun')).toMatchObject({ manualApproval: false });
    expect(first(done.said, 'toolCallRejected')).toMatchObject({ reason: 'userConfigDeny' });
    expect([done.words.slice(-2), rig.asked().length]).toEqual([ending, 1]);
    expect((await rig.prompt(provider, 'And now?', { chat: done.chat })).words.at(-3)).toBe('assistant text');
  });
});

test(`ECA: ${verifies('hook.order')}`, async () => {
  const hooks = [
    'system hookActionStarted',
    'system hookActionFinished',
    'system hookActionStarted',
    'system hookActionFinished',
  ];
  const { chat, words } = await rig.prompt('openai', 'Hello', { chat: 'greeted-1' });
  expect(words).toEqual([
    'chat/opened',
    'system text',
    'user text',
    ...hooks,
    'status running',
    '"Waiting model"',
    '"Generating"',
    'assistant text',
    ...ending,
  ]);
  expect((await rig.prompt('openai', 'Hello again', { chat })).words.slice(0, 7)).toEqual([
    'user text',
    ...hooks,
    'status running',
    '"Waiting model"',
  ]);
  const from = rig.eca.said.length;
  await rig.eca.request('chat/open', { chatId: chat });
  expect(
    rig.eca.said
      .slice(from)
      .flatMap((each) =>
        isContent('text')(each) ? [`${each.params.role} ${content(each).text.trim()}`] : [],
      ),
  ).toMatchObject([
    "system Hook 'greet': Welcome.",
    'user Hello',
    expect.any(String),
    'user Hello again',
    expect.any(String),
  ]);
  // A turn that ends with the programs before it never begins.
  rig.asked();
  expect((await rig.prompt('openai', 'Hello', { chat: 'closed-1' })).words).toEqual([
    'chat/opened',
    'system text',
    'user text',
    ...ending,
  ]);
  expect(rig.asked()).toEqual([]);
});

test(`ECA: ${verifies('hook.waits')}`, async () => {
  const { eca, home } = rig;
  const isSaid = (chat: string) => (said: ReceivedNotification) =>
    said.params?.chatId === chat && isContent('text')(said) && said.params.role === 'user';
  const answered = (chatId: string) =>
    eca.request('chat/prompt', { chatId, message: 'wait for it', model: 'openai/fake-large' });
  const stopped = answered('stopped');
  await eca.wait(isSaid('stopped'));
  eca.notify('chat/promptStop', { chatId: 'stopped' });
  expect(await stopped).toMatchObject({ status: 'prompting' });
  expect(
    inShort(
      eca.said.filter(
        (said) => said.params?.chatId === 'stopped' && !String(content(said).type).startsWith('hook'),
      ),
    ).slice(-4),
  ).toEqual(['user text', 'system text', 'status stopping', 'finished']);
  const from = eca.said.length;
  const waiting = answered('waits');
  await eca.wait(isSaid('waits'), from);
  // Whoever opens the chat meanwhile sees what has been shown, and the rest like everybody.
  const opened = eca.said.length;
  expect(await eca.request('chat/open', { chatId: 'waits' })).toMatchObject({ found: true });
  const replayed = eca.said.length;
  expect(inShort(eca.said.slice(opened, replayed)).filter((word) => /user|status|"/.test(word))).toEqual([
    'user text',
  ]);
  writeFileSync(join(home.workspace, 'come'), '');
  expect(await waiting).toMatchObject({ status: 'prompting' });
  await eca.wait(
    (said) => said.params?.chatId === 'waits' && isContent('progress', { state: 'finished' })(said),
    replayed,
  );
  expect(inShort(eca.said.slice(replayed)).filter((word) => /user|status|"|fini/.test(word))).toEqual([
    'status running',
    '"Waiting model"',
    '"Generating"',
    'status idle',
    'finished',
  ]);
});

test(`ECA: ${verifies('hook.life')}`, async () => {
  const file = join(rig.home.dir, 'life.jsonl');
  const own = await startRig({
    config: {
      hooks: Object.fromEntries(
        ['sessionStart', 'chatStart', 'chatEnd', 'sessionEnd'].map((type) => [
          type,
          hook(type, `cat >> ${file}`),
        ]),
      ),
    },
  });
  const { chat } = await own.prompt('openai', 'Hello');
  await own.prompt('openai', 'Hello again', { chat });
  await own.eca.request('chat/delete', { chatId: chat });
  const lines = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  await expect
    .poll(() => lines().map(({ hook_type: type }) => type))
    .toEqual(['sessionStart', 'chatStart', 'chatEnd']);
  // The answer comes after what the user wants to happen at the end.
  expect(await own.eca.request('shutdown', null)).toBe(null);
  expect(lines().map(({ hook_type: type }) => type)).toEqual([
    'sessionStart',
    'chatStart',
    'chatEnd',
    'sessionEnd',
  ]);
  await own.eca.close();
  expect(lines()[1]).toMatchObject({
    hook_name: 'chatStart',
    chat_id: chat,
    agent: 'code',
    behavior: 'code',
    full_model: 'openai/fake-large',
    resumed: false,
    workspaces: [own.home.workspace],
    cwd: own.home.workspace,
    session_id: expect.any(String) as string,
  });
  await own.close();
});

describe('the rest', () => {
  const recorded = (own: Rig, name: string) =>
    existsSync(join(own.home.workspace, name))
      ? readFileSync(join(own.home.workspace, name), 'utf8')
          .trim()
          .split('\n')
          .map((line): Loose => JSON.parse(line))
      : [];

  test(`ECA: ${verifies('hook.more')}`, async () => {
    const own = await startRig({
      config: {
        toolCall: { approval: { byDefault: 'allow' } },
        hooks: {
          hush: hook('preRequest', says({ suppressOutput: true, systemMessage: 'Quiet.' })),
          part: hook(
            'preToolCall',
            when(
              '"command":"ls"',
              says({ updatedInput: { command: 'pwd; echo $ECA_EXECUTABLE; "$ECA_EXECUTABLE" --version' } }),
            ),
          ),
          worked: hook('postToolCall', 'cat >> worked.jsonl'),
          always: hook('postToolCall', 'cat >> always.jsonl', { runOnError: true }),
          room: hook('preCompact', 'exit 2', { matcher: 'auto' }),
          roomToo: hook('preCompact', 'cat >> compact.jsonl', { matcher: 'manual' }),
        },
      },
    });
    own.put('workspace/src/a.txt', '');
    const run = async (input: Json) => {
      own.answer(({ asked }) =>
        asked?.results.length === 0 ? [{ call: 'shell_command', input, id: 'c1' }] : undefined,
      );
      const done = await own.prompt('openai', 'Run it');
      own.answer(undefined);
      return done;
    };
    const { said, chat } = await run({ command: 'ls', working_directory: join(own.home.workspace, 'src') });
    expect(first(said, 'toolCalled').outputs[1].text).toMatch(
      /^Stdout:\n.*\/workspace\/src\n.*\/parley\.js\nparley \d/,
    );
    expect(first(said, 'hookActionFinished', { name: 'hush' })).toMatchObject({
      status: 0,
      output: null,
      error: null,
    });
    expect(said.some((each) => content(each).text?.includes("Hook 'hush': Quiet."))).toBe(true);
    await run({ command: 'false' });
    await expect
      .poll(() => recorded(own, 'always.jsonl').map(({ error }) => error as boolean))
      .toEqual([false, true]);
    expect(recorded(own, 'worked.jsonl').map(({ error }) => error as boolean)).toEqual([false]);
    own.answer(({ asked }) =>
      asked?.prompt.includes('compact_chat')
        ? [{ call: 'compact_chat', input: { summary: 'Short.' } }]
        : undefined,
    );
    await own.prompt('openai', '/compact', { chat });
    expect(recorded(own, 'compact.jsonl')).toMatchObject([{ triggered: 'manual' }]);
    await own.close();
  });

  test(`ECA: ${verifies('hook.status')}`, async () => {
    const own = await startRig({
      config: {
        hooks: Object.fromEntries(
          ['sessionStart', 'preRequest', 'chatStatusChanged', 'chatEnd'].map((type) => [
            type,
            hook(type, `cat >> ${type}.jsonl`, { visible: false }),
          ]),
        ),
      },
    });
    own.answer(({ asked }) =>
      asked?.results.length === 0
        ? [{ call: 'shell_command', input: { command: 'true' }, id: 'c1' }]
        : undefined,
    );
    const { chat, said } = await own.prompt('openai', 'Run it');
    const { id } = first(said, 'toolCallRun');
    const seen = () => recorded(own, 'chatStatusChanged.jsonl');
    await expect.poll(() => seen().at(-1)?.status as string).toBe('idle');
    const quiet = {
      pending_approval_tool_call_ids: [],
      pending_question_tool_call_ids: [],
      awaiting_user_input: false,
    };
    expect(seen()[0]).toMatchObject({
      chat_id: chat,
      status: 'running',
      agent: 'code',
      full_model: 'openai/fake-large',
      ...quiet,
    });
    expect(seen().find((each) => each.awaiting_user_input)).toMatchObject({
      status: 'running',
      waiting_reason: 'toolApproval',
      pending_approval_tool_call_ids: [id],
    });
    expect(seen().at(-1)).toMatchObject({ ...quiet, running_tool_call_ids: [] });
    await own.eca.request('chat/delete', { chatId: chat });
    await expect
      .poll(() => recorded(own, 'chatEnd.jsonl'))
      .toMatchObject([{ chat_id: chat, agent: 'code', behavior: 'code' }]);
    const sessions = ['sessionStart', 'preRequest', 'chatStatusChanged', 'chatEnd'].map(
      (type) => recorded(own, `${type}.jsonl`)[0]?.session_id as string,
    );
    expect(sessions[0]).toMatch(/^workspace_[0-9a-f]{8}$/);
    expect(new Set(sessions).size).toBe(1);
    await own.close();
  });
});
