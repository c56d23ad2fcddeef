// The remote API of one editor: its workspace and its chats for browsers. Browsers together are one more client of the host, with a name of its own.
import type { Host } from '../../../host/host.ts';
import type { Summary } from '../../../host/session/summary.ts';
import { announce } from '../outbound/announce.ts';
import { Connection } from '../connection.ts';
import type { Dialect } from '../connection.ts';
import { followJobs } from '../inbound/jobs.ts';
import type { Configured, EcaDoorOptions } from '../options.ts';
import { watchServers } from '../outbound/serverUpdates.ts';
import { RemotePeer } from './peer.ts';
import type { RemoteEvent } from './peer.ts';
import { route } from './routes.ts';
import { sessionOf } from './session.ts';

export interface RemoteRequest {
  readonly method: string;
  /** Below `/api/v1`, without the query. */
  readonly path: string;
  readonly query: { readonly [name: string]: string };
  readonly body: unknown;
}

/** A body that is absent stands for an answer without one. */
export interface RemoteAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export interface Remote extends Dialect {
  answer(request: RemoteRequest): Promise<RemoteAnswer>;
  /** Tells how things stand first and then every event, until the returned function is called. */
  listen(listener: (event: RemoteEvent) => void): () => void;
  /** The workspace of the editor is another now. */
  move(roots: readonly string[]): void;
  /** The configuration of the editor is another now. */
  configure(now: Configured): void;
  close(): void;
}

/** What all handlers work with. */
export interface Place {
  readonly connection: Connection;
  readonly peer: RemotePeer;
  /** Whether prompts from browsers run everything unasked, where they do not say. */
  trust: boolean;
  readonly startedAt: number;
}

export function openRemote(
  host: Host,
  options: EcaDoorOptions,
  { roots, configured }: Pick<Connection, 'roots' | 'configured'>,
): Remote {
  const peer = new RemotePeer();
  const connection = new Connection(host, peer, options);
  Object.assign(connection, { name: 'eca-web', asksQuestions: true, dialect: peer, roots, configured });
  const place: Place = { connection, peer, trust: configured.trust ?? false, startedAt: host.clock.now() };
  const hearAll = () => host.summaries().forEach((summary) => hear(connection, summary));
  hearAll();
  connection.whenGone(
    host.follow((change) => {
      if (change.kind === 'added' || change.kind === 'changed') return hear(connection, change.summary);
      if (change.kind === 'removed') forget(connection, change.id);
      else announce(connection);
    }),
  );
  connection.whenGone(
    options.providers?.watch((status) => {
      announce(connection);
      connection.tellProvider(status);
    }),
  );
  connection.whenGone(followJobs(connection));
  watchServers(connection);
  return {
    answer: (request) => route(place, request),
    listen(listener) {
      listener({ event: 'session:connected', data: sessionOf(place) });
      return peer.listen(listener);
    },
    move(now) {
      connection.roots = now;
      watchServers(connection);
      hearAll();
    },
    configure(now) {
      const { welcomeMessage } = now;
      connection.configured = now;
      announce(connection, welcomeMessage === undefined ? {} : { welcomeMessage });
    },
    tell: (method, params) => connection.tell(method, params),
    close() {
      peer.close();
      connection.close();
    },
  };
}

/** Chats of the workspace are heard as soon as they are in memory; a chat that sleeps says nothing. */
function hear(connection: Connection, summary: Summary): void {
  const session = connection.sees(summary.roots) ? connection.host.opened(summary.id) : undefined;
  if (!session) return;
  for (const { id, origin } of summary.chats)
    if (origin.type !== 'tool' && !connection.hears(session, id)) connection.hear(session, id);
}

function forget(connection: Connection, session: string): void {
  for (const chat of connection.hearings.of(session)) {
    connection.hearings.stop(chat);
    connection.tell('chat/deleted', { chatId: chat });
  }
}
