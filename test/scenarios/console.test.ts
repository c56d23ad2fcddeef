// The console in a real browser against a scripted host: conversations, tools, changes, sub-agents,
// terminals, long histories.
import { describe, expect, test } from 'vitest';
import type { ResponsePart } from '../../src/protocols/ahp/v1_0/state.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import {
  agentTurn,
  call,
  chat,
  field,
  hostWith,
  lastOf,
  pageOf,
  pick,
  session,
  startedAt,
  toolPending,
  toolStart,
} from './console/rig.ts';
import { serve } from './console/served.ts';
import { chatState, demoAgent, rootState, turnOf } from './console/states.ts';
import { eventually } from '../kit/patience.ts';

const browsing = useBrowser();

describe('conversation', () => {
  test('a message is sent, answered in streamed markdown and finished', async () => {
    const host = hostWith();
    host.after = (_channel, action) => {
      if (action.type !== 'chat/turnStarted') return;
      const { turnId } = action;
      host.emit(chat, {
        type: 'chat/responsePart',
        turnId,
        part: { kind: 'reasoning', id: 'r', content: 'Let me think.' },
      });
      host.emit(chat, {
        type: 'chat/responsePart',
        turnId,
        part: { kind: 'markdown', id: 'm', content: '' },
      });
      for (const piece of [
        '# Hello\n\nThis is **str',
        'eamed**.\n\n```js\nconst a',
        ' = 1;\n```\n\n- [x] do',
        'ne\n',
      ]) {
        host.emit(chat, { type: 'chat/delta', turnId, partId: 'm', content: piece });
      }
      host.emit(chat, {
        type: 'chat/usage',
        turnId,
        usage: { inputTokens: 1200, outputTokens: 340, model: 'demo', _meta: { cost: 0.0123 } },
      });
      host.emit(chat, { type: 'chat/turnComplete', turnId, duration: 1500 });
    };
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).fill('hi there');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    await page.getByText('streamed', { exact: true }).waitFor();
    await page.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    await page.getByText('Let me think.').waitFor({ state: 'hidden' });
    await page.getByText('Thoughts').click();
    await page.getByText('Let me think.').waitFor();
    await expect.poll(() => page.getByText('$0.0123').count()).toBeGreaterThan(0);
    await expect.poll(() => field(page).inputValue()).toBe('');
    expect(
      await eventually(() => lastOf(host, 'session/activeClientSet'), 'the page says who it is'),
    ).toMatchObject({ activeClient: { displayName: 'Console' } });
    expect(complaints).toEqual([]);
  });

  test('messages queue while the agent works, can be changed, steer it, and it can be stopped', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [
      {
        type: 'chat/responsePart',
        turnId: 't1',
        part: { kind: 'markdown', id: 'm', content: 'Working on it' },
      },
    ]);
    await page.getByRole('button', { name: 'Queue' }).waitFor();
    for (const text of ['first', 'second']) {
      await field(page).fill(text);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('button', { name: 'Move up' }).click();
    await eventually(
      () => host.state('chat', chat).queuedMessages?.[0]?.message.text === 'second',
      'the order changes',
    );
    await page.getByRole('button', { name: 'Edit pending message' }).first().click();
    await page.getByRole('textbox', { name: 'Pending message' }).fill('second, changed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove pending message' }).last().click();
    await eventually(
      () =>
        JSON.stringify(host.state('chat', chat).queuedMessages?.map(({ message }) => message.text)) ===
        '["second, changed"]',
      'edit and removal arrive',
    );
    await field(page).fill('rather this way');
    await page.keyboard.press('Control+Enter');
    await eventually(
      () => host.state('chat', chat).steeringMessage?.message.text === 'rather this way',
      'steering arrives',
    );
    await page.getByText('Steering').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await eventually(() => host.state('chat', chat).turns.at(-1)?.state === 'cancelled', 'the turn stops');
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run next' }).click();
    await eventually(
      () => host.state('chat', chat).activeTurn?.message.text === 'rather this way',
      'the waiting message starts',
    );
    expect(complaints).toEqual([]);
  });

  test('a message that the host refuses comes back to its writer', async () => {
    const host = hostWith();
    host.judge = (_channel, { type }) =>
      type === 'chat/turnStarted' ? 'The agent is on holiday.' : undefined;
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).fill('precious words');
    await page.keyboard.press('Enter');
    await page.getByText('The agent is on holiday.').waitFor();
    await expect.poll(() => field(page).inputValue()).toBe('precious words');
  });

  test('a draft is shared and comes back after a reload', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).fill('half a thou');
    await eventually(() => host.state('chat', chat).draft?.text === 'half a thou', 'the draft arrives');
    await page.reload();
    await eventually(() => host.clients.length === 1, 'the page is back');
    expect(
      await eventually(async () => (await field(page).inputValue()) === 'half a thou', 'the draft is back'),
    ).toBe(true);
  });

  test('words are completed and pictures attached', async () => {
    const host = hostWith();
    host.answers.set('completions', () => ({
      items: [
        {
          insertText: '@readme.md',
          rangeStart: 5,
          rangeEnd: 8,
          attachment: { type: 'resource', label: 'readme.md', uri: 'file:///w/readme.md' },
        },
        {
          insertText: '@recipe.md',
          rangeStart: 5,
          rangeEnd: 8,
          attachment: { type: 'resource', label: 'recipe.md', uri: 'file:///w/recipe.md' },
        },
      ],
    }));
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).pressSequentially('look @re');
    await page.getByRole('option', { name: '@readme.md' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(
      async () => (await field(page).inputValue()) === 'look @recipe.md ',
      'the word is completed',
    );
    // One red pixel.
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob('${pixel}'), (c) => c.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'red.png', { type: 'image/png' }));
      document.querySelector('.message-field').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
    await page.getByRole('img', { name: 'red.png' }).waitFor();
    await page.keyboard.press('Enter');
    const sent = await eventually(() => lastOf(host, 'chat/turnStarted'), 'the message arrives');
    expect(sent).toMatchObject({
      message: {
        text: 'look @recipe.md ',
        attachments: [
          { type: 'resource', uri: 'file:///w/recipe.md' },
          { type: 'embeddedResource', contentType: 'image/png', data: pixel },
        ],
      },
    });
    await page.locator('.msg-user').getByRole('img', { name: 'red.png' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a failed turn can be continued and asked again', async () => {
    const host = hostWith();
    host.place(
      'chat',
      chat,
      chatState(chat, {
        status: 2,
        turns: [
          turnOf('t0', 'Do it', {
            state: 'error',
            responseParts: [
              { kind: 'error', error: { errorType: 'auth', message: 'No key.' }, resumable: true },
              {
                kind: 'error',
                error: { errorType: 'overloaded', message: 'The model is busy.' },
                resumable: true,
              },
            ],
          }),
        ],
      }),
    );
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await page.getByText('The model is busy.').waitFor();
    // The turn went on after the first error, whose buttons are used.
    const first = page.getByRole('group', { name: 'Error' }).filter({ hasText: 'No key.' });
    expect(await first.getByRole('button').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Retry' }).click();
    expect(await eventually(() => lastOf(host, 'chat/turnStarted'), 'asked again')).toMatchObject({
      message: { text: 'Do it' },
    });
    host.place('chat', chat, { ...host.state('chat', chat), ...chatState(chat) });
  });
});

