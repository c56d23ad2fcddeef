// The checks of `parley doctor`, and those of the installation. They are independent of each other and change
// nothing.
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NetworkSettings } from '../../host/settings/settings.ts';
import { fileErrorText } from '../../io/files/fileProblem.ts';
import { certificates, filesIn } from '../../io/http/httpClient.ts';
import { findProgram } from '../../io/processes/findProgram.ts';
import { openSandbox } from '../../io/sandbox/sandbox.ts';
import { loadDatabase } from '../../io/store/sqlite/database.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSettings } from '../../io/settings/open.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { splitModel } from '../../agents/native/models/providers/providers.ts';
import { checkCrash, checkHost, checkHostLog, checkPort } from './hostChecks.ts';
import { agents, servers } from './probes.ts';
import { checkStore } from './storeChecks.ts';
import { catalogueOf, cachedListsBeside } from '../../app/models/openModels.ts';

declare const PARLEY_VERSION: string;

export interface CheckOutcome {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'broken' | 'unknown';
  readonly words: string;
  /** What the user can do. */
  readonly fix?: string;
}

export type CheckResult = Omit<CheckOutcome, 'name'>;

const { env } = process;

/** In the order of the output. The last ones start programs and take longest. */
export const checks: { readonly [name: string]: () => Promise<readonly CheckResult[]> } = {
  runtime,
  data,
  settings,
  host: checkHost,
  port: checkPort,
  store: checkStore,
  providers: keys,
  editors,
  sandbox,
  crash: checkCrash,
  log: checkHostLog,
  agents: () => agents(),
  mcp: () => servers(),
};

