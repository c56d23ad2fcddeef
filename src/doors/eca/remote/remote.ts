// The remote API of one editor: its workspace and its chats for browsers. All browsers together are
// one client of the host.
import { present } from '../../../base/present.ts';
import type { Summary } from '../../../host/session/summary.ts';
import { closeConnection, openConnection } from '../connection.ts';
import type { EcaConnection } from '../connection.ts';
import { followJobs } from '../inbound/jobs.ts';
import type { ClientConfiguration } from '../options.ts';
import type { NotificationSink } from '../outbound/sender.ts';
import { RemoteClient } from './remoteClient.ts';
import { RemotePeer } from './peer.ts';
import type { RemoteEvent } from './peer.ts';
import { routeRequest } from './routes.ts';
import { sessionOf } from './session.ts';

export interface RemoteRequest {
  readonly method: string;
  /** Below `/api/v1`, without the query. */
  readonly path: string;
  readonly query: { readonly [name: string]: string };
  readonly body: unknown;
}

export interface RemoteAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export interface Remote extends NotificationSink {
  answer(request: RemoteRequest): Promise<RemoteAnswer>;
  /** Sends the current session first and then every event, until the returned function is called. */
  listen(listener: (event: RemoteEvent) => void): () => void;
  /** The workspace of the editor has changed. */
  move(roots: readonly string[]): void;
  /** The configuration of the editor has changed. */
  configure(configuration: ClientConfiguration): void;
  close(): void;
}

/** Opens the API of an editor, with the editor's workspace and configuration. */
export function openRemote({ host, options, workspace: { roots, configuration } }: EcaConnection): Remote {
  const peer = new RemotePeer();
  const connection = openConnection(host, peer, options);
  const {
    updates: { announcer, servers },
    lifetime,
    profile,
    sender,
    workspace,
  } = connection;
  profile.introduce({ name: 'eca-web', asksQuestions: true, initializationOptions: {}, draft: undefined });
  sender.sendThrough(peer);
  workspace.move(roots);
  workspace.configure(configuration);
  const client = new RemoteClient(connection, peer);
  const followAll = () => host.summaries().forEach((summary) => followChats(connection, summary));
  followAll();
  lifetime.onEnd(
    host.follow((change) => {
      if (change.kind === 'added' || change.kind === 'changed') followChats(connection, change.summary);
      else if (change.kind === 'removed') unfollowChats(connection, change.id);
      else announcer.announce();
    }),
  );
  lifetime.onEnd(options.providers?.watch((status) => announcer.announceProvider(status)));
  lifetime.onEnd(followJobs(connection));
  servers.watch();
  return {
    answer: (request) => routeRequest(client, request),
    listen(listener) {
      listener({ event: 'session:connected', data: sessionOf(client) });
      return peer.listen(listener);
    },
    move(next) {
      workspace.move(next);
      servers.watch();
      followAll();
    },
    configure(next) {
      workspace.configure(next);
      announcer.announce(present({ welcomeMessage: next.welcomeMessage }));
    },
    notify: (method, params) => sender.notify(method, params),
    close() {
      peer.close();
      closeConnection(connection);
    },
  };
}

/**
 * Follows the chats of a session in the workspace as soon as it is in memory; until then it has no events.
 */
function followChats({ chats, host, workspace }: EcaConnection, summary: Summary): void {
  const session = workspace.includes(summary.roots) ? host.opened(summary.id) : undefined;
  if (!session) return;
  for (const { id, origin } of summary.chats)
    if (origin.type !== 'tool' && !chats.follows(session, id)) chats.follow(session, id);
}

function unfollowChats({ chats, sender }: EcaConnection, session: string): void {
  for (const chat of chats.unfollowSession(session)) sender.notify('chat/deleted', { chatId: chat });
}
