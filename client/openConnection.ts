// A connection to a host, in the words of the library.
import { fileUri } from '../src/base/fileUri.ts';
import { present } from '../src/base/present.ts';
import type { SessionState } from '../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from './connection/channel.ts';
import { createClient } from './connection/client.ts';
import type { Client } from './connection/client.ts';
import { freshId } from './connection/freshId.ts';
import type { OpenWire } from './connection/wire.ts';
import type {
  AgentInfo,
  ConnectionStatus,
  Found,
  NewSession,
  Parley,
  Session,
  SessionInfo,
  Unsubscribe,
} from './api.ts';
import { OpenSession } from './openSession.ts';
import { sessionInfo } from './sessionInfo.ts';

export interface OpenOptions {
  readonly wire: OpenWire;
  /** Tells a host that is down from one that refuses us. */
  readonly isHostUp: () => Promise<boolean>;
  readonly name: string | undefined;
  readonly timeout: number | undefined;
}

const defaultTimeout = 10_000;

/** Resolves when the host has answered and the list of sessions is there. */
export async function openConnection({
  wire,
  isHostUp,
  name,
  timeout = defaultTimeout,
}: OpenOptions): Promise<Parley> {
  const client = createClient({
    clientId: `client-${freshId()}`,
    name: name ?? 'parley/client',
    wires: [wire],
    isHostUp,
  });
  client.start();
  try {
    await until(timeout, 'No host answered in time. Is it running? parley starts it.', (done, fail) => [
      client.listed.subscribe((isListed) => isListed && done()),
      client.connection.subscribe((state) => {
        if (state.kind === 'incompatible') fail(state.reason);
        if (state.kind === 'refused') fail('The host refuses this token.');
      }),
    ]);
  } catch (error) {
    client.stop();
    throw error;
  }
  return new OpenConnection(client, timeout);
}

class OpenConnection implements Parley {
  readonly #client: Client;
  readonly #timeout: number;

  constructor(client: Client, timeout: number) {
    this.#client = client;
    this.#timeout = timeout;
  }

  agents(): readonly AgentInfo[] {
    const { agents = [] } = this.#client.root.state.value ?? {};
    return agents.map(({ provider, displayName, models }) => ({
      id: provider,
      name: displayName,
      models: models.map(({ id, name }) => ({ id, name })),
    }));
  }

  sessions(): readonly SessionInfo[] {
    return [...this.#client.sessions.value.values()]
      .map(sessionInfo)
      .toSorted((a, b) => b.modified.localeCompare(a.modified));
  }

  async create({ folder, agent, model, permissions }: NewSession = {}): Promise<Session> {
    const id = freshId();
    await this.#client.request('createSession', {
      channel: addressOf(id),
      ...present({
        provider: agent,
        workingDirectories: folder === undefined ? undefined : [fileUri(folder)],
      }),
    });
    const session = await this.#follow(id, model);
    if (permissions === undefined) return session;
    try {
      // The host leaves out settings of a new session that do not fit, but refuses a change to them.
      await session.setPermissions(permissions);
      return session;
    } catch (error) {
      session.close();
      await this.delete(id);
      throw error;
    }
  }

  open(id: string): Promise<Session> {
    return this.#follow(id);
  }

  async search(words: string, limit = 20): Promise<readonly Found[]> {
    const answer = await this.#client.requestExtension('sessions/search', {
      words: words.split(/\s+/).filter((word) => word !== ''),
      limit,
    });
    const hits = 'hits' in answer ? answer.hits : answer;
    return hits.map(({ id, title, lines }) => ({ id, title, lines }));
  }

  async delete(id: string): Promise<void> {
    await this.#client.requestExtension('sessions/delete', { id });
  }

  onSessions(listener: (sessions: readonly SessionInfo[]) => void): Unsubscribe {
    return this.#client.sessions.subscribe(() => listener(this.sessions()));
  }

  onConnection(listener: (status: ConnectionStatus) => void): Unsubscribe {
    return this.#client.connection.subscribe(({ kind }) => listener(kind));
  }

  close(): void {
    this.#client.stop();
  }

  async #follow(id: string, model?: string): Promise<Session> {
    const session = this.#client.open('session', addressOf(id));
    let address = '';
    await until(this.#timeout, 'The host did not open the session in time.', (done, fail) => [
      session.status.subscribe((status) => status.kind === 'gone' && fail(status.reason)),
      session.state.subscribe((state) => {
        if (state?.creationError) fail(state.creationError.message);
        address = chatOf(session);
        if (address !== '') done();
      }),
    ]);
    const chat = this.#client.open('chat', address);
    await until(this.#timeout, 'The host did not open the chat in time.', (done, fail) => [
      chat.status.subscribe((status) => status.kind === 'gone' && fail(status.reason)),
      chat.state.subscribe((state) => state && done()),
    ]);
    return new OpenSession(id, this.#client, { session, chat, model });
  }
}

function chatOf({ state }: Channel<SessionState>): string {
  return state.value?.defaultChat ?? state.value?.chats[0]?.resource ?? '';
}

function addressOf(id: string): string {
  return `ahp-session:/${encodeURIComponent(id)}`;
}

/** Waits for `done`; the listeners that `listen` returns end in any case. */
async function until(
  timeout: number,
  late: string,
  listen: (done: () => void, fail: (reason: string) => void) => readonly Unsubscribe[],
): Promise<void> {
  let listeners: readonly Unsubscribe[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(late)), timeout);
      listeners = listen(resolve, (reason) => reject(new Error(reason)));
    });
  } finally {
    clearTimeout(timer);
    for (const stop of listeners) stop();
  }
}
