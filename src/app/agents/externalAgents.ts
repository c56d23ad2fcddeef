// The external agents of this machine, as the settings and the PATH have them now.
import { homedir } from 'node:os';
import { acpAgent } from '../../agents/acp/agent.ts';
import type { OfferMemory } from '../../agents/acp/agent.ts';
import type { AgentProgram } from '../../agents/acp/process/program.ts';
import { knownAgents, usableAgents } from '../../agents/acp/registry.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import type { Agent } from '../../host/agent.ts';
import type { World } from '../../host/ports.ts';
import type { ToolServer } from '../../host/workspace/workbench.ts';
import type { Settings, SettingsValues } from '../../host/settings/settings.ts';
import { shownPrograms } from '../../host/terminals/visiblePrograms.ts';
import type { TerminalHub } from '../../host/terminals/terminalHub.ts';
import { agentMemory } from '../../io/agents/agentMemory.ts';
import { agentEnvironment, agentLauncher } from '../../io/agents/agentLauncher.ts';
import { files } from '../../io/files/workspace.ts';
import { findProgram } from '../../io/processes/findProgram.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { pipedPrograms } from '../../io/processes/pipedPrograms.ts';
import { configuredServers } from '../../io/mcp/wanted.ts';
import type { Secrets } from '../../io/auth/secrets.ts';
import { expand } from '../../io/settings/expand.ts';

declare const PARLEY_VERSION: string;

type Environment = { readonly [name: string]: string | undefined };

export interface ExternalAgentsOptions {
  readonly env: Environment;
  readonly world: World;
  readonly settings: Settings;
  readonly secrets: Secrets;
  /** The terminals of the host, once there is one. */
  readonly terminals: () => TerminalHub | undefined;
  /** Puts the user's hooks around an agent. */
  readonly hooked: (agent: Agent) => Agent;
}

/** Gives the agents each time it is asked. One that has not changed stays the same, with what was learned of it. */
export function externalAgents({
  env,
  world,
  settings,
  secrets,
  terminals,
  hooked,
}: ExternalAgentsOptions): () => readonly Agent[] {
  const known = new Map<string, { readonly program: string; readonly agent: Agent }>();
  const launch = agentLauncher(env);
  const memory = agentMemory(dataPaths(env).agents, (problem, about) => world.report(problem, about));
  const programs = shownPrograms(terminals, pipedPrograms({ env }));
  const make = (program: AgentProgram): Agent =>
    hooked(
      acpAgent({
        program,
        launch,
        ports: {
          clock: world.clock,
          ids: world.ids,
          files: files(),
          programs,
        },
        environment: (started) => agentEnvironment(env, started),
        version: PARLEY_VERSION,
        servers: (roots) =>
          configuredServers(roots, settings, { env, stored: (name) => secrets.get(`secret:${name}`) }).map(
            whole,
          ),
        memory: memoryOf(program),
        home: homedir(),
        root: isRoot(),
        report: (problem, about) => world.report(problem, about),
      }),
    );
  const memoryOf = (program: AgentProgram): OfferMemory => {
    const written = JSON.stringify(program);
    return {
      recall: () => memory.recall(program.id, written),
      keep: (offers) => memory.keep(program.id, written, offers),
    };
  };
  // Agents look for programs in places of their own.
  const whole = (server: ToolServer): ToolServer =>
    server.type === 'process'
      ? { ...server, command: findProgram(server.command, env) ?? server.command }
      : server;
  return () =>
    usableAgents(agentsOf(settings.of([]), env)).map((program) => {
      const written = JSON.stringify(program);
      const old = known.get(program.id);
      const agent = old?.program === written ? old.agent : make(program);
      known.set(program.id, { program: written, agent });
      return agent;
    });
}

/** Everything that is set up, found or known, whether it can be used or not. */
export function agentsOf({ agents }: SettingsValues, env: Environment): readonly KnownAgent[] {
  const written = Object.entries(agents).map(([id, agent]) => ({
    id,
    ...agent,
    ...(agent.env ? { env: expanded(agent.env, env) } : {}),
  }));
  return knownAgents(written, (command) => findProgram(command, env));
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** What refers to a variable that is not there is left out. */
function expanded(
  values: { readonly [name: string]: string },
  env: Environment,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const text = expand(value, env);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}
