// Editors on stdio over ECA and ACP, each with several sessions. They stay connected when their host is
// killed; when their machine is, they begin anew and open their sessions again.
import { methods } from '@agentclientprotocol/sdk';
import { acpEditor, ecaClient } from '../../kit/clients.ts';
import { pause } from '../../kit/living.ts';
import { eventually, inTime } from '../../kit/patience.ts';
import type { Loose } from '../../kit/wire.ts';
import type { CloseReason } from '../../../src/rpc/transports/transport.ts';
import type { Machine } from './machine.ts';
import type { Prompt } from './prompts.ts';

/** What one process of an editor has shown of each session, from its beginning. */
export type Shown = ReadonlyMap<string, string>;

export interface Editor {
  readonly sessions: readonly string[];
  /** What each of its processes has shown; the last one is still there. */
  readonly lives: readonly Shown[];
  /** Starts the process, and opens the sessions that it has had. */
  begin(count: number): Promise<void>;
  /** Returns when the turn has ended, as far as the editor knows. */
  prompt(session: string, prompt: Prompt): Promise<void>;
  end(): Promise<void>;
}

/** One process. */
interface Life {
  readonly shown: Map<string, string>;
  open(session: string): Promise<unknown>;
  create(name: string): Promise<string>;
  prompt(session: string, text: string): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<CloseReason>;
}

export interface EditorOptions {
  readonly name: string;
  readonly machine: Machine;
  /** Something that must not happen has happened. */
  readonly problem: (what: string) => void;
}

class StdioEditor implements Editor {
  readonly sessions: string[] = [];
  readonly lives: Shown[] = [];
  readonly #options: EditorOptions;
  readonly #start: () => Promise<Life>;
  #life: Life | undefined;
  readonly #ended = new WeakSet<Life>();

  constructor(options: EditorOptions, start: () => Promise<Life>) {
    this.#options = options;
    this.#start = start;
  }

  async begin(count: number): Promise<void> {
    const { name } = this.#options;
    const life = await inTime(this.#start(), () => `the start of ${name}`);
    this.lives.push(life.shown);
    void this.#watch(life);
    for (const session of this.sessions) await insist(`${name} to open ${session}`, () => life.open(session));
    for (let at = this.sessions.length; at < count; at += 1)
      this.sessions.push(
        await insist(`${name} to create its session ${at}`, () => life.create(`${name}-${at}`)),
      );
    this.#life = life;
  }

  async prompt(session: string, { text }: Prompt): Promise<void> {
    const life = this.#life;
    await Promise.race([life?.prompt(session, text).catch(() => {}), life?.gone]);
    await pause(life === this.#life && life ? 100 : 1_000);
  }

  async end(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    if (!life) return;
    this.#ended.add(life);
    const closed = Promise.all([life.gone, life.close().catch(() => {})]);
    await inTime(closed, () => `the end of ${this.#options.name}`);
  }

  /** A program on stdio lives as long as its editor, whatever becomes of its host. */
  async #watch(life: Life): Promise<void> {
    const { detail } = await life.gone;
    if (!this.#ended.has(life)) this.#options.problem(`${this.#options.name} ended by itself: ${detail}`);
  }
}

export function ecaEditor(options: EditorOptions): Editor {
  const { home } = options.machine;
  return new StdioEditor(options, async () => {
    const eca = await ecaClient(home);
    const shown = new Map<string, string>();
    const statuses = new Map<string, string>();
    let isGone = false;
    void eca.peer.closed.finally(() => {
      isGone = true;
    });
    const take = ({ method, params }: Loose) => {
      if (method === 'chat/statusChanged') statuses.set(params.chatId, params.status);
      if (method === 'chat/contentReceived' && params.role === 'assistant' && params.content.type === 'text')
        shown.set(params.chatId, (shown.get(params.chatId) ?? '') + params.content.text);
    };
    eca.said.push = (...all) => {
      all.forEach(take);
      return 0;
    };
    return {
      shown,
      create: async (chatId) => {
        await eca.request('chat/prompt', { chatId, message: 'say Hello.' });
        await idle(chatId, () => (isGone ? 'gone' : statuses.get(chatId)));
        return chatId;
      },
      open: async (chatId) => {
        if ((await eca.request('chat/open', { chatId })).found !== true) throw new Error('not found');
      },
      prompt: async (chatId, message) => {
        statuses.set(chatId, 'asked');
        await eca.request('chat/prompt', { chatId, message });
        await idle(chatId, () => (isGone ? 'gone' : statuses.get(chatId)));
      },
      close: () => eca.close(),
      gone: eca.peer.closed,
    };
  });
}

export function acpEditorOn(options: EditorOptions): Editor {
  const { home } = options.machine;
  return new StdioEditor(options, async () => {
    const editor = await acpEditor(home);
    const shown = new Map<string, string>();
    editor.updates.push = (...all) => {
      for (const { sessionId, update } of all as readonly Loose[])
        if (update.sessionUpdate === 'agent_message_chunk')
          shown.set(sessionId, (shown.get(sessionId) ?? '') + update.content.text);
      return 0;
    };
    const place = { cwd: home.workspace, mcpServers: [] };
    const { agent } = editor;
    return {
      shown,
      create: async () => {
        const made: Loose = await agent.request(methods.agent.session.new, place);
        return made.sessionId;
      },
      open: (sessionId) => agent.request(methods.agent.session.load, { sessionId, ...place }),
      prompt: async (sessionId, text) => {
        await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
      },
      close: () => editor.close(),
      gone: editor.gone,
    };
  });
}

/** A prompt that was lost with its host ends without a word of the host. */
async function idle(chat: string, status: () => string | undefined): Promise<void> {
  const lost = Date.now() + 8_000;
  const look = async () => {
    await pause(40);
    const now = status();
    return now === 'idle' || now === 'gone' || (now === 'asked' && Date.now() > lost);
  };
  await eventually(look, () => `the end of a turn in ${chat}, which is ${status()}`);
}

async function insist<T>(what: string, run: () => Promise<T>): Promise<T> {
  let problem: unknown;
  const look = async () => {
    try {
      return { value: await run() };
    } catch (error) {
      problem = error;
      await pause(300);
      return undefined;
    }
  };
  return (await eventually(look, () => `${what}: ${String(problem)}`)).value;
}
