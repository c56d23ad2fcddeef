// Confines programs: they read most of the machine, write only in the workspace and a temporary folder of
// their own, and see no secrets, other processes or network. Linux uses the system's bubblewrap, macOS
// sandbox-exec; Windows has none.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { once } from '../../base/memo.ts';
import { contains } from '../../base/paths.ts';
import type { Confinement, NotPossible, ReachNetwork, SandboxStatus } from '../../host/ports.ts';
import { hasHost } from '../../host/policy/knownHosts.ts';
import type { SandboxSettings } from '../../host/settings/settings.ts';
import type { Beginning } from '../../rpc/processes/beginning.ts';
import { bubblewrapWords, mountedOnThemselves, viewVariables } from './bubblewrap.ts';
import type { SandboxPrograms, HiddenPlace, View } from './bubblewrap.ts';
import { foldersBetween, workspaceGuards } from './guards.ts';
import type { Guard } from './guards.ts';
import { homeView } from './homeView.ts';
import type { Variables } from './innerVariables.ts';
import { checkedWords, leavesMark, pinsOf } from './mountCheck.ts';
import { isPlaceholderKind, linkToItself } from './placeholderList.ts';
import { Placeholders } from './placeholders.ts';
import type { Placeholder } from './placeholders.ts';
import { openNetworkProxy, proxySocket } from './networkProxy.ts';
import { relayWords } from './relay.ts';
import { removeFolderQuietly } from './removeFolder.ts';
import { hiddenInHome, hiddenInSystem } from './places.ts';
import { findBubblewrap, probeSandbox } from './probe.ts';
import { seatbeltWords } from './seatbelt.ts';
import { systemCallFilter } from './seccomp.ts';
import { socketPlaces } from './unixSockets.ts';

export interface SandboxOptions {
  readonly env: { readonly [name: string]: string | undefined };
  /** A private folder for what the sandbox needs on disk. */
  readonly directory: string;
  /** The list of what lies in workspaces for programs alone. Sandboxes that share it respect each other. */
  readonly placeholders?: string;
  /** Parley's own directories; confined programs cannot see them. */
  readonly own: readonly string[];
  /** Files and folders of the program that runs us; nobody changes those in a workspace. */
  readonly program?: readonly string[];
  /** What the user has set. */
  readonly settings?: () => SandboxSettings | undefined;
  readonly platform?: NodeJS.Platform;
  readonly home?: string;
}

export interface Sandbox {
  /** Whether a program can be confined here; starts one, the first time. */
  status(): Promise<SandboxStatus>;
  /** The result of `status`, once it is there. */
  known(): SandboxStatus | undefined;
  /** The words that start a program confined. The caller releases them when it has ended. */
  confine(words: readonly string[], cwd: string, policy: ConfinedRun): Confined | NotPossible;
  /** What a program would see that was confined now, as in `Confined`; undefined where that is not known. */
  sees(cwd: string, policy: ConfinedRun): string | undefined;
  /** Says of a path whether an empty file or folder lies there now for confined programs alone. */
  placeholders(): (path: string) => boolean;
  /** Removes what lies at a path for confined programs; false if one that runs still needs it. */
  makeRoom(path: string): boolean;
  /** Runs a function before the sandbox closes. */
  onClose(run: () => void): void;
  /** Runs a function that ends what only waits, before room is made. */
  onMakeRoom(run: () => void): void;
  /** Removes what killed processes left behind. Only for the one host of a data directory. */
  clean(): void;
  /** Removes the temporary folders, and what lies in workspaces for programs that have ended. */
  close(): void;
}

export interface ConfinedRun extends Confinement {
  /** Whether the program has a terminal of its own. */
  readonly terminal?: boolean;
}

