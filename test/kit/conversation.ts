// The real program with one fake provider behind every wire format, and an editor that talks to it over ECA:
// for tests of whole conversations.
import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { ecaClient } from './clients.ts';
import { fakeProvider } from './fakeProvider.ts';
import type { FakeProvider, Recorded } from './fakeProvider.ts';
import { newHome } from './parley.ts';
import type { Home, Served } from './parley.ts';
import type { Reply } from './provider/reply.ts';
import type { Answers, Loose, ReceivedNotification, Wire } from './wire.ts';

/** A model for each wire format. */
export const formats = [
  ['Anthropic', 'anthropic/claude-sonnet-4-6'],
  ['OpenAI Responses', 'openai/gpt-5.2'],
  ['OpenAI Chat', 'deepseek/deepseek-chat'],
  ['Google', 'google/gemini-2.5-pro'],
  ['Ollama', 'ollama/fake-large'],
] as const;

export interface Talking {
  readonly home: Home;
  readonly provider: FakeProvider;
  readonly eca: Wire;
  /** Where clients of other protocols find the host; only where it is shared. */
  served(): Served;
  /**
   * Answers a request of a chat; undefined lets the keywords in the prompt decide. Requests for
   * titles never come here.
   */
  answer: ((request: Recorded) => Reply | undefined) | undefined;
  /** The requests for answers so far, without those for titles. */
  asked(): readonly Recorded[];
  /** Sends a message and waits for the end of its turn; what was said meanwhile comes back. */
  prompt(chat: string, message: string, model?: string): Promise<readonly Loose[]>;
  /** Sends a message and does not wait. Returns from where on to look for what follows. */
  send(chat: string, message: string, model?: string): Promise<number>;
  /** Waits for the end of the turn that the next message of the user begins. */
  finished(chat: string, from: number): Promise<readonly Loose[]>;
  close(): Promise<void>;
}

export async function startConversation(
  options: {
    readonly settings?: object;
    readonly answers?: Answers;
    readonly capabilities?: object;
    readonly host?: 'own' | 'shared';
  } = {},
): Promise<Talking> {
  const home = newHome();
  const provider = await fakeProvider();
  delete home.env['PARLEY_SCRIPTED'];
  for (const name of Object.keys(home.env))
    if (/_API_(?:KEY|URL|WIRE)$|^GEMINI|^AWS_BEARER/.test(name)) delete home.env[name];
  for (const id of ['ANTHROPIC', 'OPENAI', 'DEEPSEEK', 'GOOGLE', 'OLLAMA'])
    Object.assign(home.env, { [`${id}_API_URL`]: provider.url, [`${id}_API_KEY`]: 'sk-test' });
  Object.assign(home.env, {
    LMSTUDIO_API_URL: 'http://127.0.0.1:1',
    LLAMA_CPP_API_URL: 'http://127.0.0.1:1',
  });
  if (options.settings) {
    mkdirSync(home.env['PARLEY_HOME'] ?? '', { recursive: true });
    writeFileSync(join(home.env['PARLEY_HOME'] ?? '', 'config.jsonc'), JSON.stringify(options.settings));
  }
  const isTitle = ({ asked }: Recorded) => /title generator/i.test(asked?.system ?? '');
  provider.reply = (_, request) => (isTitle(request) ? undefined : rig.answer?.(request));
  const served = options.host === 'shared' ? await home.serve() : undefined;
  const eca = await ecaClient(home, { args: served ? [] : ['--standalone'], ...options });
  const content = (chat: string, from: number) =>
    eca.said
      .slice(from)
      .flatMap(({ method, params }) =>
        method === 'chat/contentReceived' && params.chatId === chat ? [params] : [],
      );
  const rig: Talking = {
    home,
    provider,
    eca,
    answer: undefined,
    served() {
      if (!served) throw new Error('this host is not shared');
      return served;
    },
    asked: () => provider.requests.filter((request) => request.asked !== undefined && !isTitle(request)),
    async send(chat, message, model) {
      const from = eca.said.length;
      await eca.request('chat/prompt', { chatId: chat, message, ...(model === undefined ? {} : { model }) });
      return from;
    },
    async finished(chat, from) {
      const isContent = ({ method, params }: ReceivedNotification) =>
        method === 'chat/contentReceived' && params.chatId === chat;
      const begin = await eca.wait((message) => isContent(message) && message.params.role === 'user', from);
      await eca.wait(
        (message) =>
          isContent(message) &&
          message.params.content.type === 'progress' &&
          message.params.content.state === 'finished',
        eca.said.indexOf(begin),
      );
      return content(chat, from);
    },
    async prompt(chat, message, model) {
      return rig.finished(chat, await rig.send(chat, message, model));
    },
    async close() {
      await eca.close();
      await home.dispose();
      await provider.close();
    },
  };
  return rig;
}

/** What a chat was told, one line each, without progress, usage and titles. */
export function brief(said: readonly Loose[]): readonly string[] {
  const lines: string[] = [];
  let goesOn = false;
  for (const { role, content } of said) {
    const words = content.type === 'text' && role === 'assistant';
    if (words && goesOn) lines.push(`${lines.pop()}${content.text}`);
    else if (content.type === 'text')
      lines.push(`${role}: ${words ? content.text.trimStart() : content.text.trim()}`);
    else if (content.type === 'toolCalled')
      lines.push(`${content.name} ${content.error ? 'failed' : 'done'}`);
    else if (content.type === 'toolCallRejected') lines.push(`${content.name} rejected`);
    // The title may come in the middle of an answer.
    if (content.type !== 'metadata') goesOn = words;
  }
  return lines;
}
