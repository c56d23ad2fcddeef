// Opens the host of one data directory: takes the lock, opens the log, and connects agents,
// models and tool servers.
import { useLoginPath } from '../io/processes/loginPath.ts';
import { AgentProcesses } from '../agents/acp/process/agentProcesses.ts';
import { processMemory } from '../io/processes/processMemory.ts';
import { nativeAgent } from '../agents/native/agent.ts';
import type { Agent } from '../host/agent.ts';
import { hookedAgent } from '../host/hooks/hookedAgent.ts';
import { Host } from '../host/host.ts';
import { TerminalHub } from '../host/terminals/terminalHub.ts';
import type { WebPages } from '../host/tools/webPages.ts';
import { openSecrets } from '../io/auth/secrets.ts';
import { openLogger } from '../io/diagnostics/logger.ts';
import type { Logger } from '../io/diagnostics/logger.ts';
import { files } from '../io/files/workspace.ts';
import { openKnowledge } from '../io/knowledge/open.ts';
import { serverEditor } from '../io/mcp/serverEditor.ts';
import { openToolServers } from '../io/mcp/toolServers.ts';
import { machineFacts } from '../io/processes/machineFacts.ts';
import { pipedPrograms } from '../io/processes/pipedPrograms.ts';
import { processes } from '../io/processes/shellCommands.ts';
import { terminals } from '../io/pty/pty.ts';
import { filesBeside } from '../io/sandbox/filesBeside.ts';
import { openSandbox } from '../io/sandbox/sandbox.ts';
import type { Sandbox } from '../io/sandbox/sandbox.ts';
import { workspaceSnapshots } from '../io/snapshots/workspaceSnapshots.ts';
import { dataPaths, directories } from '../io/settings/dataPaths.ts';
import type { OpenSettings } from '../io/settings/open.ts';
import { PluginFetcher } from '../io/ecaConfig/fetchPlugins.ts';
import type { Lock } from '../io/store/lock.ts';
import type { Holder } from '../io/store/lockHolder.ts';
import { openWorld } from '../io/store/realWorld.ts';
import type { WorldOptions } from '../io/store/realWorld.ts';
import type { StorePlace } from '../io/store/storeUrl.ts';
import { externalAgents } from './agents/externalAgents.ts';
import type { App } from './app.ts';
import { followChats, hostHooks } from './hostHooks.ts';
import { lockHost } from './lockHost.ts';
import { openModels } from './models/openModels.ts';
import { ecaConventions } from './ports/eca/conventions.ts';
import { prepareSearch } from './sessions/prepareSearch.ts';
import { keepTidy } from './sessions/retention.ts';
import { sandboxPlaces } from './sandboxPlaces.ts';

declare const PARLEY_VERSION: string;

export interface OpenHostOptions {
  /** Where the log is, if it is not in the data directory. */
  readonly store?: StorePlace;
  /** Whether nobody but this process can reach the host. */
  readonly alone?: boolean;
  /** The locks, if the caller has them. */
  readonly lock?: Lock;
  /** Called when another host has taken over the database, so that this one must end. */
  readonly onLost?: () => void;
}

/** Returns the process that holds the data directory or the store if it is not free. */
export async function openHost(
  env: NodeJS.ProcessEnv,
  { store, alone = false, onLost = () => {}, ...given }: OpenHostOptions = {},
): Promise<App | { readonly heldBy: Holder }> {
  const folder = store && 'directory' in store ? store.directory : dataPaths(env).directory;
  const lock = given.lock ?? (await lockHost(env, { store, alone }));
  if ('heldBy' in lock) return lock;
  /** What has to be closed, in the order in which it was opened. */
  const opened: Closer[] = [() => lock.release()];
  try {
    const database = store && 'url' in store ? { ...store, onLost } : undefined;
    return await openLocked(env, { directory: folder, database, opened });
  } catch (error) {
    await closeAll(opened).catch(() => {});
    throw error;
  }
}

type Closer = () => void | Promise<void>;

type LogPlace = Pick<WorldOptions, 'directory' | 'database'>;

/** Closes what was opened last first. */
async function closeAll(opened: readonly Closer[]): Promise<void> {
  for (const close of opened.toReversed()) await close();
}

/** Opens everything in a data directory whose lock the caller holds. `opened` collects what to close. */
async function openLocked(
  env: NodeJS.ProcessEnv,
  { directory, database, opened }: LogPlace & { readonly opened: Closer[] },
): Promise<App> {
  const paths = dataPaths(env);
  const logger = openLogger({ level: env['PARLEY_LOG'] === 'debug' ? 'debug' : 'info', file: paths.log });
  opened.push(() => logger.close());
  const parts = await openParts(env, { directory, database, logger, opened });
  const { settings, knowledge, hooks, models, toolServers, world } = parts;
  const started: { hub?: () => TerminalHub } = {};
  const terminal = { ...env };
  const agents = agentsOf(terminal, { ...parts, terminals: () => started.hub?.() });
  const host = await Host.start(world, agents());
  const hub = lazyTerminals(host, env, parts.sandbox);
  started.hub = hub.get;
  opened.push(
    () => host.close(),
    () => hub.close(),
    () => models.close(),
    () => settings.close(),
    () => hooks.close(),
  );
  settings.watch(() => host.use(agents()));
  opened.push(
    keepTidy(host, settings),
    prepareSearch(host),
    followChats(host, hooks),
    traceTurns(host, env, settings),
    useLoginPath(terminal, () => host.use(agents())),
  );
  return {
    env,
    paths,
    host,
    store: world.store,
    settings,
    knowledge,
    hooks,
    models,
    extensions: {
      servers: toolServers,
      editor: serverEditor({ env, settings, secrets: parts.secrets }),
      plugins: new PluginFetcher(),
      agents: parts.agentProcesses,
    },
    terminals: hub.get,
    refresh: () => {
      settings.reload();
      models.refresh();
      toolServers.refresh();
      host.use(agents());
    },
    close: () => closeAll(opened),
  };
}

