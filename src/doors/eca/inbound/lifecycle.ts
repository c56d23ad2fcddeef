// How a client comes and goes: handshake, what it may choose from, its workspace, the end.
import type { CatalogueChange } from '../../../host/session/catalogue.ts';
import type { Results } from '../../../protocols/eca/messages.ts';
import type { NotificationParams, RequestParams } from '../../../protocols/eca/schema.ts';
import { announce, announceModels, announceTools, renewTools } from '../outbound/announce.ts';
import { unconfigured } from '../connection.ts';
import type { Connection } from '../connection.ts';
import { Draft, speaksDraft } from '../draft/dialect.ts';
import { editorOf } from '../editor.ts';
import { welcome, whoWeAre } from '../greeting.ts';
import { pathOf } from './toCommand.ts';
import { followJobs } from './jobs.ts';
import type { Configured } from '../options.ts';
import { keepRemote } from '../remote/keep.ts';
import { watchServers } from '../outbound/serverUpdates.ts';
import { TitleFirst } from '../outbound/titleFirst.ts';

/** Answered from constants, because clients wait for it before they show anything. */
export function initialize(
  connection: Connection,
  params: RequestParams<'initialize'>,
): Results['initialize'] {
  connection.name = params.clientInfo?.name;
  connection.roots = pathsOf(params.workspaceFolders);
  connection.draft = speaksDraft(params) ? new Draft(connection.peer) : undefined;
  connection.dialect = connection.draft;
  connection.asksQuestions = params.capabilities?.codeAssistant?.chatCapabilities?.askQuestion ?? false;
  const abilities = params.capabilities?.codeAssistant?.editor;
  if (abilities) connection.whenGone(connection.host.editors.attach(editorOf(connection, abilities)));
  connection.selected = { ...connection.selected, agent: wishedAgent(params.initializationOptions) };
  connection.initial = params.initializationOptions ?? {};
  connection.titleFirst = connection.initial['env'] === 'test' ? new TitleFirst() : undefined;
  if (params.processId !== undefined) connection.watch(params.processId);
  return whoWeAre(connection.options.version, params.initializationOptions);
}

/** The default agent, under its newest and its older name. */
function wishedAgent(options: RequestParams<'initialize'>['initializationOptions']): string | undefined {
  return [options?.['chatAgent'], options?.['chatBehavior'], options?.['defaultAgent']].find(
    (name) => typeof name === 'string',
  );
}

export function initialized(connection: Connection): void {
  if (connection.greeted) return;
  connection.greeted = true;
  const ended = begin(connection, { taskId: 'models', title: 'Syncing models' });
  task(connection, { taskId: 'plugins', title: 'Resolving plugins' }, () => configure(connection));
  // Nothing is to be done for this one; clients that know it by name see it begin and end all the same.
  task(connection, { taskId: 'cleanup', title: 'Cleaning up' }, () => {});
  const servers = connection.following?.servers;
  if (servers) connection.ready = pushAfter(connection, servers, ended);
  else firstPush(connection, ended);
}

async function pushAfter(connection: Connection, servers: Promise<void>, ended: () => void): Promise<void> {
  await within(connection, servers);
  connection.ready = undefined;
  if (!connection.gone.aborted) firstPush(connection, ended);
}

/** How long servers of the user's own may hold up the first push, in milliseconds. */
const serverPatience = 1_000;

function within({ host, gone }: Connection, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const given = host.clock.after(serverPatience, resolve);
    const over = () => {
      given();
      resolve();
    };
    gone.addEventListener('abort', over, { once: true });
    void work.finally(over);
  });
}

/** What a client may choose from; the models are in step then. */
function firstPush(connection: Connection, ended: () => void): void {
  try {
    announce(connection, { welcomeMessage: connection.configured.welcomeMessage ?? welcome });
    task(connection, { taskId: 'mcp-servers', title: 'Initializing MCP servers' }, () =>
      announceTools(connection),
    );
    announceModels(connection);
  } finally {
    ended();
  }
  follow(connection);
}

