// The environment of child processes. It is an allow list, so that no unexpected secret of ours leaks.

import { delimiter, isAbsolute } from 'node:path';
import { contains } from '../../base/paths.ts';

type Environment = { readonly [name: string]: string | undefined };

/** `extra` is added to the allowed variables and overrides them. */
export function childEnvironment(own: Environment, extra: Environment = {}): Record<string, string> {
  const passed = Object.entries(own).filter(([name]) => allowed(name));
  return Object.fromEntries(
    [...passed, ...Object.entries(extra)].flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Where the system has its programs. */
export const systemFolders = '/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin';

/**
 * The PATH for programs that we start for ourselves. npm and virtual environments put folders of a workspace
 * in front, where a confined program can leave a `git` of its own: the system's come first.
 */
export function ownPath(path = '', root?: string): string {
  if (process.platform === 'win32') return path;
  const others = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const outside = others.filter((folder) => root === undefined || !contains(root, folder));
  return [...new Set([...systemFolders.split(':'), ...outside])].join(delimiter);
}

const names: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'COLORTERM',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
  // Toolchain paths that builds and tests need; they hold no secrets.
  'JAVA_HOME',
  'GOPATH',
  'GOROOT',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'NVM_DIR',
  'NVM_BIN',
  'VOLTA_HOME',
  'PYENV_ROOT',
  'VIRTUAL_ENV',
  'GEM_HOME',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  // Windows programs do not start without these.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
]);

function allowed(name: string): boolean {
  const upper = name.toUpperCase();
  return names.has(upper) || upper.startsWith('LC_');
}
