// `parley agents`: which external agents there are, and how to add, remove and try one.
import { parseArgs } from 'node:util';
import { isReservedId, isAgentId } from '../../agents/acp/registry.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import { removeAgent, storeAgent } from '../../io/agents/agentSettings.ts';
import { readConfig, valueAt } from '../../io/settings/editConfigFile.ts';
import { openSettings, settingsFiles } from '../../io/settings/open.ts';
import { agentsOf } from '../../app/agents/externalAgents.ts';
import { jsonText, print, printError } from '../output.ts';
import { columns, UsageError } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const [what = 'list', ...rest] = args;
  switch (what) {
    case 'list':
      return list(rest);
    case 'add':
      return add(rest);
    case 'remove':
      return remove(rest);
    case 'test':
      return (await import('../../app/agents/probeAgent.ts')).testAgent(rest, agents());
    default:
      throw new UsageError(`there is no parley agents ${what}. Try list, add, remove or test.`);
  }
}

function list(args: readonly string[]): number {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
  const all = agents();
  print(values.json ? `${jsonText(all.map(rowOf), 2)}\n` : textOf(all));
  return 0;
}

async function add(args: readonly string[]): Promise<number> {
  const end = args.indexOf('--');
  const { values, positionals } = parseArgs({
    args: end < 0 ? [...args] : args.slice(0, end),
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      mode: { type: 'string' },
      env: { type: 'string', multiple: true },
      inherit: { type: 'string', multiple: true },
      registry: { type: 'string' },
    },
  });
  const id = idOf(positionals);
  const command = end < 0 ? [] : args.slice(end + 1);
  const listed =
    values.registry === undefined
      ? {}
      : (await import('../../app/agents/agentRegistry.ts')).fromRegistry(values.registry, id);
  const [program, ...words] = command;
  const known = agents().find((agent) => agent.program.id === id);
  if (program === undefined && Object.keys(listed).length === 0 && !known)
    throw new UsageError(`say how ${id} is started: parley agents add ${id} -- COMMAND ARGS...`);
  if (known?.source === 'configured' && program === undefined && Object.keys(values).length === 0)
    throw new UsageError(
      `${id} is set up already; say what is to be different, or take it out with parley agents remove ${id}.`,
    );
  const { user } = settingsFiles(process.env);
  const present = valueAt(readConfig(user), ['agents', id], user);
  storeAgent(user, id, {
    ...(typeof present === 'object' ? present : {}),
    ...listed,
    ...(program === undefined ? {} : { command: program, args: words }),
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.mode === undefined ? {} : { mode: values.mode }),
    ...(values.env ? { env: variables(values.env) } : {}),
    ...(values.inherit ? { inherits: values.inherit } : {}),
  });
  print(`Added ${id} to ${user}. Try it with parley agents test ${id}.\n`);
  return 0;
}

function remove(args: readonly string[]): number {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  const id = idOf(positionals);
  const { user } = settingsFiles(process.env);
  if (!removeAgent(user, id)) throw new Error(`${user} has no agent ${id}.`);
  const left = agents().find(({ program, source }) => program.id === id && source === 'found');
  print(
    `Removed ${id} from ${user}.${left ? ` It is still found at ${left.path}; turn it off with "disabled": true there.` : ''}\n`,
  );
  return 0;
}

function agents(): readonly KnownAgent[] {
  return agentsHere(process.env, (message) => printError(`parley: ${message}\n`));
}

/** As the settings and the PATH have them now. */
export function agentsHere(
  env: NodeJS.ProcessEnv,
  complain: (message: string) => void = () => {},
): readonly KnownAgent[] {
  const settings = openSettings({ env });
  try {
    for (const { kind, message } of settings.problems()) if (kind !== 'untrusted') complain(message);
    return agentsOf(settings.of([]), env);
  } finally {
    settings.close();
  }
}

function idOf([id, ...more]: readonly string[]): string {
  if (id === undefined) throw new UsageError('name the agent by its id.');
  if (more.length > 0) throw new UsageError(`"${more[0]}" is not understood here; put the command after --.`);
  if (!isAgentId(id))
    throw new UsageError(`"${id}" is no id for an agent: use letters, digits, dots, dashes and underscores.`);
  if (isReservedId(id)) throw new UsageError(`${id} is our own agent.`);
  return id;
}

function variables(given: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`"${pair}" is no variable; write NAME=VALUE.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export function rowOf({ program, source, path, disabled }: KnownAgent): object {
  const { id, name, description, command, args, install } = program;
  return {
    id,
    name,
    description,
    source,
    command,
    args,
    ...(path === undefined ? {} : { path }),
    disabled,
    ...(path === undefined && install !== undefined ? { install } : {}),
  };
}

function textOf(all: readonly KnownAgent[]): string {
  const usable = all.filter(({ source }) => source !== 'known');
  const rest = all.filter(({ source }) => source === 'known');
  const line = ({ program, source, path, disabled }: KnownAgent) => [
    program.id,
    program.name,
    disabled ? 'turned off' : path === undefined ? `${program.command} was not found` : source,
    path ?? '',
  ];
  return [
    ...(usable.length === 0
      ? ['No external agent was found.']
      : ['Agents:', ...columns(usable.map(line)).map(indented)]),
    ...(rest.length === 0
      ? []
      : [
          '',
          'Not installed:',
          ...columns(rest.map(({ program }) => [program.id, program.name, program.install ?? ''])).map(
            indented,
          ),
        ]),
    '',
  ].join('\n');
}

function indented(line: string): string {
  return `  ${line}`;
}
