// Puts the parts together: the lock, the log, the agents and the host of one data directory.
import { hookedAgent } from '../host/hooks/hookedAgent.ts';
import { Host } from '../host/host.ts';
import type { WebPages } from '../host/tools/webPages.ts';
import { nativeAgent } from '../agents/native/agent.ts';
import { files } from '../io/files/workspace.ts';
import { openKnowledge } from '../io/knowledge/open.ts';
import { acquire } from '../io/store/lock.ts';
import { machineFacts } from '../io/processes/machineFacts.ts';
import type { Holder, Lock } from '../io/store/lock.ts';
import type { SqliteStore } from '../io/store/sqlite/sqlite.ts';
import { openLogger } from '../io/diagnostics/logger.ts';
import { outputs } from '../io/files/toolOutputs.ts';
import { dataPaths, directories } from '../io/settings/dataPaths.ts';
import type { DataPaths } from '../io/settings/dataPaths.ts';
import { pipedPrograms } from '../io/processes/pipedPrograms.ts';
import { processes } from '../io/processes/shellCommands.ts';
import { serverEditor } from '../io/mcp/edit.ts';
import { openToolServers } from '../io/mcp/servers.ts';
import { openSecrets } from '../io/auth/secrets.ts';
import { storePlace } from '../io/store/storeUrl.ts';
import { openWorld } from '../io/store/realWorld.ts';
import { ecaConventions } from './ports/eca/conventions.ts';
import { externalAgents } from './agents/externalAgents.ts';
import { followChats, hostHooks } from './hostHooks.ts';
import { openModels } from './models/openModels.ts';
import { keepTidy } from './retention.ts';
import { UsageError } from '../cli/say.ts';
import { offer } from './app.ts';
import { closeTerminals, hubOf } from './terminalHubs.ts';

declare const PARLEY_VERSION: string;

export interface Opened {
  readonly host: Host;
  readonly paths: DataPaths;
  readonly store: SqliteStore;
  /** Looks again for what the user may have changed outside, such as keys. */
  refresh(): void;
  close(): Promise<void>;
}

/** The web is loaded with the first page that somebody wants. */
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

/** `store` is the address of a folder for the log that is not the data directory. */
export async function openHost(
  env: NodeJS.ProcessEnv,
  { store }: { readonly store?: string | undefined } = {},
): Promise<Opened | { readonly heldBy: Holder }> {
  const paths = dataPaths(env);
  const opened: { host?: Host } = {};
  const place = storePlace(paths.directory, store);
  if ('refused' in place) throw new UsageError(place.refused);
  const lock = await lockAll(place.apart ? [paths.directory, place.directory] : [paths.directory]);
  if ('heldBy' in lock) return lock;
  const logger = openLogger({ level: env['PARLEY_LOG'] === 'debug' ? 'debug' : 'info', file: paths.log });
  const { openSettings } = await import('../io/settings/open.ts');
  const settings = openSettings({ env });
  const base = await openWorld({ directory: place.directory, logger });
  const program = process.argv[1] ?? 'parley';
  // Programs that were written for another host find ours where they look for it.
  const added = { ECA_EXECUTABLE: program };
  const shells = processes({ env, added });
  const knowledge = openKnowledge({ settings, env, report: (problem, about) => base.report(problem, about) });
  const world = {
    ...base,
    settings,
    knowledge,
    programs: pipedPrograms({ env, added }),
    files: files(),
    outputs: outputs(paths.directory),
    own: Object.values(directories(env)),
  };
  const tell = () =>
    settings
      .problems()
      .forEach(({ kind, message }) => (kind === 'untrusted' ? logger.info(message) : logger.error(message)));
  tell();
  settings.watch(tell);
  const models = openModels({ env, clock: world.clock, secrets: paths.secrets, settings });
  const secrets = openSecrets(paths.secrets);
  const toolServers = openToolServers({ settings, env, version: PARLEY_VERSION, secrets });
  const hookFacts = { db_cache_path: paths.directory, eca_executable: program };
  const hooks = hostHooks({ knowledge, processes: shells, facts: hookFacts });
  offer({
    models,
    settings,
    knowledge,
    hooks,
    toolServers,
    serverEditor: serverEditor({ env, settings, secrets }),
  });
  const agent = nativeAgent({
    ...world,
    models: models.source,
    random: Math.random,
    machine: machineFacts(),
    hookFacts,
    files: files(),
    processes: shells,
    toolServers,
    web: lazyWeb(env),
    conventions: { eca: ecaConventions },
  });
  const external = externalAgents({
    env,
    world,
    settings,
    secrets,
    terminals: () => opened.host && hubOf(opened.host, env),
    hooked: (each) => hookedAgent(each, { ...world, processes: shells, facts: hookFacts }),
  });
  const host = await Host.start(world, [agent, ...external()]);
  opened.host = host;
  settings.watch(() => host.use([agent, ...external()]));
  const leave = [keepTidy(host, settings), followChats(host, hooks)];
  return {
    host,
    paths,
    store: world.store,
    refresh: () => {
      models.refresh();
      toolServers.refresh();
    },
    async close() {
      leave.forEach((each) => each());
      await hooks.close();
      settings.close();
      models.close();
      await closeTerminals(host);
      await host.close();
      await toolServers.close();
      logger.close();
      lock.release();
    },
  };
}

/** All of these folders or none. */
async function lockAll(folders: readonly string[]): Promise<Lock | { readonly heldBy: Holder }> {
  const locks: Lock[] = [];
  const release = () => locks.forEach((lock) => lock.release());
  for (const directory of folders) {
    const lock = await acquire(directory);
    if ('heldBy' in lock) {
      release();
      return lock;
    }
    locks.push(lock);
  }
  return { release };
}