async function runtime(): Promise<readonly CheckResult[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isTooOld = major < 20 || (major === 20 && minor < 19);
  const node: CheckResult = isTooOld
    ? {
        state: 'broken',
        words: `Node ${process.versions.node} is too old.`,
        fix: 'Install Node 20.19 or newer; 24 is recommended.',
      }
    : {
        state: 'ok',
        words: `Parley ${PARLEY_VERSION} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
      };
  const terminals: CheckResult = await import('@lydell/node-pty').then(
    () => ({ state: 'ok', words: 'terminals ok' }),
    () => ({
      state: 'note',
      words: 'Terminals are not available: an optional package is missing.',
      fix: 'Reinstall without --omit=optional.',
    }),
  );
  await loadDatabase();
  return [node, { state: 'ok', words: 'SQLite ok' }, terminals];
}

async function data(): Promise<readonly CheckResult[]> {
  const { directory } = dataPaths(env);
  if (!existsSync(directory))
    return [{ state: 'ok', words: `${directory} will be created with the first start` }];
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [
      {
        state: 'broken',
        words: `${directory} is not writable.`,
        fix: 'Fix its owner, or set PARLEY_HOME to another folder.',
      },
    ];
  }
  const exposed =
    process.platform === 'win32'
      ? []
      : [
          directory,
          ...['token', 'secrets.json', 'devices.json', 'push.json', 'log.db', 'host.sock'].map((name) =>
            join(directory, name),
          ),
        ].filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  const privacy: readonly CheckResult[] =
    exposed.length === 0
      ? [{ state: 'ok', words: `${directory} is private` }]
      : exposed.map((path) => ({
          state: 'broken',
          words: `${path} is readable by other users.`,
          fix: `chmod go-rwx ${path}`,
        }));
  return [...privacy, ...space(directory)];
}

/** In bytes: with less a host can hardly store a turn, and with less than the other one it soon cannot. */
const fullBelow = 4_000_000;
const scarceBelow = 100_000_000;

/** Whether the disk has room for what is said next. */
function space(directory: string): readonly CheckResult[] {
  const { bavail, bsize, files, ffree } = statfsSync(directory);
  const free = bavail * bsize;
  const hasNoNames = files > 0 && ffree === 0;
  if (free >= scarceBelow && !hasNoNames) return [];
  const left = hasNoNames ? 'it takes no more files' : `${(free / 1_000_000).toFixed(1)} MB are free`;
  const isFull = hasNoNames || free < fullBelow;
  return [
    {
      state: isFull ? 'broken' : 'note',
      words: `The disk of ${directory} is ${isFull ? 'full' : 'almost full'}: ${left}.`,
      fix: isFull
        ? 'Make room; until then nothing new is stored.'
        : 'Make room before nothing new is stored.',
    },
  ];
}

async function settings(): Promise<readonly CheckResult[]> {
  const opened = openSettings({ env });
  const { network } = opened.of([process.cwd()]);
  const problems = opened.problems().map(({ kind, message }): CheckResult => ({
    state: kind === 'untrusted' ? 'note' : 'broken',
    words: message,
  }));
  opened.close();
  const all = [...problems, ...certificateProblems(network)];
  return all.length === 0 ? [{ state: 'ok', words: 'settings ok' }] : all;
}

/** Reads the certificates as requests do, of the settings or the environment. */
function certificateProblems(network: NetworkSettings | undefined): readonly CheckResult[] {
  const files = filesIn(env, network);
  try {
    if (files) certificates(files);
    return [];
  } catch (error) {
    return [
      {
        state: 'broken',
        words: `Requests to https addresses fail: ${fileErrorText(error)}`,
        fix: 'Correct network.ca, network.cert and network.key in the settings, or SSL_CERT_FILE.',
      },
    ];
  }
}

async function keys(): Promise<readonly CheckResult[]> {
  const { secrets } = dataPaths(env);
  const cachedLists = cachedListsBeside(secrets);
  const opened = openSettings({ env });
  const catalogue = catalogueOf({ env, clock: realClock, secrets, cachedLists, settings: opened }, []);
  const all = catalogue.providers();
  const unlisted = all.flatMap(({ id, name }): readonly CheckResult[] => {
    const { problem } = cachedLists.of(id) ?? {};
    return problem === undefined
      ? []
      : [
          {
            state: 'note',
            words: `Cannot list the models of ${name}: ${problem}. Using the built-in list.`,
            fix: 'Try again with parley models --refresh.',
          },
        ];
  });
  const { providers: configured, defaultModel } = opened.of([process.cwd()]);
  const own = Object.keys(configured ?? {});
  const usable = all.flatMap((provider) => {
    const standing = catalogue.access(provider);
    if (!standing.usable || (standing.keyFrom === undefined && !own.includes(provider.id))) return [];
    return [`${provider.id} (${standing.keyFrom ?? 'needs no key'})`];
  });
  const unusable = defaultModel === undefined ? [] : unusableModel(catalogue, defaultModel);
  opened.close();
  return [
    usable.length === 0
      ? {
          state: 'note',
          words: unusable.length > 0 ? 'No API keys.' : 'No API keys; using the demo model.',
          fix: 'Add one with parley login anthropic; parley models lists all providers.',
        }
      : { state: 'ok', words: usable.join(', ') },
    ...unusable,
    ...unlisted,
  ];
}

/** New sessions have the model of the settings also if its provider lacks its key. */
function unusableModel(
  catalogue: ReturnType<typeof catalogueOf>,
  defaultModel: string,
): readonly CheckResult[] {
  const provider = catalogue.providers().find(({ id }) => id === splitModel(defaultModel).provider);
  const access = provider && catalogue.access(provider);
  if (!access || access.usable) return [];
  const words = `The model of the settings, ${defaultModel}, cannot be used: ${access.why}.`;
  return [{ state: 'note', words }];
}

const programs: { readonly [editor: string]: readonly string[] } = {
  emacs: ['emacs'],
  nvim: ['nvim'],
  vscode: ['code'],
  zed: ['zed', 'zeditor'],
  jetbrains: ['idea', 'pycharm', 'webstorm', 'goland', 'rustrover'],
};

async function editors(): Promise<readonly CheckResult[]> {
  const installed = Object.entries(programs)
    .filter(([, names]) => names.some((name) => findProgram(name, env) !== undefined))
    .map(([editor]) => editor);
  return [
    {
      state: 'ok',
      words: installed.length === 0 ? 'none on the PATH' : installed.join(', '),
      ...(installed.length === 0 ? {} : { fix: `parley setup ${installed[0]} connects it` }),
    },
  ];
}

/** Really starts a confined program. */
async function sandbox(): Promise<readonly CheckResult[]> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-doctor-'));
  // A check that takes too long is left out, and does not come to its end.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const status = await openSandbox({ env, directory, own: [] }).status();
  return status.available
    ? [{ state: 'ok', words: `commands can be confined (${status.how})` }]
    : [{ state: 'note', words: `${status.why} Every command asks.`, fix: status.cure }];
}
