// The PATH of the user's login shell, for a host that no terminal has started: a service or a desktop has a
// shorter one.
import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';

type Environment = { readonly [name: string]: string | undefined };

const patience = 10_000;

/**
 * Adds the PATH of the login shell to an environment once it is known, and calls back. The returned function
 * stops that.
 */
export function useLoginPath(env: { [name: string]: string | undefined }, changed: () => void): () => void {
  let isStopped = false;
  const work = async () => {
    const path = await loginPath(env);
    if (path === undefined || isStopped) return;
    env['PATH'] = joinedPath(path, env['PATH']);
    changed();
  };
  void work();
  return () => {
    isStopped = true;
  };
}

/** Undefined in a terminal, which has it already, on Windows, and where the shell does not answer. */
function loginPath(env: Environment): Promise<string | undefined> {
  const shell = env['SHELL'];
  if (env['SHLVL'] !== undefined || shell === undefined || process.platform === 'win32')
    return Promise.resolve(undefined);
  return new Promise((resolve) => {
    // The files of an interactive shell often set the PATH; what they print besides is left out.
    const child = execFile(
      shell,
      ['-l', '-i', '-c', '/usr/bin/env'],
      { env: { ...env, TERM: 'dumb' }, timeout: patience, killSignal: 'SIGKILL', maxBuffer: 1_000_000 },
      (error, out) => resolve(error ? undefined : /^PATH=(.+)$/m.exec(out)?.[1]),
    );
    child.stdin?.end();
  });
}

/** The folders of both, the first first, each once. */
function joinedPath(first: string | undefined, second: string | undefined): string {
  const folders = [first, second].flatMap((path) => (path ?? '').split(delimiter)).filter(Boolean);
  return [...new Set(folders)].join(delimiter);
}
