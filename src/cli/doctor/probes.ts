// What `parley doctor` starts to see whether it works: external agents and MCP servers. All at once, each within a time limit, and nothing is left running.
import { usualTimes } from '../../agents/acp/process/program.ts';
import { openToolServers } from '../../io/mcp/servers.ts';
import type { ServerView } from '../../host/tools/toolServers.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { openSettings } from '../../io/settings/open.ts';
import type { Said } from './checks.ts';
import { agentsOf } from '../../app/agents/externalAgents.ts';
import { tried } from '../../app/agents/probeAgent.ts';

declare const PARLEY_VERSION: string;

/** How long something may take to say hello, in milliseconds. */
const patience = 15_000;

export async function agents(env: NodeJS.ProcessEnv = process.env): Promise<readonly Said[]> {
  const opened = openSettings({ env });
  const known = agentsOf(opened.of([]), env).filter(({ disabled }) => !disabled);
  opened.close();
  const there = known.filter(({ path }) => path !== undefined);
  const lost = known.filter(({ source, path }) => source === 'configured' && path === undefined);
  const results = await Promise.all(
    there.map(async (agent): Promise<Said> => {
      const { id } = agent.program;
      const result = await tried(agent, { env, times: { ...usualTimes, setup: patience } });
      if ('code' in result)
        return {
          state: 'broken',
          words: `${id} does not answer: ${result.message}`,
          fix: `parley agents test ${id} says more; "disabled": true in the settings leaves it out.`,
        };
      return { state: 'ok', words: `${id} answers after ${Math.round(result.startMs)} ms` };
    }),
  );
  return [
    {
      state: 'ok',
      words:
        there.length === 0 ? 'only our own agent; no other was found on the PATH' : 'our own is always there',
    },
    ...results,
    ...lost.map(({ program }): Said => ({
      state: 'note',
      words: `${program.command} for the agent ${program.id} was not found.`,
      fix: `Install it, or parley agents remove ${program.id}`,
    })),
  ];
}

export async function servers(env: NodeJS.ProcessEnv = process.env): Promise<readonly Said[]> {
  const settings = openSettings({ env });
  const pool = openToolServers({
    settings,
    env,
    version: PARLEY_VERSION,
    secrets: openSecrets(dataPaths(env).secrets),
  });
  try {
    const opened = pool.open({ roots: [process.cwd()] });
    await opened.settled(patience);
    const views = opened.list();
    opened.close();
    return views.length === 0
      ? [{ state: 'ok', words: 'none is set up for this folder' }]
      : views.map(verdict);
  } finally {
    await pool.close();
    settings.close();
  }
}

function verdict({ name, status, tools, problem }: ServerView): Said {
  switch (status) {
    case 'running':
      return {
        state: 'ok',
        words: `${name} runs and has ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`,
      };
    case 'disabled':
      return { state: 'ok', words: `${name} is turned off` };
    case 'requires-auth':
      return { state: 'note', words: `${name} needs a sign-in.`, fix: `parley mcp login ${name}` };
    case 'starting':
    case 'stopped':
    case 'failed':
      return {
        state: 'broken',
        words: `${name} does not run${problem === undefined ? '' : `: ${problem}`}`,
        fix: `Mend or remove it in the settings; parley mcp remove ${name}`,
      };
    default:
      return status satisfies never;
  }
}
