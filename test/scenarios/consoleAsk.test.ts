// Approvals and questions in a real browser: in the conversation and in the inbox, with every kind of answer.
import { describe, expect, test } from 'vitest';
import type { ChatInputRequest } from '../../src/protocols/ahp/v1_0/message.ts';
import type { SessionInputRequest } from '../../src/protocols/ahp/v1_0/state.ts';
import type { PendingToolCall } from '../../src/protocols/ahp/v1_0/toolCall.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import {
  addSession,
  agentTurn,
  call,
  chat,
  field,
  hostWith,
  lastOf,
  pageOf,
  session,
  toolPending,
  toolStart,
} from './console/rig.ts';
import type { ScriptedHost } from './console/scriptedHost.ts';
import { serve } from './console/served.ts';
import { chatUri, summaryOf } from './console/states.ts';
import { eventually } from '../kit/patience.ts';

const browsing = useBrowser();

const everyKind: ChatInputRequest = {
  id: 'q1',
  message: 'Some **questions** first.',
  questions: [
    { id: 'name', kind: 'text', message: 'Your name?', required: true },
    { id: 'secret', kind: 'text', message: 'A secret?', format: 'password' },
    { id: 'share', kind: 'number', message: 'How much?', min: 0, max: 1 },
    { id: 'count', kind: 'integer', message: 'How many?' },
    { id: 'sure', kind: 'boolean', message: 'Sure?' },
    {
      id: 'one',
      kind: 'single-select',
      message: 'Which one?',
      options: [
        { id: 'a', label: 'Alpha' },
        { id: 'b', label: 'Beta', description: 'the second' },
      ],
      required: true,
    },
    {
      id: 'many',
      kind: 'multi-select',
      message: 'Which ones?',
      options: [
        { id: 'x', label: 'Ex' },
        { id: 'y', label: 'Why' },
      ],
      allowFreeformInput: true,
    },
  ],
};

/** The letters of the command as they are drawn, from left to right. */
const lettersFromLeft = `(() => {
  const found = [];
  const nodes = document.createTreeWalker(document.querySelector('.ask .command'), NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    for (const [at, letter] of [...nodes.currentNode.data].entries()) {
      const range = document.createRange();
      range.setStart(nodes.currentNode, at);
      range.setEnd(nodes.currentNode, at + 1);
      if (letter.trim() !== '') found.push([range.getBoundingClientRect().left, letter]);
    }
  }
  return found.toSorted(([a], [b]) => a - b).map(([, letter]) => letter).join('');
})()`;