/** From now on the client hears of what changes beside its chats. */
function follow(connection: Connection): void {
  const { providers } = connection.options;
  connection.whenGone(
    providers?.watch((status) => {
      announce(connection);
      connection.tellProvider(status);
    }),
  );
  connection.whenGone(followJobs(connection));
  watchServers(connection);
}

/** The configuration is known before the client is first told what it may choose from, so that it never sees what does not hold. */
function configure(connection: Connection): void {
  const { roots, initial, options } = connection;
  connection.following = options.configure?.({ roots, initial }, (now) => configured(connection, now));
  connection.whenGone(() => connection.following?.leave());
}

/** A problem is told once, when it begins. */
function configured(connection: Connection, now: Configured): void {
  const starts = connection.configured === unconfigured;
  const fresh = now.problems.filter((problem) => !connection.configured.problems.includes(problem));
  connection.configured = now;
  connection.known = connection.host.knowledge.of(connection.roots);
  for (const message of fresh) {
    // What is wrong from the beginning also stands in the chat, of which there is none yet.
    if (starts)
      connection.tell('chat/contentReceived', {
        role: 'system',
        content: { type: 'text', text: `\n${message}\n` },
      });
    connection.tell('$/showMessage', { type: 'warning', message });
  }
  connection.inTurn(() => keepRemote(connection));
  if (!hasFirstPush(connection)) return;
  announce(connection, now.welcomeMessage === undefined ? {} : { welcomeMessage: now.welcomeMessage });
  renewTools(connection);
}

/** What changes before it is in it already. */
function hasFirstPush({ announced }: Connection): boolean {
  return announced.models !== undefined;
}

export function catalogueChanged(connection: Connection, change: CatalogueChange): void {
  if (change.kind === 'agents' && hasFirstPush(connection)) announce(connection);
  if (change.kind !== 'removed') return;
  for (const chat of connection.hearings.of(change.id)) {
    connection.hearings.stop(chat);
    connection.tell('chat/deleted', { chatId: chat });
  }
}

/** Chats that were begun here follow the workspace; others keep the one they were begun with. */
export function foldersChanged(
  connection: Connection,
  { event }: NotificationParams<'workspace/didChangeWorkspaceFolders'>,
): void {
  const [added, removed] = [pathsOf(event.added), pathsOf(event.removed)];
  const change = (roots: readonly string[]) => [
    ...new Set([...roots.filter((root) => !removed.includes(root)), ...added]),
  ];
  connection.roots = change(connection.roots);
  connection.remote?.remote.move(connection.roots);
  for (const id of connection.begun) {
    const session = connection.host.opened(id);
    session?.dispatch(
      { kind: 'changeSession', changes: { roots: change(session.head.roots) } },
      connection.origin,
    );
  }
  if (connection.watched) watchServers(connection);
  // What the new folders say counts from now on, and what the old ones said does not.
  connection.following?.move(connection.roots);
}

/** How long programs of the user may hold up the answer, in milliseconds: clients wait for it before they end. */
const lastWords = 800;

export async function shutdown({ following, host }: Connection): Promise<null> {
  const ended = following?.end();
  if (ended)
    await new Promise<void>((resolve) => {
      const given = host.clock.after(lastWords, resolve);
      void ended.finally(() => {
        given();
        resolve();
      });
    });
  return null;
}

export function exit(connection: Connection): void {
  connection.peer.close();
  connection.options.exit?.(0);
}

function pathsOf(folders: RequestParams<'initialize'>['workspaceFolders']): readonly string[] {
  return [...new Set(folders.flatMap(({ uri }) => pathOf(uri) ?? []))];
}

/** Some clients wait until every task they saw begin has ended. */
function task(connection: Connection, what: Task, work: () => void): void {
  const ended = begin(connection, what);
  try {
    work();
  } finally {
    ended();
  }
}

interface Task {
  readonly taskId: string;
  readonly title: string;
}

function begin(connection: Connection, { taskId, title }: Task): () => void {
  connection.tell('$/progress', { type: 'start', taskId, title });
  return () => connection.tell('$/progress', { type: 'finish', taskId, title });
}
