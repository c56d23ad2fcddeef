// Editors on stdio over ECA and ACP, each with several sessions. They stay connected when their host is
// killed; when their machine is, they begin anew and open their sessions again.
import { methods } from '@agentclientprotocol/sdk';
import { acpEditor, ecaClient } from '../../kit/clients.ts';
import { pause } from '../../kit/living.ts';
import type { Loose } from '../../kit/wire.ts';
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
  readonly gone: Promise<unknown>;
}

class StdioEditor implements Editor {
  readonly sessions: string[] = [];
  readonly lives: Shown[] = [];
  readonly #name: string;
  readonly #start: () => Promise<Life>;
  #life: Life | undefined;

  constructor(name: string, start: () => Promise<Life>) {
    this.#name = name;
    this.#start = start;
  }

  async begin(count: number): Promise<void> {
    const life = await this.#start();
    this.lives.push(life.shown);
    for (const session of this.sessions) await insist(() => life.open(session));
    for (let at = this.sessions.length; at < count; at += 1)
      this.sessions.push(await insist(() => life.create(`${this.#name}-${at}`)));
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
    await life?.close().catch(() => {});
  }
}

export function ecaEditor(name: string, { home }: Machine): Editor {
  return new StdioEditor(name, async () => {
    const eca = await ecaClient(home);
    const shown = new Map<string, string>();
    const statuses = new Map<string, string>();
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
        await idle(() => statuses.get(chatId));
        return chatId;
      },
      open: async (chatId) => {
        if ((await eca.request('chat/open', { chatId })).found !== true) throw new Error('not found');
      },
      prompt: async (chatId, message) => {
        statuses.set(chatId, 'asked');
        await eca.request('chat/prompt', { chatId, message });
        await idle(() => statuses.get(chatId));
      },
      close: () => eca.close(),
      gone: eca.peer.closed,
    };
  });
}

export function acpEditorOn(name: string, { home }: Machine): Editor {
  return new StdioEditor(name, async () => {
    const editor = await acpEditor(home);
    const shown = new Map<string, string>();
    editor.updates.push = (...all) => {
      for (const { sessionId, update } of all as readonly Loose[])
        if (update.sessionUpdate === 'agent_message_chunk')
          shown.set(sessionId, (shown.get(sessionId) ?? '') + update.content.text);
      return 0;
    };
    let leave = () => {};
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
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
      close: () => {
        leave();
        return editor.close();
      },
      gone,
    };
  });
}

/** A prompt that was lost with its host ends without a word of the host. */
async function idle(status: () => string | undefined): Promise<void> {
  for (let waited = 0; status() !== 'idle' && (status() !== 'asked' || waited < 8_000); waited += 50)
    await pause(50);
}

async function insist<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch {
      await pause(300);
    }
  }
}