describe('approval', () => {
  test('each option reaches the host by its id', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    // The page shows its own answer before the host has it, so the answers of the rounds are counted.
    const answers = () =>
      host.dispatched
        .filter(({ action }) => action.type === 'chat/toolCallConfirmed')
        .map(({ action }) => action);
    for (const [index, { id, label }] of toolPending.options
      .filter(({ kind }) => kind === 'approve')
      .entries()) {
      agentTurn(host, [toolStart, toolPending]);
      await page.locator('.ask').waitFor();
      await page.keyboard.press('Alt+KeyW');
      await page.keyboard.press(String(index + 1));
      await expect.poll(() => page.getByRole('button', { name: label, exact: true }).isEnabled()).toBe(true);
      await page.getByRole('button', { name: label, exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.call .status.running').waitFor();
      const answer = await eventually(
        () => answers().length === index + 1 && answers().at(-1),
        'the answer arrives',
      );
      expect(answer).toEqual({
        type: 'chat/toolCallConfirmed',
        ...call,
        approved: true,
        confirmed: 'user-action',
        selectedOptionId: id,
      });
      host.emit(chat, { type: 'chat/turnComplete', turnId: 't1', duration: 1 });
    }
    expect(complaints).toEqual([]);
  });

  test('a denial carries its reason', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [toolStart, toolPending]);
    await page.getByLabel('Tell the agent what to do instead').fill('not on a Friday');
    await page.getByRole('button', { name: 'Deny' }).click();
    expect(
      await eventually(() => lastOf(host, 'chat/toolCallConfirmed'), 'the answer arrives'),
    ).toMatchObject({
      approved: false,
      reason: 'denied',
      reasonMessage: 'not on a Friday',
      selectedOptionId: 'no',
    });
    await page.getByText('Denied').waitFor();
  });

  test('arguments are edited before the call is allowed, and must stay what they are', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [toolStart, toolPending]);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Arguments' });
    await editor.fill('{"command": ');
    await page.getByText('Not valid JSON').waitFor();
    expect(await page.getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
    await editor.fill('{"command": "npm run lint"}');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Allow once' }).click();
    expect(
      await eventually(() => lastOf(host, 'chat/toolCallConfirmed'), 'the answer arrives'),
    ).toMatchObject({
      approved: true,
      editedToolInput: '{"command":"npm run lint"}',
    });
  });

  test('a command that was edited away cannot be allowed', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [toolStart, { ...toolPending, toolInput: 'npm test' }]);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Command' });
    await editor.fill('  ');
    await page.getByText('The command is empty').waitFor();
    expect(await page.getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
    await editor.fill('npm run lint');
    await page.getByText('Your edited version will run.').waitFor();
    expect(await page.getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(false);
  });

  test('what hides in a command is shown before it is allowed', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [toolStart, { ...toolPending, toolInput: '{"command":"echo \\u202egnihton\\u200b"}' }]);
    await page.getByText('echo').waitFor();
    await expect.poll(() => page.locator('.ask .command').innerText()).toBe('echo \\u202egnihton\\u200b');
  });

  test.each([
    [
      'a carriage return',
      `touch EVIL # ${'comment '.repeat(40)}\rnpm test`,
      `touch EVIL # ${'comment '.repeat(40)}\\rnpm test`,
    ],
    [
      'an escape sequence',
      `touch EVIL\u001b[2K\u001b[1G${'npm test '.repeat(20)}`,
      `touch EVIL\\u001b[2K\\u001b[1G${'npm test '.repeat(20)}`,
    ],
    [
      'a wide gap',
      `npm test${'\u00a0'.repeat(2000)}; touch EVIL`,
      'npm test[2000 times \\u00a0]; touch EVIL',
    ],
  ])('%s covers nothing of a command', async (_, command, shown) => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [toolStart, { ...toolPending, toolInput: JSON.stringify({ command }) }]);
    await expect.poll(() => page.locator('.ask .command').textContent()).toBe(shown);
  });

  test('words that read from the right stand in the order in which the command has them', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    const command = 'cat \u05d0 > \u05d1';
    agentTurn(host, [toolStart, { ...toolPending, toolInput: JSON.stringify({ command }) }]);
    await expect.poll(() => page.locator('.ask .command').textContent()).toBe(command);
    expect(await page.evaluate(lettersFromLeft)).toBe('cat\u05d0>\u05d1');
  });

  test.each([
    [1280, 800],
    [390, 844],
  ])('a long command is allowed only after its end was shown, at %i x %i', async (width, height) => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await page.setViewportSize({ width, height });
    await field(page).waitFor();
    agentTurn(host, [
      toolStart,
      {
        ...toolPending,
        toolInput: JSON.stringify({ command: `npm test\n${'# nothing\n'.repeat(100)}touch EVIL` }),
      },
    ]);
    await page.getByText(/\d+ more lines, about \d+ characters below/).waitFor();
    const allow = page.getByRole('button', { name: 'Allow once' });
    const states = async () =>
      Promise.all(['Allow once', 'Deny'].map((name) => page.getByRole('button', { name }).isEnabled()));
    expect([await states(), await page.getByRole('button', { name: 'Edit', exact: true }).count()]).toEqual([
      [false, true],
      0,
    ]);
    // A letter that allows does nothing either.
    await page.keyboard.press('Alt+KeyW');
    await page.keyboard.press('KeyA');
    expect(lastOf(host, 'chat/toolCallConfirmed')).toBeUndefined();
    await expectAccessible(page);
    // By keyboard alone: the button is reached and pressed until there is nothing left to read. It then goes
    // away, also between two looks at it.
    const more = page.getByRole('button', { name: 'Go to the next part' });
    const readOn = async () => {
      await more.focus({ timeout: 1000 }).catch(() => {});
      await page.keyboard.press('Enter');
      return allow.isEnabled();
    };
    await expect.poll(readOn).toBe(true);
    await allow.click();
    expect(
      await eventually(() => lastOf(host, 'chat/toolCallConfirmed'), 'the answer arrives'),
    ).toMatchObject({
      approved: true,
    });
  });

  test('a long command that is shown whole is allowed when its end was scrolled to', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [
      toolStart,
      {
        ...toolPending,
        toolInput: JSON.stringify({ command: `npm test\n${'# nothing\n'.repeat(100)}touch EVIL` }),
      },
    ]);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect
      .poll(() =>
        page
          .locator('.ask')
          .getByText(/characters below/)
          .count(),
      )
      .toBe(0);
    await page
      .getByText('touch EVIL')
      .first()
      .evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  });

  test('a result waits to be handed over', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [
      toolStart,
      { ...toolPending, confirmed: 'setting' },
      {
        type: 'chat/toolCallComplete',
        ...call,
        requiresResultConfirmation: true,
        result: {
          success: true,
          pastTenseMessage: 'Read the key',
          content: [{ type: 'text', text: 'private' }],
        },
      },
    ]);
    await page.getByRole('button', { name: "Don't send" }).click();
    expect(
      await eventually(() => lastOf(host, 'chat/toolCallResultConfirmed'), 'the answer arrives'),
    ).toMatchObject({ approved: false });
    await page.getByText('Result not sent').waitFor();
  });

  test('a long result is handed over only after its end was shown', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    const text = `first line\n${'and so on\n'.repeat(1000)}the key is 42`;
    agentTurn(host, [
      toolStart,
      { ...toolPending, confirmed: 'setting' },
      {
        type: 'chat/toolCallComplete',
        ...call,
        requiresResultConfirmation: true,
        result: { success: true, pastTenseMessage: 'Read', content: [{ type: 'text', text }] },
      },
    ]);
    await page.getByText(/\d+ more lines, about \d+ characters below/).waitFor();
    const send = page.getByRole('button', { name: 'Send', exact: true });
    expect(await send.isEnabled()).toBe(false);
    const result = page.locator('.whole pre');
    expect(await result.textContent()).toContain('first line');
    await result.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect.poll(() => send.isEnabled()).toBe(true);
  });

  test('a long title is cut in the card and shown whole before it is allowed', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await page.setViewportSize({ width: 390, height: 844 });
    await field(page).waitFor();
    const title = `Add a number ${'and another one '.repeat(200)}and then delete everything`;
    const long = { invocationMessage: title, confirmationTitle: title };
    agentTurn(host, [toolStart, { ...toolPending, ...long, toolInput: '{}' }]);
    const cut = title.length - 300;
    await page.locator('.ask-head h2', { hasText: `… (${cut} more characters)` }).waitFor();
    const allow = page.getByRole('button', { name: 'Allow once' });
    expect(await allow.isEnabled()).toBe(false);
    await page.locator('.whole pre').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect.poll(() => allow.isEnabled()).toBe(true);
  });

  test('a refused answer gives the choice back', async () => {
    const host = hostWith();
    host.judge = (_channel, { type }) =>
      type === 'chat/toolCallConfirmed' ? 'This was already answered by emacs.' : undefined;
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [toolStart, toolPending]);
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('This was already answered by emacs.').waitFor();
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  });
});