export interface Confined extends Beginning {
  /** Who starts them gives them no variables but `wrapped` ones. */
  readonly words: readonly string[];
  /** The environment of the program, if its caller wants this one for it. */
  readonly variables: (wanted: Variables) => Variables;
  /** Whether it waits for an answer of the user; its time does not count then. */
  readonly waits?: () => boolean;
  /**
   * Everything that it sees and cannot change, as text. While a second program would see the same, it may
   * use this sandbox.
   */
  readonly sees?: string;
  /** From now on the questions about the network are those of another program. */
  readonly adopt?: (policy: ConfinedRun) => void;
  release(): void;
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const platform = options.platform ?? process.platform;
  const filter = once(() => systemCallFilter(process.arch));
  const placeholders = new Placeholders(options.placeholders ?? placeholdersIn(options.directory));
  const temporary = join(options.directory, 'tmp');
  const parts = (policy: ConfinedRun): Parts => ({ policy, options, platform, placeholders, filter });
  const closing: (() => void)[] = [];
  const makingRoom: (() => void)[] = [];
  let status: Promise<SandboxStatus> | undefined;
  let known: SandboxStatus | undefined;
  const probe = async () =>
    (known = await probeSandbox(sandbox, { platform, env: options.env, scratch: temporary }));
  const sandbox: Sandbox = {
    status: () => (status ??= probe()),
    known: () => known,
    confine: (words, cwd, policy) => (platform === 'win32' ? noSandbox : confined(words, cwd, parts(policy))),
    sees: (cwd, policy) => (platform === 'linux' ? seenNow(cwd, parts(policy)) : undefined),
    placeholders: () => placeholders.look(),
    makeRoom(path) {
      for (const run of makingRoom) run();
      return placeholders.remove(path);
    },
    onClose: (run) => void closing.push(run),
    onMakeRoom: (run) => void makingRoom.push(run),
    clean() {
      placeholders.clean();
      removeFolderQuietly(temporary);
    },
    close() {
      for (const run of closing) run();
      placeholders.close();
      removeFolderQuietly(temporary);
    },
  };
  return sandbox;
}

/** The list of placeholders of the sandbox that has a folder. */
export function placeholdersIn(directory: string): string {
  return join(directory, 'placeholders.json');
}

const noSandbox: NotPossible = { refused: 'Parley has no sandbox on this system.' };

interface Parts {
  readonly policy: ConfinedRun;
  readonly options: SandboxOptions;
  readonly platform: NodeJS.Platform;
  readonly placeholders: Placeholders;
  /** The bytes of the system-call filter. */
  readonly filter: () => Buffer | undefined;
}

function confined(words: readonly string[], cwd: string, parts: Parts): Confined | NotPossible {
  const { platform, placeholders } = parts;
  if (platform === 'darwin') {
    const { view } = viewOf(parts);
    return {
      words: [...seatbeltWords(view), ...checkedWords([], words)],
      variables: (wanted) => ({ ...wanted, TMPDIR: view.temporary }),
      release: () => {},
    };
  }
  const files = writeFiles(parts);
  if ('refused' in files) return files;
  const held = { policy: parts.policy };
  const { known = [] } = parts.policy;
  // Its socket is one of those that other programs must not see, so it is opened first.
  const proxy = hasProxy(parts.policy)
    ? openNetworkProxy({
        reach: (target, signal) => reachOf(held.policy)(target, signal),
        known,
        refused: (what, by) => held.policy.stopped?.(what, by),
      })
    : undefined;
  const { view: plain, taken } = viewOf(parts);
  const beginning = beginningAt(files.mark);
  const view = { ...plain, proxy: proxy?.folder };
  const release = () => {
    proxy?.close();
    placeholders.release(taken);
    beginning.settle();
  };
  const pins = pinsOf(mountedOnThemselves(view));
  if ('refused' in pins) {
    release();
    return pins;
  }
  const local = known.flatMap(({ name, port }) => (isLoopback(name) ? [port] : []));
  const checked = checkedWords(pins, words, parts.policy.network);
  const inner = proxy ? relayWords(checked, proxySocket, [...new Set(local)]) : checked;
  return {
    words: [...bubblewrapWords(view, files, cwd), ...inner],
    variables: (wanted) =>
      withoutMissing({ ...fetchFolders(parts.options, wanted), ...wanted, ...viewVariables(view) }),
    waits: () => proxy?.waits() ?? false,
    sees: seen(plain, cwd, parts.policy),
    adopt: (policy) => void (held.policy = policy),
    hasBegun: leavesMark ? beginning.hasBegun : undefined,
    release,
  };
}

/** `settle` removes the mark; the answer stays. A mark that somebody else has removed says nothing. */
function beginningAt(mark: string): { readonly hasBegun: () => boolean; readonly settle: () => void } {
  writeFileSync(mark, '', { mode: 0o600 });
  let known: boolean | undefined;
  const look = () => known ?? sizeOf(mark) !== 0;
  return {
    hasBegun: () => look() && (known = true),
    settle: () => {
      known = look();
      rmSync(mark, { force: true });
    },
  };
}

/**
 * Where package managers keep what they fetch, if the user has no such folder. One that is there is read:
 * what it holds need not be fetched again.
 */
