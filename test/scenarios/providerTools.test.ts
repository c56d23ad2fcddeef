// What a provider looks up and draws by itself, through the real program: in every client, on the console's
// page, past a host that dies, and back to the provider.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, expect, test } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import { startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import type { Reply } from '../kit/provider/reply.ts';
import { malformed } from '../kit/provider/wellFormed.ts';
import type { Loose, ReceivedNotification } from '../kit/wire.ts';
import { useBrowser } from './console/browser.ts';

const [claude, gpt] = ['anthropic/claude-sonnet-4-6', 'openai/gpt-5.2'];
const page = { url: 'https://weather.example/today', title: 'Weather today' };
/** One grey dot. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const searched: Reply = [
  { search: 'weather', found: [page], seal: 'ENCRYPTED' },
  { text: 'It rains.' },
  { cite: page.url, title: page.title, seal: 'INDEX' },
];
const drawn: Reply = [{ text: 'Here it is:' }, { picture: dot }, { text: 'Anything else?' }];
const settings = {
  providers: { anthropic: { webSearch: true }, openai: { models: { 'gpt-5.2': { imageGeneration: true } } } },
};

const browsing = useBrowser();
let rig: Talking;
afterEach(() => rig.close());

const answer = ({ asked }: { readonly asked: { readonly prompt: string } | undefined }): Reply => {
  if (asked?.prompt.includes('weather')) return searched;
  return asked?.prompt.includes('Draw') ? drawn : [{ text: 'As you like.' }];
};

test('it is shown in every client, stays when the host dies, and goes back to its own provider alone', async () => {
  rig = await startConversation({ host: 'shared', settings });
  rig.answer = answer;
  const live = [
    ...(await rig.prompt('c', 'What is the weather?', claude)),
    ...(await rig.prompt('c', 'Draw it.', gpt)),
  ].map(({ content }) => content);

  const call = { server: 'llm', origin: 'server', name: 'web_search' };
  expect(rig.asked()[0]?.body.tools).toContainEqual({
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 10,
  });
  expect([...new Set(live.flatMap(({ type, name }) => (name === 'web_search' ? [type] : [])))]).toEqual([
    'toolCallPrepare',
    'toolCallRun',
    'toolCallRunning',
    'toolCalled',
  ]);
  expect(live.find(({ type }) => type === 'toolCallRun')).toMatchObject({
    ...call,
    manualApproval: false,
    arguments: { query: 'weather' },
    summary: 'Web search: weather',
  });
  expect(live.find(({ type }) => type === 'toolCalled')).toMatchObject({
    ...call,
    error: false,
    outputs: [{ type: 'text', text: `${page.title}: ${page.url}` }],
  });
  expect(live.find(({ type }) => type === 'url')).toEqual({ type: 'url', ...page });
  expect(live.find(({ type }) => type === 'image')).toEqual({
    type: 'image',
    mediaType: 'image/png',
    base64: dot,
  });
  expect(JSON.stringify(rig.asked()[1]?.body)).not.toMatch(/ENCRYPTED|INDEX|srvtoolu/);

  const { providers } = await rig.eca.request('providers/list', {});
  const can = (id: string, model: string) =>
    providers.find((one: Loose) => one.id === id).models.find((one: Loose) => one.id === model).capabilities;
  expect([
    can('anthropic', 'claude-sonnet-4-6'),
    can('openai', 'gpt-5.2'),
    can('openai', 'gpt-5'),
  ]).toMatchObject([
    { webSearch: true, imageGeneration: false },
    { webSearch: false, imageGeneration: true },
    { webSearch: false, imageGeneration: false },
  ]);

  await shownOverAhp();
  await shownOverAcp();
  await shownOnThePage();

  const { out, code } = await rig.home.run('run', '--model', gpt, 'Draw it.').done;
  const saved = /\[A picture: (.+)\]/.exec(out)?.[1] ?? '';
  expect([code, existsSync(saved) && readFileSync(saved).toString('base64')]).toEqual([0, dot]);
  rmSync(dirname(saved), { recursive: true });

  await rig.served().kill();
  await rig.home.serve();
  const eca = await ecaClient(rig.home);
  const replayed = await opened(eca);
  expect(replayed.filter(({ type }) => type === 'image' || type === 'url' || type === 'toolCalled')).toEqual(
    live.filter(({ type }) => type === 'image' || type === 'url' || type === 'toolCalled'),
  );
  const again = await asking(eca, 'And tomorrow?', claude);
  expect(
    again.messages
      .flatMap(({ content }: Loose) => content)
      .filter(({ type }: Loose) => /server_tool|web_search/.test(type)),
  ).toMatchObject([
    { input: { query: 'weather' } },
    { content: [{ ...page, encrypted_content: 'ENCRYPTED' }] },
  ]);
  expect(JSON.stringify(again)).toContain('"encrypted_index":"INDEX"');
  expect([JSON.stringify(again).split(dot).length - 1, malformed('/messages', again)]).toEqual([1, []]);
  const smaller = await asking(eca, 'Smaller.', gpt);
  expect(smaller.input).toContainEqual({
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    result: dot,
  });
  await eca.close();
});

async function shownOverAhp(): Promise<void> {
  const ahp = await ahpClient(rig.served());
  const { items } = await ahp.request('listSessions', { channel: 'ahp-root://' });
  const { defaultChat } = await ahp.subscribe(items[0].resource);
  const state = await ahp.subscribe(defaultChat);
  const parts = state.turns.flatMap((turn: Loose) => turn.responseParts);
  expect(parts.find((part: Loose) => part.kind === 'toolCall').toolCall).toMatchObject({
    toolName: 'web_search',
    status: 'completed',
    confirmed: 'not-needed',
    success: true,
    content: [{ type: 'resource', uri: page.url }],
  });
  const picture = parts.find((part: Loose) => part.kind === 'contentRef');
  expect(picture).toMatchObject({ contentType: 'image/png', sizeHint: 70 });
  expect(await ahp.request('resourceRead', { channel: 'ahp-root://', uri: picture.uri })).toEqual({
    data: dot,
    encoding: 'base64',
    contentType: 'image/png',
  });
  await expect(
    ahp.request('resourceRead', {
      channel: 'ahp-root://',
      uri: picture.uri.replace(/[^/]+\/picture[.]/, 'nothing/picture.'),
    }),
  ).rejects.toThrow('no such picture');
  await ahp.close();
}

async function shownOverAcp(): Promise<void> {
  const acp = await acpEditor(rig.home);
  await acp.agent.request(methods.agent.session.load, {
    sessionId: 'c',
    cwd: rig.home.workspace,
    mcpServers: [],
  });
  const updates = acp.updates.map(({ update }) => update as Loose);
  expect(updates.filter(({ content }) => content?.type === 'image')).toMatchObject([
    { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: dot, mimeType: 'image/png' } },
  ]);
  expect(
    updates.filter(({ sessionUpdate, name }) => sessionUpdate === 'tool_call' && name === 'web_search'),
  ).toMatchObject([{ kind: 'search', title: expect.stringMatching(/^Web search/) }]);
  expect(acp.problems).toEqual([]);
  await acp.close();
}

async function shownOnThePage(): Promise<void> {
  const { port, token } = rig.served();
  const { page: shown, complaints } = await browsing.open(`http://127.0.0.1:${port}/?tkn=${token}`);
  await shown
    .getByRole('link', { name: /title from the fake provider/ })
    .first()
    .click();
  const picture = shown.getByRole('img', { name: 'picture.png' });
  await picture.waitFor();
  await expect.poll(() => picture.evaluate((image): unknown => Reflect.get(image, 'naturalWidth'))).toBe(1);
  await shown.getByText('Web search', { exact: false }).first().click();
  await shown.locator(`a[href="${page.url}"]`).first().waitFor();
  expect(complaints).toEqual([]);
}

async function opened(eca: Talking['eca']): Promise<readonly Loose[]> {
  const from = eca.said.length;
  await eca.request('chat/open', { chatId: 'c' });
  await eca.wait(
    ({ method, params }) => method === 'chat/contentReceived' && params.content.type === 'metadata',
    from,
  );
  return contentsIn(eca.said.slice(from));
}

function contentsIn(said: readonly ReceivedNotification[]): readonly Loose[] {
  return said.flatMap(({ method, params }) => (method === 'chat/contentReceived' ? [params.content] : []));
}

/** What the provider is asked when this is said. */
async function asking(eca: Talking['eca'], message: string, model: string): Promise<Loose> {
  const from = eca.said.length;
  await eca.request('chat/prompt', { chatId: 'c', message, model });
  await eca.wait(
    ({ method, params }) =>
      method === 'chat/contentReceived' &&
      params.content.type === 'progress' &&
      params.content.state === 'finished',
    from,
  );
  return rig.asked().at(-1)?.body;
}

test('a search can be stopped, and one that the user has switched off is not offered', async () => {
  rig = await startConversation({ settings: { ...settings, disabledTools: ['image_generation'] } });
  rig.answer = () => [{ search: 'for long', part: 'begin' }, { idle: true }];
  const from = await rig.send('c', 'Look.', claude);
  await rig.eca.wait(
    ({ method, params }) => method === 'chat/contentReceived' && params.content.type === 'toolCallRunning',
    from,
  );
  rig.eca.notify('chat/promptStop', { chatId: 'c' });
  const said = await rig.finished('c', from);
  expect(await rig.asked()[0]?.ended).toBe('left');
  await rig.eca.wait(
    ({ method, params }) => method === 'chat/contentReceived' && params.content.type === 'toolCallRejected',
    from,
  );
  expect(said.some(({ content }) => content.type === 'toolCalled')).toBe(false);
  rig.answer = () => [{ text: 'ok' }];
  await rig.prompt('c', 'Never mind.', gpt);
  expect(JSON.stringify(rig.asked().at(-1)?.body)).not.toMatch(/image_generation|web_search|for long/);
});