describe('questions', () => {
  test('of every kind are filled in, checked and answered', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [{ type: 'chat/inputRequested', request: everyKind }]);
    await page.getByText('questions', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('How much?').fill('7');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('At most 1.').waitFor();
    await expect.poll(() => page.getByText('This answer is required.').count()).toBe(2);
    await page.getByLabel('Your name?').fill('Ada');
    await page.getByLabel('A secret?').fill('42');
    await page.getByLabel('How much?').fill('0.5');
    await page.getByLabel('How many?').fill('3');
    await page.getByLabel('Sure?').check();
    await page.getByLabel('Beta').check();
    await page.getByLabel('Ex', { exact: true }).check();
    await page.getByLabel('Other answer').fill('Zed');
    await eventually(() => lastOf(host, 'chat/inputAnswerChanged'), 'what is typed is shared');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await eventually(() => lastOf(host, 'chat/inputCompleted'), 'the answers arrive')).toEqual({
      type: 'chat/inputCompleted',
      requestId: 'q1',
      response: 'accept',
      answers: {
        name: { state: 'submitted', value: { kind: 'text', value: 'Ada' } },
        secret: { state: 'submitted', value: { kind: 'text', value: '42' } },
        share: { state: 'submitted', value: { kind: 'number', value: 0.5 } },
        count: { state: 'submitted', value: { kind: 'number', value: 3 } },
        sure: { state: 'submitted', value: { kind: 'boolean', value: true } },
        one: { state: 'submitted', value: { kind: 'selected', value: 'b' } },
        many: { state: 'submitted', value: { kind: 'selected-many', value: ['x'], freeformValues: ['Zed'] } },
      },
    });
    await page.getByText('Answered', { exact: true }).waitFor();
    await page.getByText('42', { exact: true }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('a page to visit opens only on the web', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(pageOf(address));
    await field(page).waitFor();
    agentTurn(host, [
      {
        type: 'chat/inputRequested',
        request: { id: 'u1', message: 'Sign in', url: 'https://login.example/a' },
      },
    ]);
    const link = page.getByRole('link', { name: 'Open login.example' });
    expect([
      await link.getAttribute('href'),
      await link.getAttribute('rel'),
      await link.getAttribute('target'),
    ]).toEqual(['https://login.example/a', 'noopener noreferrer', '_blank']);
    await page.getByRole('button', { name: 'Decline' }).click();
    expect(await eventually(() => lastOf(host, 'chat/inputCompleted'), 'the answer arrives')).toMatchObject({
      response: 'decline',
    });
    host.emit(chat, {
      type: 'chat/inputRequested',
      request: { id: 'u2', message: 'Sign in', url: 'javascript:alert(1)' },
    });
    await page.getByText('Address: javascript:alert(1)').waitFor();
    await expect.poll(() => page.getByRole('link', { name: /Open/ }).count()).toBe(0);
  });
});