function fetchFolders({ home = homedir() }: SandboxOptions, wanted: Variables): Variables {
  const isMissing = (path: string) => !existsSync(join(home, path));
  return {
    ...(isMissing('.cargo/registry') ? { CARGO_HOME: '/tmp/.cache/cargo' } : {}),
    ...(wanted['GOPATH'] === undefined && isMissing('go/pkg/mod') ? { GOMODCACHE: '/tmp/.cache/go' } : {}),
  };
}

function withoutMissing(env: { readonly [name: string]: string | undefined }): Variables {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function seenNow(cwd: string, parts: Parts): string {
  const { placeholders } = parts;
  return seen(
    viewOf(parts, (wanted) => wanted.filter(({ path }) => placeholders.has(path))).view,
    cwd,
    parts.policy,
  );
}

/**
 * A mount is lost when what it lies on is renamed or removed, so the text also says which file or folder
 * lies at each path. A file of the same place with another content may be another one; a folder is not.
 */
function seen(view: View, cwd: string, policy: ConfinedRun): string {
  const paths = [...view.guards, ...view.hidden].map(({ path }) => path);
  const mounted = [cwd, view.temporary, ...view.write, ...view.fixed, ...view.own, ...paths].map(identityOf);
  return JSON.stringify([cwd, view, hasProxy(policy), policy.known ?? [], mounted, drives()]);
}

/** What is mounted later appears in a sandbox that is there already, and can be written in it. */
function drives(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

function identityOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return '';
  const { dev, ino, birthtimeMs, ctimeMs } = found;
  return `${dev} ${ino} ${found.isDirectory() ? birthtimeMs : ctimeMs}`;
}

/** Whether there is a way to the network that asks; without it nothing is reached, or everything. */
function hasProxy({ network, reach, hosts = [], known = [] }: ConfinedRun): boolean {
  return network === 'ask' && (reach !== undefined || hosts.length > 0 || known.length > 0);
}

function reachOf({ reach, hosts = [] }: ConfinedRun): ReachNetwork {
  const nobody: ReachNetwork = () => Promise.resolve({ allowed: false, reason: 'the network is off' });
  const ask = reach ?? nobody;
  return (target, signal) =>
    hasHost(hosts, target) ? Promise.resolve({ allowed: true }) : ask(target, signal);
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || name.startsWith('127.');
}

/** `take` finds a place for what must not be created, and returns what has one. */
function viewOf(
  { policy, options, platform, placeholders }: Parts,
  take = (wanted: readonly Placeholder[]) => placeholders.take(wanted),
): {
  readonly view: View;
  readonly taken: readonly Placeholder[];
} {
  const home = options.home ?? homedir();
  const { write: added = [] } = options.settings?.() ?? {};
  const write = realPaths([...policy.write, ...added.map((path) => fromHome(path, home))]);
  const own = realPaths(policy.own ?? []);
  const isLinux = platform === 'linux';
  const isOurs = placeholders.look();
  const program = realPaths(options.program ?? []);
  const guards = write.flatMap((root) =>
    workspaceGuards(root, { home: real(home) ?? home, isOurs, program }),
  );
  const absent = guards.filter(isPlaceholder);
  const taken = isLinux ? take(absent) : [];
  const covered = new Set(taken.map(({ path }) => path));
  const hidden = hiddenPlaces(options, { home, write, own, isLinux });
  const inside = [...write, ...own, ...hidden.map(({ path }) => path)];
  const view: View = {
    write,
    own,
    network: policy.network,
    temporary: temporaryFolder(options.directory, policy.scratch),
    hidden,
    fixed: [...new Set(write.flatMap((root) => foldersBetween(root, inside)))],
    // Something that has appeared meanwhile, or whose folder is missing, is not covered.
    guards: guards.filter((guard) => !isLinux || !isPlaceholder(guard) || covered.has(guard.path)),
    kept: isLinux ? keptPaths() : [],
    terminal: policy.terminal ?? false,
    home: isLinux && policy.isLasting ? lastingHome(options, home, write) : undefined,
  };
  return { view, taken };
}

/** Undefined if the program may write in the whole home directory, or has another one anyway. */
function lastingHome(options: SandboxOptions, home: string, write: readonly string[]): View['home'] {
  const { own } = options;
  const folder = real(home);
  if (folder === undefined || [...write, ...replaced].some((root) => contains(root, folder)))
    return undefined;
  const names = hiddenInHome.map((name) => join(folder, name));
  const hidden = [...names, ...hiddenBySettings(options, folder, write), ...own];
  return homeView(folder, [...hidden, ...realPaths(hidden)]);
}

function isPlaceholder(guard: Guard): guard is Placeholder {
  return isPlaceholderKind(guard.kind);
}

/** The commands of one session share a temporary folder, so that one can use what another left there. */
function temporaryFolder(directory: string, scratch: string): string {
  const name = createHash('sha256').update(scratch).digest('hex').slice(0, 20);
  const folder = join(directory, 'tmp', name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function writeFiles({ options: { directory }, filter }: Parts): SandboxPrograms | NotPossible {
  const bytes = filter();
  const bubblewrap = findBubblewrap();
  if (bubblewrap === undefined) return { refused: 'bubblewrap is not installed.' };
  if (!bytes) return { refused: `The sandbox does not know the processor ${process.arch}.` };
  const files = {
    shell: shell(),
    bubblewrap,
    filter: join(directory, 'filter.bpf'),
    mark: join(directory, 'tmp', `begun-${randomUUID()}`),
    empty: join(directory, 'empty'),
    link: join(directory, 'link'),
  };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (sizeOf(files.filter) !== bytes.length) writeFileSync(files.filter, bytes, { mode: 0o600 });
  if (sizeOf(files.empty) !== 0) writeFileSync(files.empty, '', { mode: 0o444 });
  if (sizeOf(files.link) !== linkToItself.length) writeFileSync(files.link, linkToItself, { mode: 0o444 });
  return files;
}

/** Bash must run no start-up file, and none that a variable names: that could lie in the workspace. */
const shell = once(() => (existsSync('/bin/bash') ? ['/bin/bash', '--norc', '-p', '-c'] : ['/bin/sh', '-c']));

interface Surroundings {
  readonly home: string;
  readonly write: readonly string[];
  /** What the program has of its own. */
  readonly own: readonly string[];
  readonly isLinux: boolean;
}

/** Links are followed, because the place that they lead to is what has to be hidden. */
function hiddenPlaces(
  options: SandboxOptions,
  { home, write, own, isLinux }: Surroundings,
): readonly HiddenPlace[] {
  const { own: parleys, env } = options;
  // Those of a project are its own; the home directory has sockets of docker and of agents for keys.
  const projects = write.filter((root) => !contains(root, real(home) ?? home));
  const shared = [real(home) ?? home, ...replaced];
  const sockets = isLinux
    ? socketPlaces(shared).filter((path) => !projects.some((root) => contains(root, path)))
    : (env['SSH_AUTH_SOCK'] ?? '').split('\0').filter(Boolean);
  const others = realPaths([
    ...(isLinux ? presentIn(home, hiddenInHome) : hiddenInHome.map((name) => join(home, name))),
    ...hiddenInSystem,
    ...sockets,
    ...hiddenBySettings(options, home, write),
  ]).filter((path) => !own.some((folder) => contains(folder, path)));
  const found = [...new Set([...realPaths(parleys), ...others])];
  const isInWorkspace = (path: string) => write.some((root) => contains(root, path));
  return found
    .filter((path) => isInWorkspace(path) || !isLinux || !replaced.some((folder) => contains(folder, path)))
    .filter((path) => !found.some((other) => other !== path && contains(other, path)))
    .flatMap((path) => {
      // A workspace inside a hidden folder stays visible; a workspace itself is never hidden.
      const type = write.includes(path) ? undefined : typeOf(path);
      return type ? [{ path, type }] : [];
    });
}

/** A relative path lies in each workspace. */
function hiddenBySettings(
  { settings }: SandboxOptions,
  home: string,
  write: readonly string[],
): readonly string[] {
  const paths = (settings?.()?.hide ?? []).map((path) => fromHome(path, home));
  return paths.flatMap((path) => (isAbsolute(path) ? [path] : write.map((root) => join(root, path))));
}

/** The paths of names below a folder, without those whose first part is missing there. */
function presentIn(folder: string, names: readonly string[]): readonly string[] {
  try {
    const found = new Set(readdirSync(folder));
    return names.filter((name) => found.has(name.split('/', 1)[0] ?? '')).map((name) => join(folder, name));
  } catch {
    return names.map((name) => join(folder, name));
  }
}

/** Folders that a confined program has its own of. */
const replaced = ['/tmp', '/run', '/var/tmp', '/proc', '/dev'];

/** The system's programs and the resolver's settings may lie in a folder that is replaced. */
function keptPaths(): readonly string[] {
  const paths = ['/run/current-system', '/etc/resolv.conf'].flatMap((path) => real(path) ?? []);
  return paths.filter((path) => contains('/run', path));
}

function fromHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

function realPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => real(path) ?? []))];
}

/** Most of what may be hidden does not exist; to look is cheaper than an error. */
function real(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) && realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function typeOf(path: string): HiddenPlace['type'] | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}
