// Starts an external agent and performs the handshake, to see whether it works.
import { modelHosts } from '../../agents/acp/modelHosts.ts';
import { agentNetwork } from '../../agents/acp/session/agentLimits.ts';
import { probe } from '../../agents/acp/process/probe.ts';
import { usualTimes } from '../../agents/acp/process/program.ts';
import type { AgentTimes, ProgramPlace } from '../../agents/acp/process/program.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import type { Confinement } from '../../host/ports.ts';
import { agentEnvironment } from '../../io/agents/agentEnvironment.ts';
import { agentLauncher } from '../../io/agents/agentLauncher.ts';
import { realClock } from '../../io/store/realWorld.ts';

declare const PARLEY_VERSION: string;

export interface ProbeOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly times?: AgentTimes;
  /** What the project adds to the environment. */
  readonly project?: ProgramPlace['project'];
  /** Gets every line that the agent writes to standard error. */
  readonly onStderr?: (line: string) => void;
}

/** An agent that always runs in the sandbox is tested there. */
export async function probeAgent(
  { program }: KnownAgent,
  { env, times = usualTimes, project, onStderr = () => {} }: ProbeOptions,
): ReturnType<typeof probe> {
  const cwd = process.cwd();
  const run = (launch: ReturnType<typeof agentLauncher>, confined?: Confinement) =>
    probe({
      program,
      clock: realClock,
      times,
      version: PARLEY_VERSION,
      cwd,
      confined,
      project,
      launch: (agent, options) =>
        launch(agent, {
          ...options,
          stderr(line) {
            onStderr(line);
            options.stderr(line);
          },
        }),
    });
  if (program.sandbox !== 'on') return run(agentLauncher(env));
  const { ownSandbox } = await import('../ownSandbox.ts');
  return ownSandbox(env, async (sandbox) => {
    const status = await sandbox.status();
    if (!status.available) return { code: 'agent-start', message: `${status.why} ${status.cure}` };
    const hosts = modelHosts(program, agentEnvironment(env, program));
    const limits = { write: [cwd], scratch: 'test', ...agentNetwork('ask', hosts) };
    return run(agentLauncher(env, sandbox), limits);
  });
}
