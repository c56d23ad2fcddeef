// The variables that direnv and mise set in a folder. Both ask the user themselves before they run what a
// folder brings; we ask them only in folders that the user trusts here, too. What they run may read other
// files of the folder, which a confined program can write: for such a program they are confined as well.
import { execFile } from 'node:child_process';
import * as z from 'zod';
import { errorText } from '../../base/errorText.ts';
import type { Confinement, NotPossible } from '../../host/ports.ts';
import { hasNotBegun, mostAttempts } from '../../rpc/processes/beginning.ts';
import { confineIf } from '../sandbox/confineIf.ts';
import type { ConfinedStart } from '../sandbox/confineIf.ts';
import type { Variables } from '../sandbox/innerVariables.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { findProgram } from './findProgram.ts';
import { filesAbove, variableTools } from './variableFiles.ts';

export interface ProjectVariables {
  readonly [name: string]: string;
}

const patience = 20_000;

/** Of what a tool says about its failure, in characters. */
const longest = 1_000;

interface Place {
  readonly cwd: string;
  /** Set if the program that gets the variables is confined. */
  readonly confined?: Confinement | undefined;
}

interface Options {
  /** Gets the problem of a tool that fails. */
  readonly report: (problem: unknown, about: string) => void;
  readonly sandbox?: Pick<Sandbox, 'confine'>;
}

/** Empty where the folder has no file of these tools. */
export async function projectVariables(
  { cwd, confined }: Place,
  env: Variables,
  { report, sandbox }: Options,
): Promise<ProjectVariables> {
  let all: ProjectVariables = {};
  for (const { name, files, args } of variableTools) {
    const program = findProgram(name, env);
    if (program === undefined || filesAbove(cwd, files).length === 0) continue;
    try {
      // direnv comes last and sees what mise has set, as in a shell.
      const wish = { cwd, confined, env: { ...env, ...all } };
      const begin = () => confineIf([program, ...args], wish, sandbox);
      all = { ...all, ...read(await answerOf(begin, cwd)) };
    } catch (error) {
      report(error, `the variables of ${name} in ${cwd}`);
    }
  }
  return all;
}

async function answerOf(
  begin: () => ConfinedStart | NotPossible,
  cwd: string,
  attempts = mostAttempts,
): Promise<string> {
  const start = begin();
  if ('refused' in start) throw new Error(start.refused);
  try {
    return await output(start, cwd).finally(() => start.release());
  } catch (error) {
    if (attempts > 1 && hasNotBegun(start)) return answerOf(begin, cwd, attempts - 1);
    throw error;
  }
}

function output({ words: [program = '', ...args], env }: ConfinedStart, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { cwd, env, timeout: patience, killSignal: 'SIGKILL', maxBuffer: 4_000_000 },
      // The message of the error repeats all words of the sandbox.
      (error, out, said) =>
        error ? reject(new Error(said.trim().slice(-longest) || errorText(error))) : resolve(out),
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