describe('tools', () => {
  test('a tool call is shown from its first letter to its end', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [toolStart, { type: 'chat/toolCallDelta', ...call, content: '{"comm' }]);
    await page.getByText('Preparing').waitFor();
    await page.getByText('Run command').click();
    await page.getByText('{"comm').waitFor();
    host.emit(chat, { ...toolPending, confirmed: 'setting' });
    await page.locator('.call .status.running').waitFor();
    host.emit(chat, {
      type: 'chat/toolCallContentChanged',
      ...call,
      content: [{ type: 'text', text: '10 %\r100 % \u001b[32mgreen\u001b[0m' }],
    });
    await page.getByText('100 % green', { exact: true }).waitFor();
    host.emit(chat, {
      type: 'chat/toolCallComplete',
      ...call,
      result: { success: false, pastTenseMessage: 'Ran the tests', error: { message: 'It ended with 1.' } },
    });
    await page.getByText('It ended with 1.').waitFor();
    await page.locator('.call .end', { hasText: 'Failed' }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('an edit is shown as a difference, file by file and hunk by hunk', async () => {
    const before = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const after = before.map((line) =>
      line === 'line 5' ? 'line five' : line === 'line 30' ? 'line thirty' : line,
    );
    const host = hostWith();
    host.answers.set('resourceRead', ({ uri }) => ({
      data: (uri === 'x:/before' ? before : after).join('\n'),
      encoding: 'utf-8',
    }));
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    const edit = {
      before: { uri: 'file:///home/user/a.txt', content: { uri: 'x:/before', contentType: 'text/plain' } },
      after: { uri: 'file:///home/user/a.txt', content: { uri: 'x:/after', contentType: 'text/plain' } },
    };
    agentTurn(host, [toolStart, { ...toolPending, toolInput: '{"path":"a.txt"}', edits: { items: [edit] } }]);
    await page.getByText('line five').waitFor();
    await expect.poll(() => page.locator('.hunk').count()).toBe(2);
    await expect
      .poll(() => page.getByRole('group', { name: 'a.txt: 2 lines added, 2 removed' }).count())
      .toBe(1);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Allow once' }).click();
    await eventually(() => lastOf(host, 'chat/toolCallConfirmed'), 'the approval arrives');
    host.emit(chat, {
      type: 'chat/toolCallComplete',
      ...call,
      result: { success: true, pastTenseMessage: 'Edited a.txt', content: [{ type: 'fileEdit', ...edit }] },
    });
    await page.getByRole('button', { name: 'Changes' }).click();
    await page.getByRole('region', { name: 'a.txt' }).getByText('line thirty').waitFor();
    expect(complaints).toEqual([]);
  });

  test('changes are undone by file and by hunk, after a word of confirmation', async () => {
    const set = 'ahp-changeset:/one';
    const [before, after] = ['a\nb\nc\n', 'a\nB\nc\n'];
    const host = hostWith();
    host.place('session', session, {
      ...host.state('session', session),
      changesets: [{ label: 'Changes', uriTemplate: set, changeKind: 'session' }],
    });
    const edit = {
      before: { uri: 'file:///w/a.txt', content: { uri: 'x:/before', contentType: 'text/plain' } },
      after: { uri: 'file:///w/a.txt', content: { uri: 'x:/after', contentType: 'text/plain' } },
    };
    host.place('changeset', set, {
      status: 'ready',
      files: [{ id: 'f1', edit }],
      operations: [
        {
          id: 'undo',
          label: 'Undo',
          scopes: ['resource'],
          status: 'idle',
          confirmation: 'Put the file back?',
        },
        { id: 'undo-hunk', label: 'Undo hunk', scopes: ['range'], status: 'idle' },
        { id: 'undo-all', label: 'Undo all', scopes: ['changeset'], status: 'idle' },
      ],
    });
    host.answers.set('resourceRead', ({ uri }) => ({
      data: uri === 'x:/before' ? before : after,
      encoding: 'utf-8',
    }));
    host.answers.set('invokeChangesetOperation', () => ({ message: 'It is as it was.' }));
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await page.getByRole('button', { name: 'Changes' }).click();
    const panel = page.getByRole('region', { name: 'Changes' });
    await panel
      .getByRole('group', { name: 'Operations: a.txt', exact: true })
      .getByRole('button', { name: 'Undo file', exact: true })
      .click();
    await panel.getByText('Put the file back?').waitFor();
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await panel.getByRole('button', { name: 'Undo file', exact: true }).click();
    await panel
      .getByRole('group', { name: 'Undo', exact: true })
      .getByRole('button', { name: 'Undo' })
      .click();
    await page.getByText('It is as it was.').waitFor();
    await panel.getByRole('button', { name: 'Undo hunk' }).click();
    await panel.getByRole('button', { name: 'Undo all' }).click();
    const asked = () =>
      host.requests
        .filter(({ method }) => method === 'invokeChangesetOperation')
        .map(({ params }) => [params['operationId'], params['target']]);
    await expect.poll(() => asked().length).toBe(3);
    expect(asked()).toEqual(
      expect.arrayContaining([
        ['undo', { kind: 'resource', resource: 'file:///w/a.txt' }],
        ['undo-all', undefined],
        [
          'undo-hunk',
          {
            kind: 'range',
            resource: 'file:///w/a.txt',
            side: 'after',
            range: { start: { line: 0, character: 0 }, end: { line: 3, character: 0 } },
          },
        ],
      ]),
    );
    expect(complaints).toEqual([]);
  });

  test('a sub-agent is nested where it was started, and its questions can be answered there', async () => {
    const nested = 'ahp-chat:/nested';
    const host = hostWith([
      {
        kind: 'systemNotification',
        content: 'A plan',
        _meta: {
          plan: [
            { text: 'Look', status: 'done' },
            { text: 'Leap', status: 'active' },
          ],
        },
      },
      {
        kind: 'toolCall',
        toolCall: {
          status: 'completed',
          toolCallId: 'c0',
          toolName: 'task',
          displayName: 'Task',
          invocationMessage: 'Delegate',
          confirmed: 'not-needed',
          success: true,
          pastTenseMessage: 'Delegated',
          content: [{ type: 'subagent', resource: nested, title: 'Explorer', description: 'looks around' }],
        },
      },
    ]);
    host.place(
      'chat',
      nested,
      chatState(nested, { title: 'Explorer', origin: { kind: 'tool', chat, toolCallId: 'c0' } }),
    );
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await page.getByRole('region', { name: 'Plan, 1 of 2 done' }).waitFor();
    await page.getByText('Explorer').click();
    await eventually(
      () => host.requests.some(({ params }) => params['channel'] === nested),
      'the nested chat is followed',
    );
    agentTurn(host, [toolStart, toolPending], nested);
    await page.getByRole('group', { name: 'Sub-agent' }).getByRole('button', { name: 'Allow once' }).click();
    await eventually(
      () =>
        host.dispatched.some(
          ({ channel, action }) => channel === nested && action.type === 'chat/toolCallConfirmed',
        ),
      'the answer reaches the nested chat',
    );
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('what runs beside the conversation is listed, and a due sign-in is told', async () => {
    const terminal = 'ahp-terminal:/two';
    const host = hostWith([
      {
        kind: 'toolCall',
        toolCall: {
          status: 'completed',
          toolCallId: 'c0',
          toolName: 'shot',
          displayName: 'Picture',
          invocationMessage: 'Take a picture',
          confirmed: 'not-needed',
          success: true,
          pastTenseMessage: 'Took a picture',
          content: [
            {
              type: 'embeddedResource',
              contentType: 'image/gif',
              data: 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==',
            },
          ],
        },
      },
    ]);
    host.place(
      'root',
      'ahp-root://',
      rootState({
        terminals: [{ resource: terminal, title: 'dev server', claim: { kind: 'session', session, chat } }],
      }),
    );
    host.place('terminal', terminal, {
      title: 'sh',
      content: [{ type: 'unclassified', value: 'listening' }],
      lifecycle: { status: 'running' },
      claim: { kind: 'session', session, chat },
    });
    host.answers.set('authenticate', () => ({}));
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await page.getByText('Took a picture').click();
    await page.getByRole('img', { name: 'Picture, picture' }).waitFor();
    await page.getByRole('button', { name: 'Jobs' }).click();
    await page.getByText('dev server').click();
    await page.locator('.xterm-rows', { hasText: 'listening' }).waitFor();
    host.tell('auth/required', { resource: { resource: 'https://api.example', resource_name: 'Example' } });
    await page.getByText('Sign-in required').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Settings' }).last().click();
    await page.getByLabel('Token for Example').fill('secret');
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The banner and the heading of the settings both say it until the host has answered.
    await page.getByRole('heading', { name: 'Sign-in required' }).waitFor({ state: 'detached' });
    await page.getByText('Sign-in required').waitFor({ state: 'detached' });
    expect(host.requests.find(({ method }) => method === 'authenticate')?.params).toMatchObject({
      resource: 'https://api.example',
      token: 'secret',
    });
    expect(complaints).toEqual([]);
  });

  test('a terminal is live, takes input and lets escapes act on itself alone', async () => {
    const terminal = 'ahp-terminal:/one';
    const host = hostWith();
    host.place('terminal', terminal, {
      title: 'sh',
      content: [{ type: 'unclassified', value: 'ready \u001b[31mred\u001b[0m\r\n' }],
      lifecycle: { status: 'running' },
      claim: { kind: 'session', session, chat },
      isPty: true,
    });
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [
      toolStart,
      { ...toolPending, confirmed: 'setting' },
      {
        type: 'chat/toolCallContentChanged',
        ...call,
        content: [{ type: 'terminal', resource: terminal, title: 'sh' }],
      },
    ]);
    await page.locator('.xterm-rows', { hasText: 'ready red' }).waitFor();
    await expectAccessible(page);
    host.emit(terminal, {
      type: 'terminal/data',
      data:
        '\u001b[38;2;9;99;199mtrue colour\u001b[0m \u001b]0;stolen ' +
        'title\u0007\u001b]52;c;c3RvbGVu\u0007more',
    });
    await page.locator('.xterm-rows', { hasText: 'more' }).waitFor();
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.type('ls');
    await eventually(
      () => host.dispatched.some(({ action }) => action.type === 'terminal/input' && action.data === 's'),
      'the keys arrive',
    );
    await expect.poll(() => page.title()).toBe('First session · project · Parley');
    expect(complaints).toEqual([]);
  });
});

describe('sessions', () => {
  test('are listed with their state, narrowed by a filter, and started with an agent, a model and a folder', async () => {
    const host = hostWith();
    host.place(
      'root',
      'ahp-root://',
      rootState({ agents: [demoAgent, { ...demoAgent, provider: 'second', displayName: 'Second agent' }] }),
    );
    host.list({
      ...(host.summaries.get(session) ?? never()),
      resource: 'ahp-session:/busy',
      title: 'Busy one',
      status: 8 + 32,
    });
    host.list({
      ...(host.summaries.get(session) ?? never()),
      resource: 'ahp-session:/bad',
      title: 'Bad one',
      status: 2 + 32,
    });
    host.answers.set('resourceList', () => ({
      entries: [
        { name: 'project', type: 'directory' },
        { name: 'file.txt', type: 'file' },
      ],
    }));
    host.answers.set('createSession', ({ channel }) => {
      const uri = String(channel);
      host.place('session', uri, {
        ...host.state('session', session),
        title: '',
        chats: [],
        defaultChat: `${uri}/chat`,
      });
      host.place('chat', `${uri}/chat`, chatState(`${uri}/chat`));
      return null;
    });
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(address);
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByText('Busy one').waitFor();
    await expect.poll(() => list.getByRole('link').allInnerTexts()).toHaveLength(3);
    await expectAccessible(page);
    await page.keyboard.press('Control+KeyK');
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('failed');
    const found = page.getByRole('dialog').getByRole('region', { name: 'Sessions' });
    await expect
      .poll(() => found.getByRole('link').allInnerTexts())
      .toEqual([expect.stringMatching('Bad one')]);
    host.list({ ...(host.summaries.get('ahp-session:/busy') ?? never()), status: 2 });
    await found.getByText('Busy one').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    await page.keyboard.press('Alt+KeyN');
    await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
    await pick(page, 'Agent', 'Second agent');
    await pick(page, 'Model', 'Other model');
    await page.getByRole('button', { name: /^Folder: / }).click();
    await page.getByRole('textbox', { name: 'Folder' }).fill('/home/user');
    await page.getByRole('button', { name: 'Browse' }).click();
    await page.getByRole('list', { name: 'Folders' }).getByRole('button', { name: 'project' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Folder' }).inputValue())
      .toBe('/home/user/project');
    await page.keyboard.press('Escape');
    await field(page).fill('Begin');
    await expectAccessible(page);
    await field(page).press('Enter');
    const begun = await eventually(() => lastOf(host, 'chat/turnStarted'), 'the first message arrives');
    expect(begun).toMatchObject({ message: { text: 'Begin', model: { id: 'other' } } });
    expect(host.requests.find(({ method }) => method === 'createSession')?.params).toMatchObject({
      provider: 'second',
      workingDirectories: ['file:///home/user/project'],
    });
    await page.locator('.msg-user', { hasText: 'Begin' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a history of ten thousand parts opens at its end and scrolls to its beginning', async () => {
    const host = hostWith();
    const turns = Array.from({ length: 100 }, (_, index) =>
      turnOf(`t${index}`, `Question ${index}`, {
        responseParts: Array.from({ length: 100 }, (_part, part): ResponsePart => ({
          kind: 'markdown',
          id: `m${index}-${part}`,
          content: `Answer **${index}**, part ${part}.`,
        })),
      }),
    );
    host.place('chat', chat, chatState(chat, { turns }));
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await page.getByText('Answer 99, part 99.').waitFor();
    await expect.poll(() => page.locator('.prose').count()).toBeLessThan(1500);
    await page.evaluate("document.querySelector('.chat').scrollTop = 0");
    await page.getByText('Answer 0, part 0.').waitFor();
    await expect.poll(() => page.locator('.prose').count()).toBeLessThan(1500);
    await page.getByRole('button', { name: 'Latest' }).click();
    await page.getByText('Answer 99, part 99.').waitFor();
    host.emit(chat, {
      type: 'chat/turnStarted',
      turnId: 'next',
      startedAt,
      message: { text: 'And now?', origin: { kind: 'user' } },
    });
    await page.getByText('And now?').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a call stays unfolded while the turn grows far beyond it', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    const called = (toolName: string, title: string): ResponsePart => ({
      kind: 'toolCall',
      toolCall: {
        status: 'completed',
        toolCallId: title,
        toolName,
        displayName: toolName,
        invocationMessage: title,
        pastTenseMessage: title,
        confirmed: 'setting',
        success: true,
        content: [{ type: 'text', text: `The text of ${title}` }],
      },
    });
    const add = (part: ResponsePart) => host.emit(chat, { type: 'chat/responsePart', turnId: 't1', part });
    agentTurn(host, [
      { type: 'chat/responsePart', turnId: 't1', part: called('read_file', 'Read first.txt') },
    ]);
    await page.getByText('Read first.txt').click();
    await page.getByText('The text of Read first.txt').waitFor();
    // Reads that follow are one line, but the one that is unfolded stays.
    add(called('read_file', 'Read second.txt'));
    add(called('read_file', 'Read third.txt'));
    await page.getByText('Read second.txt, third.txt').waitFor();
    for (let part = 1; part < 30; part += 1) add(called('measure', `Measured ${part}`));
    await page.getByText('Measured 29').waitFor();
    expect(await page.getByText('The text of Read first.txt').count()).toBe(1);
    // Drawn block by block, they stand in one row of equal distances.
    const gaps = async () => {
      const tops = (await page.evaluate(
        "[...document.querySelectorAll('.call:not([open])')].map((call) => call.getBoundingClientRect().top)",
      )) as number[];
      return new Set(tops.slice(1).map((top, index) => Math.round(top - (tops[index] ?? 0)))).size;
    };
    await expect.poll(() => page.locator('.call:not([open])').count()).toBe(30);
    await expect.poll(gaps).toBe(1);
  });

  test('earlier turns are fetched when the reader comes near', async () => {
    const host = hostWith();
    host.place(
      'chat',
      chat,
      chatState(chat, { turns: [turnOf('t5', 'Fifth question')], turnsNextCursor: 'older' }),
    );
    host.answers.set('fetchTurns', () => {
      host.emit(chat, { type: 'chat/turnsLoaded', turns: [turnOf('t4', 'Fourth question')] });
      return {};
    });
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await page.getByText('Fourth question').waitFor();
    expect(host.requests.filter(({ method }) => method === 'fetchTurns')).toHaveLength(1);
  });
});

function never(): never {
  throw new Error('The session is there.');
}