describe('inbox', () => {
  test('three sessions wait and are answered in place', async () => {
    const host = hostWith();
    const [one, two, three] = ['ahp-session:/w1', 'ahp-session:/w2', 'ahp-session:/w3'] as const;
    wait(host, 'Tests', { kind: 'toolConfirmation', turnId: 't1', toolCall: pendingCall(), ...entry(one) });
    wait(host, 'Naming', {
      kind: 'chatInput',
      request: {
        id: 'q',
        message: 'How shall it be called?',
        questions: [{ id: 'n', kind: 'text', message: 'Name' }],
      },
      ...entry(two),
    });
    wait(host, 'Deploy', {
      kind: 'toolConfirmation',
      turnId: 't1',
      toolCall: pendingCall(),
      ...entry(three),
    });
    host.after = (channel, action) => {
      const waiting = [one, two, three].find((uri) => chatUri(uri) === channel);
      const answered = action.type === 'chat/toolCallConfirmed' || action.type === 'chat/inputCompleted';
      if (waiting === undefined || !answered) return;
      host.emit(waiting, { type: 'session/inputNeededRemoved', id: entry(waiting).id });
      host.list(summaryOf(waiting, { title: 'Answered', status: 8 }));
    };
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(address);
    await page.getByRole('link', { name: 'Inbox, 3 sessions need you' }).click();
    await page.getByRole('form', { name: 'Question' }).getByText('How shall it be called?').waitFor();
    await expect.poll(() => page.title()).toBe('(3) Inbox · Parley');
    await expect.poll(() => page.getByRole('article').count()).toBe(3);
    await expectAccessible(page);
    const tests = page.getByRole('article', { name: 'Tests needs you' });
    await tests.getByText('This session').click();
    await tests.getByRole('button', { name: 'Allow in this session' }).click();
    await page.getByRole('article', { name: 'Naming needs you' }).getByRole('textbox').fill('Parley');
    await page
      .getByRole('article', { name: 'Naming needs you' })
      .getByRole('button', { name: 'Answer', exact: true })
      .click();
    await page
      .getByRole('article', { name: 'Deploy needs you' })
      .getByLabel('Tell the agent what to do instead')
      .fill('too early');
    await page
      .getByRole('article', { name: 'Deploy needs you' })
      .getByRole('button', { name: 'Deny' })
      .click();
    await page.getByText("You're all caught up.").waitFor();
    await expect.poll(() => page.title()).toBe('Inbox · Parley');
    const answers = host.dispatched.filter(
      ({ action }) => action.type === 'chat/toolCallConfirmed' || action.type === 'chat/inputCompleted',
    );
    expect(answers.map(({ channel }) => channel).toSorted()).toEqual([one, two, three].map(chatUri));
    expect(complaints).toEqual([]);
  });

  test('a notification is shown only to those who want it and look elsewhere', async () => {
    const host = hostWith();
    const { address } = await serve(host);
    const { page } = await browsing.open(`${address}#/settings`, { permissions: ['notifications'] });
    await page.evaluate(
      '(() => { window.shown = []; window.Notification = class { static permission = "granted"; static ' +
        'requestPermission = async () => "granted"; constructor(title, { body }) { ' +
        'window.shown.push(body); } addEventListener() {} close() {} }; })()',
    );
    await page.getByLabel('Notify me when a session needs me').check();
    host.list(summaryOf(session, { title: 'Seen', status: 24 }));
    await page.getByRole('link', { name: 'Inbox, 1 session needs you' }).waitFor();
    expect(await page.evaluate('window.shown')).toEqual([]);
    await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })");
    host.list(summaryOf('ahp-session:/other', { title: 'Unseen', status: 24 }));
    await eventually(
      () => host.requests.some(({ params }) => params['channel'] === 'ahp-session:/other'),
      'the page hears of it',
    );
    await expect.poll(() => page.evaluate('window.shown')).toEqual(['Unseen']);
  });
});

function entry(uri: string) {
  return { id: `need-${uri}`, chat: chatUri(uri) };
}

function pendingCall(): PendingToolCall {
  const { invocationMessage, toolInput, options, confirmationTitle } = toolPending;
  return {
    status: 'pending-confirmation',
    toolCallId: 'c1',
    toolName: 'shell',
    displayName: 'Run command',
    invocationMessage,
    toolInput,
    options,
    confirmationTitle,
  };
}

function wait(host: ScriptedHost, title: string, request: SessionInputRequest): void {
  const uri = request.chat.replace('ahp-chat:', 'ahp-session:');
  addSession(host, uri, { title, status: 24 });
  agentTurn(
    host,
    request.kind === 'chatInput'
      ? [{ type: 'chat/inputRequested', request: request.request }]
      : [toolStart, toolPending],
    chatUri(uri),
  );
  host.emit(uri, { type: 'session/inputNeededSet', request });
}
