// Runs the tools that install packages, and reports the cause that they print if they fail.
import { execFile } from 'node:child_process';
import { agentEnvironment } from '../agentEnvironment.ts';
import { findProgram } from '../../processes/findProgram.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface ToolOptions {
  /** The environment of the tool. */
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly cwd?: string;
}

/** What npm and uv need of our own environment: their settings and no keys of model providers. */
export function installEnvironment(own: Environment): Environment {
  return agentEnvironment(own, {
    inherits: ['npm_config_*', 'NPM_CONFIG_*', 'NPM_TOKEN', 'NODE_OPTIONS', 'UV_*', 'PIP_*'],
  });
}

const longestRun = 15 * 60_000;
const largestOutput = 10_000_000;

export function runTool(
  name: string,
  args: readonly string[],
  { env, signal, cwd }: ToolOptions,
): Promise<{ readonly out: string }> {
  const path = findProgram(name, env) ?? name;
  // Windows starts command files only through its shell.
  const shell = process.platform === 'win32' && /\.(?:cmd|bat)$/i.test(path);
  return new Promise((resolve, reject) => {
    execFile(
      path,
      args,
      { cwd, env, signal, shell, timeout: longestRun, maxBuffer: largestOutput, windowsHide: true },
      (error, out, err) => {
        if (!error) resolve({ out });
        else if (signal.aborted) reject(new Error('The installation was stopped.', { cause: error }));
        else
          reject(
            new Error(`${name} failed: ${causeIn(err) || lastLines(err || out || error.message)}`, {
              cause: error,
            }),
          );
      },
    );
  });
}

/** What npm calls an error, without its notices, its codes and its general advice. */
function causeIn(text: string): string {
  const errors = [...text.matchAll(/^npm (?:error|ERR!) (.*\S)\s*$/gm)].map(([, words = '']) => words);
  const advice = errors.findIndex((words) =>
    /Note that|In most cases|This is a problem|A complete log/.test(words),
  );
  const told = errors.slice(0, advice < 0 ? undefined : advice);
  return lastLines(told.filter((words) => !/^(?:\d+|(?:code|errno|syscall) .*)$/.test(words)).join('\n'));
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n').slice(-1_000);
}
