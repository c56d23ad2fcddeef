// Where Parley keeps its things on each platform, and the address of its private socket. Creates nothing but
// the socket's own directory.
import { existsSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join, posix, resolve, win32 } from 'node:path';
import { privateDirectoryInPublic } from '../files/privateFiles.ts';

export interface Directories {
  readonly data: string;
  readonly config: string;
  readonly state: string;
}

type Environment = { readonly [name: string]: string | undefined };

/** The machine as far as paths depend on it. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

/** `PARLEY_HOME` contains everything if it is set; otherwise each platform has its own directories. */
export function directories(env: Environment, machine: Machine = thisMachine()): Directories {
  const own = env['PARLEY_HOME'];
  if (own !== undefined && own !== '') {
    const home = resolve(own);
    return { data: home, config: home, state: home };
  }
  return (places[machine.platform] ?? linuxPlaces)(env, machine.home);
}

export function dataDirectory(env: Environment): string {
  return directories(env).data;
}

/** The files of a data directory that more than one part of the program knows. */
export interface DataPaths {
  readonly directory: string;
  /** The file in which the running host publishes its address. */
  readonly info: string;
  readonly token: string;
  /** The browsers that were signed in. */
  readonly devices: string;
  /** The browsers that are told when a session waits. */
  readonly push: string;
  /** Our own certificate and its key. */
  readonly cert: string;
  readonly key: string;
  readonly log: string;
  readonly traces: string;
  readonly secrets: string;
  /** The last known offers of external agents. */
  readonly agents: string;
  /** Starts this program for editors that do not find Node. */
  readonly launcher: string;
  /** The folder of the agents that Parley has installed, and the registry that was fetched last. */
  readonly installedAgents: string;
  readonly registry: string;
}

export function dataPaths(env: Environment): DataPaths {
  const directory = dataDirectory(env);
  return {
    directory,
    info: join(directory, 'host.json'),
    token: join(directory, 'token'),
    devices: join(directory, 'devices.json'),
    push: join(directory, 'push.json'),
    log: join(directory, 'host.ndjson'),
    traces: join(directory, 'traces'),
    secrets: join(directory, 'secrets.json'),
    agents: join(directory, 'agents.json'),
    launcher: join(directory, 'bin', 'parley'),
    installedAgents: join(directory, 'agents'),
    registry: join(directory, 'registry.json'),
    cert: join(directory, 'tls.crt'),
    key: join(directory, 'tls.key'),
  };
}

/**
 * The address of the host's private socket: inside the data directory, or where that is too long for a
 * socket, in a short place of its own.
 */
export function socketPath(env: Environment): string {
  const data = dataDirectory(env);
  if (process.platform === 'win32') return pipeName(data, userInfo().username);
  const path = join(data, 'host.sock');
  if (Buffer.byteLength(path) <= longestSocket) return path;
  const directory = join(sharedTemporary(), `parley-${digest(data)}`);
  privateDirectoryInPublic(directory);
  return join(directory, 'host.sock');
}

/** A pipe has no directory to protect it; the name at least keeps users and data directories apart. */
export function pipeName(data: string, user: string): string {
  return `\\\\.\\pipe\\parley-${digest(`${user}\n${data}`)}`;
}

/** macOS takes 103 bytes and Linux 107. */
const longestSocket = 100;

/** Not TMPDIR: an editor and a shell with different values must find the same host. */
function sharedTemporary(): string {
  return existsSync('/tmp') ? '/tmp' : tmpdir();
}

/** Rarely needed, and dear to load for a pipe that an editor waits for. */
function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 20);
}

function thisMachine(): Machine {
  return { platform: process.platform, home: homedir() };
}

type Places = (env: Environment, home: string) => Directories;

const linuxPlaces: Places = (env, home) => {
  // A relative path in these variables is invalid and to be ignored, says their specification.
  const at = (name: string, otherwise: string) => {
    const base = env[name];
    return posix.join(
      base !== undefined && posix.isAbsolute(base) ? base : posix.join(home, otherwise),
      'parley',
    );
  };
  return {
    data: at('XDG_DATA_HOME', '.local/share'),
    config: at('XDG_CONFIG_HOME', '.config'),
    state: at('XDG_STATE_HOME', '.local/state'),
  };
};

const places: { readonly [platform: string]: Places | undefined } = {
  darwin: (_, home) => {
    const support = posix.join(home, 'Library', 'Application Support', 'Parley');
    return { data: support, config: support, state: posix.join(home, 'Library', 'Logs', 'Parley') };
  },
  win32: (env, home) => {
    const local = env['LOCALAPPDATA'] ?? win32.join(home, 'AppData', 'Local');
    const roaming = env['APPDATA'] ?? win32.join(home, 'AppData', 'Roaming');
    return {
      data: win32.join(local, 'Parley', 'Data'),
      config: win32.join(roaming, 'Parley'),
      state: win32.join(local, 'Parley', 'State'),
    };
  },
};
