// The life cycle of a client: handshake, first announcements, workspace changes, shutdown.
import { storageGoesOn, storageWaits } from '../../../host/session/backlog.ts';
import type { CatalogueChange } from '../../../host/session/catalogue.ts';
import type { Results } from '../../../protocols/eca/messages.ts';
import type { NotificationParams, RequestParams } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';
import { DraftClient, speaksDraft } from '../draft/dialect.ts';
import { editorOf } from '../editor.ts';
import { initializeResult, welcome } from '../initialize.ts';
import type { ClientConfiguration } from '../options.ts';
import { runTask, startTask } from '../outbound/progressTask.ts';
import { TitleFirst } from '../outbound/titleFirst.ts';
import { updateRemote } from '../remote/updateRemote.ts';
import { followJobs } from './jobs.ts';
import { pathOf } from './paths.ts';

/** Answers immediately, because clients show nothing before they have the answer. */
export function initialize(
  connection: EcaConnection,
  params: RequestParams<'initialize'>,
): Results['initialize'] {
  const { host, peer, profile, workspace, selection, sender, lifetime, options } = connection;
  const { chatCapabilities, editor } = params.capabilities?.codeAssistant ?? {};
  const { initializationOptions = {} } = params;
  const draft = speaksDraft(params) ? new DraftClient(peer) : undefined;
  profile.introduce({
    name: params.clientInfo?.name,
    asksQuestions: chatCapabilities?.askQuestion ?? false,
    initializationOptions,
    draft,
  });
  sender.sendThrough(draft);
  sender.showTitleFirst(initializationOptions['env'] === 'test' ? new TitleFirst() : undefined);
  workspace.move(pathsOf(params.workspaceFolders));
  selection.chooseAgent(defaultAgent(initializationOptions));
  if (editor) lifetime.onEnd(host.editors.attach(editorOf(connection, editor)));
  if (params.processId !== undefined)
    lifetime.onEnd(options.processes?.watch?.(params.processId, () => peer.close()));
  const configured = options.about?.welcome?.({ roots: workspace.roots, initial: initializationOptions });
  return initializeResult(options.version, params.initializationOptions, configured);
}

/** The default agent, under the newest member name and two older ones. */
function defaultAgent(options: { readonly [key: string]: unknown }): string | undefined {
  return [options['chatAgent'], options['chatBehavior'], options['defaultAgent']].find(
    (name) => typeof name === 'string',
  );
}

export function initialized(connection: EcaConnection): void {
  const {
    lifetime: { startup },
    sender,
  } = connection;
  if (!startup.greet()) return;
  const finish = startTask(sender, { taskId: 'models', title: 'Syncing models' });
  runTask(sender, { taskId: 'plugins', title: 'Resolving plugins' }, () => watchConfiguration(connection));
  // There is nothing to clean up, but some clients wait until they have seen this task start and finish.
  runTask(sender, { taskId: 'cleanup', title: 'Cleaning up' }, () => {});
  const servers = startup.configuration?.servers;
  if (servers) startup.waitForModels(announceAfter(connection, servers, finish));
  else announceAll(connection, finish);
}

/** The longest delay that slow model servers may cause, in milliseconds: that of ECA itself. */
const modelServerTimeout = 5_000;

async function announceAfter(
  connection: EcaConnection,
  servers: Promise<void>,
  finish: () => void,
): Promise<void> {
  const { lifetime } = connection;
  await Promise.race([
    within(connection, servers, modelServerTimeout),
    new Promise<void>((resolve) => lifetime.onEnd(resolve)),
  ]);
  if (!lifetime.isOver) announceAll(connection, finish);
}

/** Resolves when the work has ended in any way, at the latest after the timeout. */
function within({ host }: EcaConnection, work: Promise<unknown>, timeout: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = host.clock.after(timeout, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    work.then(end, end);
  });
}

/** Sends everything that the client can choose from, then follows changes of it. */
function announceAll(connection: EcaConnection, finish: () => void): void {
  const {
    updates: { announcer, servers },
    workspace,
    options,
    lifetime,
    sender,
  } = connection;
  try {
    announcer.announce({ welcomeMessage: workspace.configuration.welcomeMessage ?? welcome });
    runTask(sender, { taskId: 'mcp-servers', title: 'Initializing MCP servers' }, () =>
      announcer.announceTools(),
    );
  } finally {
    finish();
  }
  lifetime.onEnd(options.providers?.watch((status) => announcer.announceProvider(status)));
  lifetime.onEnd(followJobs(connection));
  servers.watch();
}

