// `parley agents test`: starts an agent, performs the handshake, and prints what it can do
// and how long it took.
import { didYouMean } from '../../base/nearest.ts';
import { parseArgs } from 'node:util';
import type { Probe } from '../../agents/acp/process/probe.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import { isRoot } from '../../app/agents/externalAgents.ts';
import { probeAgent } from '../../app/agents/probeAgent.ts';
import { trustedVariables } from '../../app/agents/trustedVariables.ts';
import { errorText } from '../../base/errorText.ts';
import { environmentDifference } from '../../io/agents/agentEnvironment.ts';
import { variableFiles } from '../../io/processes/variableFiles.ts';
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore } from '../../io/settings/trust.ts';
import type { AgentProgram } from '../../agents/acp/process/program.ts';
import { UsageError, showProgress } from '../say.ts';
import { print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

export async function testAgent(args: readonly string[], agents: readonly KnownAgent[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [id] = positionals;
  if (id === undefined) throw new UsageError('Missing agent ID. Try: parley agents test ID');
  const agent = agents.find(({ program }) => program.id === id);
  const ids = agents.map(({ program }) => program.id);
  if (!agent) throw new Error(`Unknown agent "${id}".${didYouMean(id, ids)} Try: parley agents`);
  const { program } = agent;
  const stderr: string[] = [];
  const given = await environmentOf(program);
  const result = await probeAgent(agent, {
    env: process.env,
    project: given.project,
    onStderr: (line) => stderr.push(line),
  }).finally(showProgress(`Starting ${program.name}`));
  if ('code' in result) {
    printError(`parley: ${result.message}\n`);
    return 1;
  }
  if (values.json) {
    const { environment } = given;
    const row = {
      id,
      name: program.name,
      path: agent.path,
      ...result,
      environment,
      stderr: stderr.slice(-20),
    };
    print(`${jsonText(row, 2)}\n`);
  } else print(`${textOf(agent, result)}${environmentText(given.environment)}`);
  return 0;
}

/** What of this terminal the agent does not get, and what the project adds; names only. */
async function environmentOf(program: AgentProgram) {
  const { env } = process;
  const cwd = process.cwd();
  const problems: string[] = [];
  const report = (problem: unknown) => void problems.push(errorText(problem));
  const project = await trustedVariables({ cwd }, program, { env, report });
  const { secrets, others } = environmentDifference(env, program);
  const isMissing = (name: string) => !Object.hasOwn(project, name);
  return {
    environment: {
      secrets: secrets.filter(isMissing),
      others: others.filter(isMissing),
      project: Object.keys(project).toSorted(),
      untrusted: trustStore(settingsFiles(env).trust).said(cwd) === 'trusted' ? [] : variableFiles(cwd),
      problems,
    },
    project,
  };
}

type TestedEnvironment = Awaited<ReturnType<typeof environmentOf>>['environment'];

function environmentText({ secrets, others, project, untrusted, problems }: TestedEnvironment): string {
  const lines = [
    ...(secrets.length > 0
      ? [
          `  not passed   as secrets: ${secrets.join(', ')}`,
          '               (add one with parley agents add ID --inherit NAME)',
        ]
      : []),
    ...(others.length > 0 ? [`  not passed   as set by direnv: ${others.join(', ')}`] : []),
    ...(untrusted.length > 0
      ? [`  not used     ${untrusted.join(', ')}: you do not trust this folder; see parley trust`]
      : []),
    ...(project.length > 0 ? [`  project      ${project.join(', ')}`] : []),
    ...problems.map((problem) => `  warning      ${problem.split('\n')[0] ?? ''}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function textOf({ program, path }: KnownAgent, { hello, startMs, conversations, dropped }: Probe): string {
  const { agentInfo, agentCapabilities: can, authMethods, protocolVersion } = hello;
  const session = can.sessionCapabilities;
  const name = agentInfo ? ` as ${agentInfo.title ?? agentInfo.name} ${agentInfo.version}` : '';
  const unusable = dropped.garbage + dropped.unaddressed + dropped.ignored;
  const prompts = supported({
    images: can.promptCapabilities.image,
    audio: can.promptCapabilities.audio,
    'embedded files': can.promptCapabilities.embeddedContext,
  });
  const sessions = supported({
    load: can.loadSession,
    resume: session.resume,
    list: session.list,
    fork: session.fork,
    close: session.close,
    delete: session.delete,
    'several folders': session.additionalDirectories,
  });
  const { stdio: process, http, sse } = can.mcpCapabilities;
  const servers = supported({ process, http, sse });
  return [
    `${program.name} answers${name}.`,
    `  command      ${path ?? program.command} ${program.args.join(' ')}`.trimEnd(),
    `  time         ${Math.round(startMs)} ms until its first answer`,
    `  protocol     version ${protocolVersion}`,
    `  prompts      ${['text', 'links', ...prompts].join(', ')}`,
    `  sessions     ${sessions.join(', ') || 'none'}`,
    `  tool servers ${servers.join(', ') || 'none'}`,
    ...(conversations ? [`  history      ${conversations.length} conversations in this folder`] : []),
    ...(authMethods.length > 0
      ? [`  sign-in      ${authMethods.map((method) => method.name || method.id).join(', ')}`]
      : []),
    ...(unusable > 0 ? [`  warning      sent ${unusable} messages that are not valid`] : []),
    ...(isRoot() && program.quirks?.root === 'refused' ? ['  note         it does not run as root'] : []),
    '',
  ].join('\n');
}

/** The names of the capabilities that an agent has: `true`, or an object with details. */
function supported(capabilities: { readonly [name: string]: unknown }): readonly string[] {
  return Object.entries(capabilities).flatMap(([name, value]) =>
    value === true || (typeof value === 'object' && value !== null) ? [name] : [],
  );
}
