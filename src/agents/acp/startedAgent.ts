// Which agent of our catalogue a command line starts: by the name of the program or of its package.
import { innerStarts, startsOthers } from '../../host/policy/knownPrograms.ts';
import { programName } from '../../host/policy/commandLine.ts';
import { catalogue } from './catalogue.ts';
import type { AgentProgram } from './process/program.ts';
import { agentIdOf } from './registryIds.ts';

/** `path` is where the program really is, if it was found. */
export function startedAgent(
  { command, args }: Pick<AgentProgram, 'command' | 'args'>,
  path?: string,
): AgentProgram | undefined {
  // Launchers such as npx are read generously: a quirk too many costs less than a guard that is missing.
  const isLauncher = startsOthers(command) || innerStarts([command, ...args]).length > 1;
  const words = isLauncher ? args.flatMap((arg) => arg.split(/[\s=;&|'"()]+/)) : [];
  return [command, path ?? '', ...words].map(agentNamed).find((agent) => agent !== undefined);
}

/** The agent of our catalogue that a program, a package or the agent itself names. */
export function agentNamed(word: string): AgentProgram | undefined {
  const [, inPackage = ''] = /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(word) ?? [];
  const names = [inPackage.replace('\\', '/'), word, programName(word)].map(withoutVersion);
  return catalogue.find(({ id, command }) =>
    names.some((name) => name === command || agentIdOf(name) === id || agentIdOf(unscoped(name)) === id),
  );
}

function withoutVersion(name: string): string {
  return (/^@?[^@[<>~]+/.exec(name)?.[0] ?? '').replace(/\.[cm]?js$/, '');
}

function unscoped(name: string): string {
  return name.replace(/^@[^/]+\//, '');
}
