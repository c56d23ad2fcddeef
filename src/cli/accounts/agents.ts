// `parley agents`: lists, adds, installs, removes and tests external agents.
import { parseArgs } from 'node:util';
import { isReservedId, isAgentId } from '../../agents/acp/registry.ts';
import type { ProgramView } from '../../agents/acp/process/agentProcesses.ts';
import type { AgentSandbox } from '../../agents/acp/process/program.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import { agentSummary, readAgents } from '../../app/agents/agentList.ts';
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import { removeAgent, storeAgent } from '../../io/agents/agentSettings.ts';
import { removeInstalled } from '../../io/agents/install/installedAgents.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { refreshHost } from '../client/controlClient.ts';
import { readConfig, valueAt } from '../../io/settings/editConfigFile.ts';
import { settingsFiles } from '../../io/settings/open.ts';
import { columns, UsageError } from '../say.ts';
import { unknownWord } from '../suggest.ts';
import { pairs } from './pairs.ts';
import { print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

export async function run(args: readonly string[]): Promise<number> {
  const [verb = 'list', ...rest] = args;
  switch (verb) {
    case 'list':
      return list(rest);
    case 'add':
      return add(rest);
    case 'remove':
      return remove(rest);
    case 'search':
      return (await import('./installAgents.ts')).searchAgents(rest);
    case 'install':
      return (await import('./installAgents.ts')).installAgents(rest);
    case 'update':
      return (await import('./installAgents.ts')).updateAgents(rest);
    case 'test':
      return (await import('./testAgent.ts')).testAgent(rest, agents());
    default:
      throw unknownWord('agents', verb);
  }
}

async function list(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
  const all = agents();
  const { runningPrograms, runningText } = await import('./runningAgents.ts');
  const running = await runningPrograms();
  print(
    values.json
      ? `${jsonText(
          all.map((agent) => ({ ...agentSummary(agent), running: ofAgent(running, agent) })),
          2,
        )}\n`
      : `${textOf(all)}${runningText(running)}`,
  );
  return 0;
}

function ofAgent(running: readonly ProgramView[], { program }: KnownAgent): readonly ProgramView[] {
  return running.filter(({ agent }) => agent === program.id);
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
      sandbox: { type: 'string' },
      registry: { type: 'string' },
    },
  });
  const id = readId(positionals);
  const [command, ...words] = end < 0 ? [] : args.slice(end + 1);
  const program = command === undefined ? {} : { command, args: words };
  const entry =
    values.registry === undefined
      ? {}
      : await (
          await import('../../app/agents/agentRegistry.ts')
        ).agentFromRegistry(
          {
            env: process.env,
            from: values.registry,
            mayFetch: true,
            signal: new AbortController().signal,
          },
          id,
        );
  const changes = {
    ...entry,
    ...program,
    ...present({ name: values.name, mode: values.mode, inherits: values.inherit }),
    ...present({ sandbox: readSandbox(values.sandbox) }),
    ...(values.env ? { env: pairs(values.env) } : {}),
  };
  checkChanges(id, changes);
  const { user } = settingsFiles(process.env);
  const current = valueAt(readConfig(user), ['agents', id], user);
  storeAgent(user, id, { ...(isRecord(current) ? current : {}), ...changes });
  await refreshHost();
  const done = isRecord(current) ? `Changed ${id} in` : `Added ${id} to`;
  print(`${done} ${user}. Test it with parley agents test ${id}.\n`);
  return 0;
}

function readSandbox(word: string | undefined): AgentSandbox | undefined {
  if (word === undefined || word === 'on' || word === 'auto' || word === 'off') return word;
  throw new UsageError(`--sandbox is on, auto or off, not ${word}.`);
}

/** A new agent needs a command; for one that exists there must be something to change. */
function checkChanges(id: string, changes: { readonly command?: string | undefined }): void {
  const known = agents().find((agent) => agent.program.id === id);
  if (!known && changes.command === undefined)
    throw new UsageError(`Missing command for ${id}. Usage: parley agents add ${id} -- COMMAND ARGS...`);
  if (known?.source === 'configured' && Object.keys(changes).length === 0)
    throw new UsageError(`The agent "${id}" already exists. Remove it with parley agents remove ${id}.`);
}

async function remove(args: readonly string[]): Promise<number> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  const id = readId(positionals);
  const { user } = settingsFiles(process.env);
  const isUninstalled = removeInstalled(dataPaths(process.env).installedAgents, id);
  const isForgotten = removeAgent(user, id);
  if (!isUninstalled && !isForgotten)
    throw new Error(`"${id}" is neither installed by Parley nor in ${user}.`);
  await refreshHost();
  const detected = agents().find(({ program, source }) => program.id === id && source === 'found');
  print(
    [
      ...(isUninstalled ? [`Removed the installation of ${id}.`] : []),
      ...(isForgotten ? [`Removed ${id} from ${user}.`] : []),
      ...(detected
        ? [`It is still detected at ${detected.path}; set "disabled": true in ${user} to hide it.`]
        : []),
    ].join(' ') + '\n',
  );
  return 0;
}

function agents(): readonly KnownAgent[] {
  return readAgents(process.env, (message) => printError(`parley: ${message}\n`));
}

function readId([id, ...more]: readonly string[]): string {
  if (id === undefined) throw new UsageError('Missing agent ID.');
  if (more.length > 0) throw new UsageError(`Unexpected argument "${more[0]}". Put the command after --.`);
  if (!isAgentId(id))
    throw new UsageError(`Invalid agent ID "${id}". Use letters, digits, dots, dashes and underscores.`);
  if (isReservedId(id)) throw new UsageError(`"${id}" is the built-in agent. Choose another ID.`);
  return id;
}

function textOf(all: readonly KnownAgent[]): string {
  const usable = all.filter(({ source }) => source !== 'known');
  const missing = all.filter(({ source }) => source === 'known');
  return [
    ...(usable.length === 0
      ? ['No external agents found.']
      : ['Agents:', ...indented(usable.map((agent) => agentCells(agent)))]),
    ...(missing.length === 0
      ? []
      : [
          '',
          'Not installed:',
          ...indented(missing.map(({ program }) => [program.id, program.name, program.install ?? ''])),
          'Most can also be installed with parley agents install ID; parley agents search lists more.',
        ]),
    '',
  ].join('\n');
}

function agentCells({ program, source, path, disabled, version }: KnownAgent): readonly string[] {
  const cells = [program.id, program.name];
  if (disabled) return [...cells, 'disabled', path ?? ''];
  if (path === undefined) return [...cells, `${program.command} not found`, ''];
  const from = version === undefined ? source : `${source}, version ${version}`;
  return [...cells, from, sandboxTexts[program.sandbox ?? 'off'], path];
}

const sandboxTexts: { readonly [when in AgentSandbox]: string } = {
  on: 'always in the sandbox',
  auto: 'in the sandbox in auto',
  off: 'not in the sandbox',
};

function indented(rows: readonly (readonly string[])[]): readonly string[] {
  return columns(rows).map((line) => `  ${line}`);
}
