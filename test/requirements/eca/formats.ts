// The real host with one fake provider behind every wire format of models, and an editor on it that
// prompts and approves.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentLength } from '../../../src/rpc/framing/contentLength.ts';
import { spawned } from '../../kit/clients.ts';
import { fakeProvider } from '../../kit/fakeProvider.ts';
import type { FakeProvider, Recorded } from '../../kit/fakeProvider.ts';
import { newHome } from '../../kit/parley.ts';
import type { Home } from '../../kit/parley.ts';
import type { Reply } from '../../kit/provider/reply.ts';
import { wire } from '../../kit/wire.ts';
import type { Answers, Loose, ReceivedNotification, Wire } from '../../kit/wire.ts';
import { content, inShort, isContent, isFinished } from './words.ts';

/** Each is spoken by a provider that is known by name. */
export const formats = [
  { name: 'openai-responses', provider: 'openai' },
  { name: 'anthropic', provider: 'anthropic' },
  { name: 'openai-chat', provider: 'openrouter' },
  { name: 'google', provider: 'google' },
  { name: 'ollama', provider: 'ollama' },
] as const;

export interface Prompted {
  readonly chat: string;
  /** What was said to the chat until it was over, and to the chats inside it. */
  readonly said: readonly ReceivedNotification[];
  /** The same in short words, without titles and usage, which come when they are ready. */
  readonly words: readonly string[];
  /** What the model has said. */
  readonly text: string;
}

export interface Rig {
  readonly home: Home;
  readonly fake: FakeProvider;
  readonly eca: Wire;
  /** Sends a prompt, approves what is asked, and waits until it is over. */
  prompt(
    provider: string,
    message: string,
    more?: { readonly chat?: string; readonly [member: string]: unknown },
  ): Promise<Prompted>;
  /** The requests for answers since the last call, without those for titles. */
  asked(): readonly Recorded[];
  /** Answers those requests instead of the keywords in their prompts. */
  answer(reply: ((request: Recorded) => Reply | undefined) | undefined): void;
  put(path: string, text: string): string;
  close(): Promise<void>;
}

export interface RigOptions {
  /** The user's ECA configuration. */
  readonly config?: object;
  readonly initial?: object;
  readonly capabilities?: object;
  readonly answers?: Answers;
  readonly args?: readonly string[];
}

let chats = 0;
const newChat = () => `chat-${(chats += 1)}`;

export async function startRig({
  config,
  initial,
  capabilities,
  answers,
  args = [],
}: RigOptions = {}): Promise<Rig> {
  const fake = await fakeProvider();
  const home = newHome();
  delete home.env['PARLEY_SCRIPTED'];
  for (const { provider } of formats) {
    const prefix = provider.toUpperCase();
    Object.assign(home.env, {
      [`${prefix}_API_URL`]: fake.url,
      [`${prefix}_API_KEY`]: 'k',
      [`${prefix}_API_MODELS`]: 'fake-large',
    });
  }
  home.env['XDG_CONFIG_HOME'] = join(home.dir, 'config');
  const put = (path: string, text: string) => {
    const file = join(home.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  if (config) put('config/eca/config.json', JSON.stringify(config));
  if (!args.includes('--standalone')) await home.serve();
  const eca = wire(spawned(home, ['server', ...args], contentLength), answers);
  await eca.request('initialize', {
    processId: process.pid,
    capabilities: { codeAssistant: { chat: true, ...capabilities } },
    workspaceFolders: [{ name: 'w', uri: `file://${home.workspace}` }],
    ...(initial ? { initializationOptions: initial } : {}),
  });
  eca.notify('initialized', {});
  // The models of a server on this machine are found out after the start.
  await eca.wait(
    ({ method, params }) => method === 'config/updated' && params.chat.models?.includes('ollama/fake-large'),
  );
  let seen = 0;
  const isTitle = ({ asked }: Recorded) => /title generator/i.test(asked?.system ?? '');
  return {
    home,
    fake,
    eca,
    put,
    prompt: (provider, message, { chat = newChat(), ...more } = {}) =>
      prompt(eca, { chat, message, model: `${provider}/fake-large`, ...more }),
    asked() {
      const from = seen;
      seen = fake.requests.length;
      return fake.requests.slice(from).filter((request) => request.asked && !isTitle(request));
    },
    answer(reply) {
      fake.reply = reply && ((_, request) => (isTitle(request) ? undefined : reply(request)));
    },
    async close() {
      await eca.close();
      await home.dispose();
      await fake.close();
    },
  };
}

async function prompt(
  eca: Wire,
  {
    chat,
    message,
    ...more
  }: { readonly chat: string; readonly message: string; readonly [member: string]: unknown },
): Promise<Prompted> {
  const from = eca.said.length;
  const isMine = ({ params }: ReceivedNotification) =>
    params?.chatId === chat || params?.parentChatId === chat;
  const isOver = (said: ReceivedNotification) => said.params?.chatId === chat && isFinished(said);
  const isAsked = (said: ReceivedNotification) =>
    isMine(said) && isContent('toolCallRun', { manualApproval: true })(said);
  await eca.request('chat/prompt', { chatId: chat, message, ...more });
  for (let at = from; ;) {
    const found = await eca.wait((said) => isOver(said) || isAsked(said), at);
    if (isOver(found)) break;
    eca.notify('chat/toolCallApprove', { chatId: found.params.chatId, toolCallId: content(found).id });
    at = eca.said.indexOf(found) + 1;
  }
  const said = eca.said.slice(from).filter(isMine);
  const own = said.filter(({ params }) => params.chatId === chat);
  const words = inShort(own.filter((each) => !isContent('usage')(each) && !isContent('metadata')(each)));
  return {
    chat,
    said,
    words,
    text: own
      .flatMap((each) =>
        isContent('text')(each) && each.params.role === 'assistant' ? [String(content(each).text)] : [],
      )
      .join(''),
  };
}

/** The first content of a type. */
export const first = (said: readonly ReceivedNotification[], type: string, more: object = {}): Loose =>
  content(said.find(isContent(type, more)) ?? {});

export const opening = ['chat/opened', 'user text', 'status running', '"Waiting model"'];
export const ending = ['status idle', 'finished'];
