// The variables that direnv and mise set in a folder. Both ask the user themselves before they run what a
// folder brings; we ask them only in folders that the user trusts here, too.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { findProgram } from './findProgram.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface ProjectVariables {
  readonly [name: string]: string;
}

interface Tool {
  readonly name: string;
  /** The files that make a folder one of the tool. */
  readonly files: readonly string[];
  readonly args: readonly string[];
}

const tools: readonly Tool[] = [
  {
    name: 'mise',
    files: ['mise.toml', '.mise.toml', '.tool-versions', '.config/mise.toml'],
    args: ['env', '--json'],
  },
  { name: 'direnv', files: ['.envrc'], args: ['export', 'json'] },
];

const patience = 20_000;

/** Empty where the folder has no file of these tools. `report` gets the problem of a tool that fails. */
export async function projectVariables(
  folder: string,
  env: Environment,
  report: (problem: unknown, about: string) => void,
): Promise<ProjectVariables> {
  let all: ProjectVariables = {};
  for (const { name, files, args } of tools) {
    const program = findProgram(name, env);
    if (program === undefined || !isAbove(folder, files)) continue;
    try {
      // direnv comes last and sees what mise has set, as in a shell.
      all = { ...all, ...read(await output(program, args, { folder, env: { ...env, ...all } })) };
    } catch (error) {
      report(error, `the variables of ${name} in ${folder}`);
    }
  }
  return all;
}

function output(
  program: string,
  args: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: Environment },
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { cwd: folder, env, timeout: patience, killSignal: 'SIGKILL', maxBuffer: 4_000_000 },
      (error, out) => (error ? reject(error) : resolve(out)),
    );
  });
}

/** Null unsets a variable; an agent has none to unset. direnv's own variables are bookkeeping. */
function read(json: string): ProjectVariables {
  if (json.trim() === '') return {};
  const values = z.record(z.string(), z.string().nullable()).parse(JSON.parse(json));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === null || name.startsWith('DIRENV_') ? [] : [[name, value]],
    ),
  );
}

/** Whether the folder or one above it has one of the files. */
function isAbove(folder: string, files: readonly string[]): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (files.some((file) => existsSync(join(at, file)))) return true;
    if (dirname(at) === at) return false;
  }
}
