// `parley agents test`: starts an agent, shakes hands, and says what it can do and how long it took.
import { parseArgs } from 'node:util';
import { probe } from '../../agents/acp/process/probe.ts';
import type { Probe } from '../../agents/acp/process/probe.ts';
import { usualTimes } from '../../agents/acp/process/program.ts';
import type { Times } from '../../agents/acp/process/program.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import { agentLauncher } from '../../io/agents/agentLauncher.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { isRoot } from './externalAgents.ts';
import { UsageError, working } from '../../cli/say.ts';

declare const PARLEY_VERSION: string;

export async function testAgent(args: readonly string[], agents: readonly KnownAgent[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [id] = positionals;
  if (id === undefined) throw new UsageError('name the agent by its id.');
  const agent = agents.find(({ program }) => program.id === id);
  if (!agent) throw new Error(`there is no agent ${id}; parley agents list shows them.`);
  const { program } = agent;
  const said: string[] = [];
  const result = await tried(agent, { env: process.env, heard: (line) => said.push(line) }).finally(
    working(`Starting ${program.name}`),
  );
  if ('code' in result) {
    process.stderr.write(`parley: ${result.message}\n`);
    return 1;
  }
  if (values.json)
    process.stdout.write(
      `${JSON.stringify({ id: program.id, name: program.name, path: agent.path, ...result, stderr: said.slice(-20) }, null, 2)}\n`,
    );
  else process.stdout.write(textOf(agent, result));
  return 0;
}

interface Trying {
  readonly env: NodeJS.ProcessEnv;
  readonly times?: Times;
  /** Gets what the agent writes beside. */
  readonly heard?: (line: string) => void;
}

/** Starts an agent and shakes hands. */
export function tried(
  { program }: KnownAgent,
  { env, times = usualTimes, heard = () => {} }: Trying,
): ReturnType<typeof probe> {
  const launch = agentLauncher(env);
  return probe({
    program,
    clock: realClock,
    times,
    version: PARLEY_VERSION,
    cwd: process.cwd(),
    launch: (started, place) =>
      launch(started, {
        cwd: place.cwd,
        stderr(line) {
          heard(line);
          place.stderr(line);
        },
      }),
  });
}

function textOf({ program, path }: KnownAgent, { hello, startMs, conversations, dropped }: Probe): string {
  const { agentInfo, agentCapabilities: can, authMethods, protocolVersion } = hello;
  const session = can.sessionCapabilities;
  const yes = (capability: unknown, name: string) =>
    capability === true || (typeof capability === 'object' && capability !== null) ? [name] : [];
  const list = (names: readonly string[]) => (names.length > 0 ? names.join(', ') : 'none');
  const strange = dropped.garbage + dropped.unaddressed + dropped.ignored;
  return [
    `${program.name} answers${agentInfo ? ` as ${agentInfo.title ?? agentInfo.name} ${agentInfo.version}` : ''}.`,
    `  started      ${path ?? program.command} ${program.args.join(' ')}`.trimEnd(),
    `  time         ${Math.round(startMs)} ms until its first answer`,
    `  protocol     version ${protocolVersion}`,
    `  prompts      text, links${yes(can.promptCapabilities.image, ', images').join('')}${yes(can.promptCapabilities.audio, ', audio').join('')}${yes(can.promptCapabilities.embeddedContext, ', embedded files').join('')}`,
    `  sessions     ${list([...yes(can.loadSession, 'load'), ...yes(session.resume, 'resume'), ...yes(session.list, 'list'), ...yes(session.fork, 'fork'), ...yes(session.close, 'close'), ...yes(session.delete, 'delete'), ...yes(session.additionalDirectories, 'several folders')])}`,
    `  tool servers ${list(['process', ...yes(can.mcpCapabilities.http, 'http'), ...yes(can.mcpCapabilities.sse, 'sse')])}`,
    ...(conversations ? [`  remembers    ${conversations.length} conversations of this folder`] : []),
    ...(authMethods.length > 0
      ? [`  sign-in      ${authMethods.map(({ name, id }) => name || id).join(', ')}`]
      : []),
    ...(strange > 0 ? [`  babbles      ${strange} messages that nobody could use`] : []),
    ...(isRoot() && program.quirks?.root === 'refused'
      ? ['  note         it refuses to work for the administrator']
      : []),
    '',
  ].join('\n');
}
