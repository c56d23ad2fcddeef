// Writes the arguments of bubblewrap for one confined program. Pure: the caller passes in all facts.
import { contains } from '../../base/paths.ts';
import type { SandboxNetwork } from '../../model/event.ts';
import { proxyFolder, relayVariables } from './relay.ts';
import type { Guard } from './guards.ts';
import type { HomeEntry } from './homeView.ts';

/** Everything that the view of a confined program depends on. */
export interface View {
  /** Folders in which it may write, links resolved. */
  readonly write: readonly string[];
  /** Folders and files of the program itself, writable whatever lies over them. */
  readonly own: readonly string[];
  /** Folders in those, above other paths of the view: they stay where they are, or the paths would move. */
  readonly fixed: readonly string[];
  readonly network: SandboxNetwork;
  /** The folder that it sees as the temporary one. */
  readonly temporary: string;
  /** Folders and files that it cannot see. */
  readonly hidden: readonly HiddenPlace[];
  readonly guards: readonly Guard[];
  /** The home directory in parts, for a program that runs for long. */
  readonly home?: readonly HomeEntry[] | undefined;
  /** Read-only paths inside folders that are hidden as a whole, such as the resolver's file. */
  readonly kept: readonly string[];
  /** The folder with the socket of the proxy for the network. */
  readonly proxy?: string | undefined;
  /** Whether the program has a terminal of its own, which it then must control. */
  readonly terminal: boolean;
}

export interface HiddenPlace {
  readonly path: string;
  readonly type: 'folder' | 'file';
}

export interface SandboxPrograms {
  /** The words that run a script of a shell. */
  readonly shell: readonly string[];
  readonly bubblewrap: string;
  readonly filter: string;
  /** The last step before the program writes into it. */
  readonly mark: string;
  /** An empty file that lies over hidden ones, and the file that leads git to its own repository. */
  readonly empty: string;
  readonly link: string;
}

export function bubblewrapWords(view: View, files: SandboxPrograms, cwd: string): readonly string[] {
  const { write, hidden, guards } = view;
  const isInWorkspace = isIn([...write, ...view.own]);
  const cover = ({ path, type }: HiddenPlace) =>
    type === 'folder' ? ['--perms', '0555', '--tmpfs', path] : ['--ro-bind', files.empty, path];
  const flags = [
    ...namespaces(view),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'],
    ...['--tmpfs', '/run', '--tmpfs', '/var/tmp', '--bind', view.temporary, '/tmp'],
    ...view.kept.flatMap((path) => ['--ro-bind', path, path]),
    ...(view.home ?? []).flatMap(homeWords),
    ...hidden.filter((place) => !isInWorkspace(place)).flatMap(cover),
    // What lies above comes first: it covers what is below.
    ...byLength([...write, ...view.fixed]).flatMap((path) => ['--bind', path, path]),
    ...guards.flatMap((guard) => guardWords(guard, files)),
    ...byLength(view.own).flatMap((path) => ['--bind', path, path]),
    ...hidden.filter(isInWorkspace).flatMap(cover),
    ...['--chdir', cwd],
    ...(view.proxy === undefined ? [] : ['--ro-bind', view.proxy, proxyFolder]),
  ];
  const { shell, filter, mark, bubblewrap } = files;
  return [...shell, opener, filter, mark, bubblewrap, '--seccomp', '9', ...flags, '--'];
}

/** The paths whose own content lies on them, without those that something else covers after that. */
export function mountedOnThemselves({ write, own, fixed, guards, hidden }: View): readonly string[] {
  const guarded = guards.filter(({ kind }) => kind === 'write' || kind === 'read').map(({ path }) => path);
  const covered = hidden.filter(isIn([...write, ...own]));
  return [...new Set([...write, ...fixed, ...guarded, ...own])].filter(
    (path) => !covered.some((place) => contains(place.path, path)),
  );
}

function isIn(roots: readonly string[]): (place: { readonly path: string }) => boolean {
  return ({ path }) => roots.some((root) => contains(root, path));
}

/**
 * The filter is read from a descriptor, and the mark is written to one, which a shell opens. Whoever started
 * us may have left other ones open, through which a program could write outside; only bash can close those
 * with more than one digit. When memory runs out the kernel ends those with the highest score first: the
 * confined program, which cannot change it, and not the user's others.
 */
const opener =
  'exec 9<"$0" 8>"$1"; shift; { echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; ' +
  'if [ -n "$BASH_VERSION" ]; then for n in /proc/self/fd/*; do n=${n##*/}; ' +
  'if [ "$n" -gt 9 ]; then eval "exec $n>&-"; fi; done; fi; exec "$@"';

function namespaces({ network, terminal }: View): readonly string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'on' ? [] : ['--unshare-net']),
    ...['--disable-userns', '--cap-drop', 'ALL', '--die-with-parent'],
    ...(terminal ? [] : ['--new-session']),
  ];
}

function homeWords(entry: HomeEntry): readonly string[] {
  if (entry.kind === 'new') return ['--perms', '0555', '--tmpfs', entry.path];
  if (entry.kind === 'link') return ['--symlink', entry.target, entry.path];
  // It may be gone by now.
  return ['--ro-bind-try', entry.path, entry.path];
}

function guardWords({ kind, path }: Guard, files: SandboxPrograms): readonly string[] {
  if (kind === 'write') return ['--bind', path, path];
  if (kind === 'read') return ['--ro-bind', path, path];
  if (kind === 'absent-empty') return ['--ro-bind', files.empty, path];
  if (kind === 'absent-link') return ['--ro-bind', files.link, path];
  return ['--perms', '0555', '--tmpfs', path];
}

/**
 * What the program's environment has in any case. Package managers keep what they fetch where the program may
 * write, and cannot spoil the user's own.
 */
export function viewVariables({ proxy }: View): { readonly [name: string]: string | undefined } {
  return {
    TMPDIR: '/tmp',
    XDG_CACHE_HOME: '/tmp/.cache',
    npm_config_cache: '/tmp/.cache/npm',
    // Otherwise npm test would ask for a name on the network, to look for a newer npm.
    npm_config_update_notifier: 'false',
    XDG_RUNTIME_DIR: undefined,
    ...(proxy === undefined ? {} : Object.fromEntries(relayVariables)),
  };
}

/** Folders above others come first. */
function byLength(paths: readonly string[]): readonly string[] {
  return paths.toSorted((a, b) => a.length - b.length);
}
