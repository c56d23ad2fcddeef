// Runs git without the programs that a repository can name, and without the network.
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { safeGitEnvironment } from '../../host/policy/safeGit.ts';
import { childEnvironment, ownPath } from '../processes/environment.ts';

export interface GitEnd {
  /** Negative if git did not run to its end. */
  readonly code: number;
  readonly output: Buffer;
  /** What git said about a failure. */
  readonly problem: string;
}

export interface GitRun {
  readonly root: string;
  readonly index?: string;
  /** The top folder of the repository: one further up is another. */
  readonly top?: string;
  readonly input?: string;
  /** Ends git. */
  readonly signal?: AbortSignal | undefined;
}

export function runGit(
  args: readonly string[],
  { root, index, top, input = '', signal }: GitRun,
): Promise<GitEnd> {
  const env = childEnvironment(process.env, {
    ...safeGitEnvironment,
    PATH: ownPath(process.env['PATH'], root),
    // We read some of its messages.
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...(top === undefined || top === dirname(top) ? {} : { GIT_CEILING_DIRECTORIES: dirname(top) }),
  });
  const options = {
    cwd: root,
    env,
    encoding: 'buffer',
    maxBuffer: 64_000_000,
    timeout: 30_000,
    windowsHide: true,
    ...(signal ? { signal } : {}),
  } as const;
  return new Promise((done) => {
    const { stdin } = execFile('git', args, options, (error, output, problem) => {
      const code = typeof error?.code === 'number' ? error.code : -1;
      done({ code: error ? code : 0, output, problem: problem.toString().trim() });
    });
    // A git that is not there, or ends early, takes no input.
    stdin?.on('error', () => {});
    stdin?.end(input);
  });
}
