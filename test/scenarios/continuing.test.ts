// Work that breaks off goes on: after a host was killed, from a copy of the chat, and from before what a turn
// has said and changed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ahpClient, ecaClient } from '../kit/clients.ts';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import { malformed } from '../kit/provider/wellFormed.ts';
import type { Loose, Wire } from '../kit/wire.ts';

let rig: Talking;

beforeEach(async () => {
  rig = await startConversation({ host: 'shared' });
});
afterEach(() => rig.close());

const finished = (eca: Wire, chat: string, from: number) =>
  eca.wait(
    ({ method, params }) =>
      method === 'chat/contentReceived' &&
      params.chatId === chat &&
      params.content.type === 'progress' &&
      params.content.state === 'finished',
    from,
  );

test('after the host was killed in the middle of turns, they are continued in every wire format', async () => {
  rig.answer = ({ asked }) =>
    asked?.prompt === 'Begin.'
      ? [{ text: 'I begin. ' }, { call: 'read_file', input: { path: 'a.txt' } }, { idle: true }]
      : undefined;
  for (const [format, model] of formats) {
    const chat = format.replace(' ', '-');
    const from = await rig.send(chat, 'Begin.', model);
    await rig.eca.wait(
      ({ params }) => params?.chatId === chat && params.content?.type === 'toolCallPrepare',
      from,
    );
  }
  await rig.served().kill();
  await rig.home.serve();
  const eca = await ecaClient(rig.home);
  for (const [format, model] of formats) {
    const chat = format.replace(' ', '-');
    const opened = eca.said.length;
    await eca.request('chat/open', { chatId: chat });
    expect(JSON.stringify(eca.said.slice(opened))).toContain('The host went down during this turn.');
    rig.answer = () => [{ text: 'Going on.' }];
    const from = eca.said.length;
    await eca.request('chat/prompt', { chatId: chat, message: '/continue', model });
    await finished(eca, chat, from);
    const { path, body, asked } = rig.asked().at(-1) ?? {};
    expect([format, malformed(path ?? '', body)]).toEqual([format, []]);
    expect(asked?.prompt).toContain('Go on where it ended');
    expect(JSON.stringify(body)).toContain('I begin.');
  }
  await eca.close();
});

test('a copy of a chat goes on by itself, and so does the chat', async () => {
  await rig.prompt('first', 'Hello.', formats[0][1]);
  await rig.eca.request('chat/prompt', { chatId: 'first', message: '/fork' });
  const { params } = await rig.eca.wait(
    ({ method, params: { chatId } }) => method === 'chat/opened' && chatId !== 'first',
  );
  expect(brief(await rig.prompt(params.chatId, 'In the copy.')).at(-1)).toBe(
    'assistant: You said: In the copy.',
  );
  expect(JSON.stringify(rig.asked().at(-1)?.body)).toContain('Hello.');
  await rig.prompt('first', 'In the first.');
  expect(JSON.stringify(rig.asked().at(-1)?.body)).not.toContain('In the copy.');
});

test('a chat about a turn of another one knows what was said up to there, and nothing later', async () => {
  for (const message of ['The first.', 'The second.', 'The third.'])
    await rig.prompt('main', message, formats[0][1]);
  const ahp = await ahpClient(rig.served());
  const { turns } = await ahp.subscribe('ahp-chat:/main');
  const source = {
    kind: 'sideChat',
    chat: 'ahp-chat:/main',
    turnId: turns[1].id,
    selection: { text: 'these words' },
  };
  await ahp.request('createChat', {
    channel: 'ahp-session:/main',
    chat: 'ahp-chat:/side',
    source,
    initialMessage: { text: 'Why is that?', origin: { kind: 'user' } },
  });
  await ahp.subscribe('ahp-chat:/side');
  await ahp.until('ahp-chat:/side', (state) => state.turns.length === 1);
  const { path, body, asked } = rig.asked().at(-1) ?? {};
  expect(
    ['The first.', 'You said: The first.', 'The second.', 'You said: The second.', 'The third.'].map(
      (words) => JSON.stringify(body).includes(`"${words}"`),
    ),
  ).toEqual([true, true, true, true, false]);
  expect([
    asked?.prompt.startsWith('Why is that?'),
    asked?.prompt.includes('these words'),
    malformed(path ?? '', body),
  ]).toEqual([true, true, []]);
  await ahp.close();
  await rig.prompt('main', 'The fourth.');
  expect(JSON.stringify(rig.asked().at(-1)?.body)).not.toContain('Why is that?');
});

test('a chat that is opened again in another host goes on with all that was said, thought and done', async () => {
  rig.answer = ({ asked }) =>
    asked?.prompt === 'Look.' && asked.results.length === 0
      ? [
          { think: 'A file.', seal: 'sealed' },
          { text: 'I look. ' },
          { call: 'read_file', input: { path: 'a.txt' } },
        ]
      : undefined;
  writeFileSync(join(rig.home.workspace, 'a.txt'), 'what the file says\n');
  await rig.prompt('kept', 'Look.', formats[0][1]);
  await rig.served().kill();
  await rig.home.serve();
  const eca = await ecaClient(rig.home);
  await eca.request('chat/open', { chatId: 'kept' });
  const from = eca.said.length;
  await eca.request('chat/prompt', { chatId: 'kept', message: 'And now?', model: formats[0][1] });
  await finished(eca, 'kept', from);
  await eca.close();
  const { path, body, asked } = rig.asked().at(-1) ?? {};
  expect(
    ['Look.', 'A file.', 'sealed', 'I look. ', 'read_file', 'what the file says'].filter(
      (words) => !JSON.stringify(body).includes(words),
    ),
  ).toEqual([]);
  expect([asked?.prompt, malformed(path ?? '', body)]).toEqual(['And now?', []]);
});

test('rolling back takes what was said out of the conversation and what was changed out of the files', async () => {
  const file = (name: string) => join(rig.home.workspace, name);
  writeFileSync(file('a.txt'), 'one\n');
  const allowed = async (message: string) => {
    const from = await rig.send('back', message, formats[0][1]);
    const { params } = await rig.eca.wait(
      ({ params: { chatId, content } }) =>
        chatId === 'back' && content?.type === 'toolCallRun' && content.manualApproval === true,
      from,
    );
    rig.eca.notify('chat/toolCallApprove', { chatId: 'back', toolCallId: params.content.id });
    return rig.finished('back', from);
  };
  await rig.prompt('back', 'Hello.', formats[0][1]);
  const said = await allowed(
    `TOOL:edit_file ${JSON.stringify({ path: 'a.txt', original_content: 'one', new_content: 'two' })}`,
  );
  await allowed('WRITE:b.txt');
  expect([readFileSync(file('a.txt'), 'utf8'), existsSync(file('b.txt'))]).toEqual(['two\n', true]);
  const { content } = said.find(({ role }: Loose) => role === 'user');
  await rig.eca.request('chat/rollback', {
    chatId: 'back',
    contentId: content.contentId,
    include: ['messages', 'tools'],
  });
  expect([readFileSync(file('a.txt'), 'utf8'), existsSync(file('b.txt'))]).toEqual(['one\n', false]);
  await rig.prompt('back', 'And now?');
  const { path, body } = rig.asked().at(-1) ?? {};
  expect([JSON.stringify(body).includes('Hello.'), malformed(path ?? '', body)]).toEqual([true, []]);
  expect(JSON.stringify(body)).not.toContain('original_content":"one');
});