/** Loads the code for traces when the settings name a collector, now or later. */
function traceTurns(host: Host, env: NodeJS.ProcessEnv, settings: OpenSettings): () => Promise<void> {
  const address = () => settings.of([]).telemetry?.traces;
  let stop: Promise<() => Promise<void>> | undefined;
  const load = async () => {
    const [{ startTraces }, { networkFetch }] = await Promise.all([
      import('./traces/startTraces.ts'),
      import('../io/http/httpClient.ts'),
    ]);
    const fetcher = networkFetch(env, () => settings.of([]).network);
    return startTraces(host, { fetch: fetcher, address, version: PARLEY_VERSION });
  };
  const look = () => {
    if (address() !== undefined) stop ??= load();
  };
  look();
  settings.watch(look);
  return async () => (await stop)?.();
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Everything that exists before the host starts. */
async function openParts(
  env: NodeJS.ProcessEnv,
  { directory, database, logger, opened }: LogPlace & { readonly logger: Logger; readonly opened: Closer[] },
) {
  const paths = dataPaths(env);
  const { openSettings } = await import('../io/settings/open.ts');
  const settings = openSettings({ env });
  opened.push(() => settings.close());
  const base = await openWorld({ directory, logger, database });
  opened.push(() => base.store.close());
  const program = process.argv[1] ?? 'parley';
  // Hooks and scripts that were written for ECA find our program in this variable.
  const added = { ECA_EXECUTABLE: program };
  const sandbox = openSandbox({ env, ...sandboxPlaces(env, settings) });
  sandbox.clean();
  opened.push(() => sandbox.close());
  const shells = processes({ env, added, sandbox });
  const knowledge = openKnowledge({ settings, env, report: (problem, about) => base.report(problem, about) });
  const world = {
    ...base,
    settings,
    knowledge,
    programs: {
      ...pipedPrograms({ env, added, sandbox }),
      sandbox,
    },
    files: filesBeside(sandbox, files()),
    paths: { ...base.paths, own: Object.values(directories(env)) },
  };
  logProblems(settings, logger);
  const secrets = openSecrets(paths.secrets);
  const hookFacts = { db_cache_path: paths.directory, eca_executable: program };
  const toolServers = openToolServers({ settings, env, version: PARLEY_VERSION, secrets });
  opened.push(() => toolServers.close());
  return {
    settings,
    knowledge,
    secrets,
    shells,
    sandbox,
    world,
    hookFacts,
    models: openModels({ env, clock: world.clock, secrets: paths.secrets, settings }),
    toolServers,
    agentProcesses: new AgentProcesses({ clock: world.clock, memoryOf: processMemory }),
    hooks: hostHooks({ knowledge, processes: shells, facts: hookFacts }),
  };
}

/** Our own agent, and the external ones that the settings and the PATH have at the moment of the call. */
function agentsOf(
  env: NodeJS.ProcessEnv,
  {
    world,
    shells,
    hookFacts,
    models,
    toolServers,
    settings,
    secrets,
    agentProcesses,
    sandbox,
    terminals: hub,
  }: Parts & { readonly terminals: () => TerminalHub | undefined },
): () => readonly Agent[] {
  const snapshots = workspaceSnapshots(world.paths.own, () => sandbox.placeholders());
  const native = nativeAgent({
    ...world,
    models: models.source,
    random: Math.random,
    hookFacts,
    processes: shells,
    prompt: { machine: machineFacts(), conventions: { eca: ecaConventions } },
    external: { servers: toolServers, web: lazyWeb(env), snapshots },
  });
  const external = externalAgents({
    env,
    world,
    settings,
    secrets,
    terminals: hub,
    processes: agentProcesses,
    sandbox,
    snapshots,
    withHooks: (agent) => hookedAgent(agent, { ...world, processes: shells, facts: hookFacts }),
  });
  return () => [native, ...external()];
}

/** Logs the problems of the settings now and after each change. */
function logProblems(settings: OpenSettings, logger: Logger): void {
  const log = () => {
    for (const { kind, message } of settings.problems())
      if (kind === 'untrusted') logger.info(message);
      else logger.error(message);
  };
  log();
  settings.watch(log);
}

function lazyTerminals(host: Host, env: NodeJS.ProcessEnv, sandbox: Sandbox) {
  let hub: TerminalHub | undefined;
  return {
    get: (): TerminalHub => {
      if (hub) return hub;
      const made = new TerminalHub(host, terminals({ env, sandbox }));
      host.keepHere((session) => made.runsIn(session));
      hub = made;
      return made;
    },
    close: async () => hub?.close(),
  };
}

/** Loads the code for web pages with the first page that an agent reads. */
function lazyWeb(env: NodeJS.ProcessEnv): WebPages {
  return {
    async read(url, signal) {
      const [{ webPages }, { isProxied, networkFetch }] = await Promise.all([
        import('../io/http/webPages.ts'),
        import('../io/http/httpClient.ts'),
      ]);
      return webPages({
        version: PARLEY_VERSION,
        proxy: { takes: (address) => isProxied(env, address), fetch: networkFetch(env) },
      }).read(url, signal);
    },
  };
}