/**
 * The configuration is read before the first announcement, so that the client never sees
 * values that do not apply.
 */
function watchConfiguration(connection: EcaConnection): void {
  const { workspace, profile, options, lifetime } = connection;
  const { startup } = lifetime;
  const sources = { roots: workspace.roots, initial: profile.initializationOptions };
  startup.watchConfiguration(
    options.configure?.(sources, (configuration) => configure(connection, configuration)),
  );
  lifetime.onEnd(() => startup.configuration?.leave());
}

function configure(connection: EcaConnection, configuration: ClientConfiguration): void {
  const {
    workspace,
    updates: { announcer },
    remote,
  } = connection;
  reportProblems(connection, configuration);
  workspace.configure(configuration);
  remote.enqueue(() => updateRemote(connection));
  if (!announcer.hasAnnounced) return;
  const { welcomeMessage } = configuration;
  announcer.announce(welcomeMessage === undefined ? {} : { welcomeMessage });
  announcer.refreshNativeTools();
}

/**
 * Reports each problem once. Problems of the first configuration also appear in the chat view, apart from
 * missing trust: chats ask for it.
 */
function reportProblems({ workspace, sender }: EcaConnection, { problems }: ClientConfiguration): void {
  const reported = workspace.configuration.problems.map(({ message }) => message);
  for (const { message, untrusted } of problems.filter((problem) => !reported.includes(problem.message))) {
    if (untrusted) {
      sender.tellOnce(message);
      continue;
    }
    if (!workspace.isConfigured)
      sender.notify('chat/contentReceived', {
        role: 'system',
        content: { type: 'text', text: `\n${message}\n` },
      });
    sender.notify('$/showMessage', { type: 'warning', message });
  }
}

export function catalogueChanged(
  { updates: { announcer }, chats, sender }: EcaConnection,
  change: CatalogueChange,
): void {
  if (change.kind === 'agents' && announcer.hasAnnounced) announcer.announce();
  if (change.kind !== 'removed') return;
  for (const chat of chats.unfollowSession(change.id)) sender.notify('chat/deleted', { chatId: chat });
}

/** Nothing can be written to a chat now, so this message belongs to no chat. */
export function storageChanged({ sender }: EcaConnection, isWaiting: boolean): void {
  sender.notify('$/showMessage', {
    type: isWaiting ? 'warning' : 'info',
    message: isWaiting ? storageWaits : storageGoesOn,
  });
}

/** Chats that were created here follow the workspace; others keep the one they were created with. */
export function workspaceFoldersChanged(
  { workspace, remote, ownChats, profile, updates, lifetime: { startup } }: EcaConnection,
  { event }: NotificationParams<'workspace/didChangeWorkspaceFolders'>,
): void {
  const [added, removed] = [pathsOf(event.added), pathsOf(event.removed)];
  const change = (roots: readonly string[]) => [
    ...new Set([...roots.filter((root) => !removed.includes(root)), ...added]),
  ];
  workspace.move(change(workspace.roots));
  remote.running?.remote.move(workspace.roots);
  for (const session of ownChats.started.opened())
    session.dispatch(
      { kind: 'changeSession', changes: { roots: change(session.head.roots) } },
      profile.origin,
    );
  updates.servers.rewatch();
  startup.configuration?.move(workspace.roots);
}

/**
 * The longest delay of the response by the user's hooks, in milliseconds: clients wait
 * for it before they exit.
 */
const endHookTimeout = 800;

export async function shutdown(connection: EcaConnection): Promise<null> {
  const end = connection.lifetime.startup.configuration?.end();
  if (end) await within(connection, end, endHookTimeout);
  return null;
}

/** The longest wait of `exit` for the answers to requests before it, in milliseconds. */
const lastAnswersTimeout = 1_000;

export async function exit(connection: EcaConnection): Promise<void> {
  const { peer, options } = connection;
  await within(connection, peer.idle(), lastAnswersTimeout);
  peer.close();
  options.processes?.exit?.(0);
}

function pathsOf(folders: RequestParams<'initialize'>['workspaceFolders']): readonly string[] {
  return [...new Set(folders.flatMap(({ uri }) => pathOf(uri) ?? []))];
}
