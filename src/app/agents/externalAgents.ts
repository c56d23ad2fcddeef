// The external agents that the host offers, as the settings and the PATH have them now.
import { homedir } from 'node:os';
import { acpAgent } from '../../agents/acp/agent.ts';
import type { OfferMemory } from '../../agents/acp/agent.ts';
import type { AgentProcesses } from '../../agents/acp/process/agentProcesses.ts';
import type { AgentProgram } from '../../agents/acp/process/program.ts';
import { usableAgents } from '../../agents/acp/registry.ts';
import type { Agent } from '../../host/agent.ts';
import type { World } from '../../host/world.ts';
import type { ToolServer } from '../../host/workspace/workbench.ts';
import type { Settings } from '../../host/settings/settings.ts';
import { shownPrograms } from '../../host/terminals/visiblePrograms.ts';
import type { TerminalHub } from '../../host/terminals/terminalHub.ts';
import { agentMemory } from '../../io/agents/agentMemory.ts';
import { agentEnvironment } from '../../io/agents/agentEnvironment.ts';
import { agentLauncher } from '../../io/agents/agentLauncher.ts';
import { files } from '../../io/files/workspace.ts';
import type { WorkspaceSnapshots } from '../../host/workspace/workspaceSnapshots.ts';
import { findProgram } from '../../io/processes/findProgram.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { pipedPrograms } from '../../io/processes/pipedPrograms.ts';
import { configuredServers } from '../../io/mcp/serverPlans.ts';
import type { Sandbox } from '../../io/sandbox/sandbox.ts';
import type { Secrets } from '../../io/auth/secrets.ts';
import { listAgents } from './agentList.ts';
import { trustedVariables } from './trustedVariables.ts';

declare const PARLEY_VERSION: string;

export interface ExternalAgentsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly world: World;
  readonly settings: Settings;
  readonly secrets: Secrets;
  /** The terminals of the host; undefined before the host has started. */
  readonly terminals: () => TerminalHub | undefined;
  /** The running programs of all agents. */
  readonly processes: AgentProcesses;
  readonly sandbox: Sandbox;
  readonly snapshots: WorkspaceSnapshots;
  /** Wraps an agent so that the user's hooks run around its turns. */
  readonly withHooks: (agent: Agent) => Agent;
}

/**
 * Returns a function that lists the agents. An agent whose program has not changed keeps its object
 * and what it has learned.
 */
export function externalAgents({
  env,
  world,
  settings,
  secrets,
  terminals,
  processes,
  sandbox,
  snapshots,
  withHooks,
}: ExternalAgentsOptions): () => readonly Agent[] {
  const created = new Map<string, { readonly program: string; readonly agent: Agent }>();
  const launch = agentLauncher(env, sandbox);
  const report = (problem: unknown, about: string) => world.report(problem, about);
  const memory = agentMemory(dataPaths(env).agents, report);
  const programs = shownPrograms(terminals, pipedPrograms({ env, sandbox }));
  const ports = { clock: world.clock, ids: world.ids, files: files(), snapshots, programs };
  const create = (program: AgentProgram): Agent =>
    withHooks(
      acpAgent({
        program,
        launch,
        processes,
        ports: { ...ports, variables: (place) => trustedVariables(place, program, { env, report, sandbox }) },
        environment: (started) => agentEnvironment(env, started),
        version: PARLEY_VERSION,
        servers: (roots) =>
          configuredServers(roots, settings, { env, stored: (name) => secrets.get(`secret:${name}`) }).map(
            withFullPath,
          ),
        memory: memoryOf(program),
        home: homedir(),
        root: isRoot(),
        report,
      }),
    );
  const memoryOf = (program: AgentProgram): OfferMemory => {
    const key = JSON.stringify(program);
    return {
      recall: () => memory.recall(program.id, key),
      keep: (offers) => memory.keep(program.id, key, offers),
    };
  };
  // Agents may have another PATH than we have.
  const withFullPath = (server: ToolServer): ToolServer =>
    server.type === 'process'
      ? { ...server, command: findProgram(server.command, env) ?? server.command }
      : server;
  return () =>
    usableAgents(listAgents(settings.of([]), env)).map((program) => {
      const key = JSON.stringify(program);
      const last = created.get(program.id);
      const agent = last?.program === key ? last.agent : create(program);
      created.set(program.id, { program: key, agent });
      return agent;
    });
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
