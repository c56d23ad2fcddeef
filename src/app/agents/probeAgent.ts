// Starts an external agent and performs the handshake, to see whether it works.
import { probe } from '../../agents/acp/process/probe.ts';
import { usualTimes } from '../../agents/acp/process/program.ts';
import type { AgentTimes } from '../../agents/acp/process/program.ts';
import type { KnownAgent } from '../../agents/acp/registry.ts';
import { agentLauncher } from '../../io/agents/agentLauncher.ts';
import { realClock } from '../../io/store/realWorld.ts';

declare const PARLEY_VERSION: string;

export interface ProbeOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly times?: AgentTimes;
  /** Gets every line that the agent writes to standard error. */
  readonly onStderr?: (line: string) => void;
}

export function probeAgent(
  { program }: KnownAgent,
  { env, times = usualTimes, onStderr = () => {} }: ProbeOptions,
): ReturnType<typeof probe> {
  const launch = agentLauncher(env);
  return probe({
    program,
    clock: realClock,
    times,
    version: PARLEY_VERSION,
    cwd: process.cwd(),
    launch: (agent, options) =>
      launch(agent, {
        cwd: options.cwd,
        stderr(line) {
          onStderr(line);
          options.stderr(line);
        },
      }),
  });
}
