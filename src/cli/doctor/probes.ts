// The checks of `parley doctor` that start programs: external agents and MCP servers. They run in parallel
// with a time limit and stop everything they started.
import { setTimeout as delay } from 'node:timers/promises';
import { usualTimes } from '../../agents/acp/process/program.ts';
import { openToolServers } from '../../io/mcp/toolServers.ts';
import type { ServerView } from '../../host/tools/toolServers.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { openSettings } from '../../io/settings/open.ts';
import type { CheckResult } from './checks.ts';
import { noAnswer, notKnown, timeLeft } from './timeLeft.ts';
import { readAgents } from '../../app/agents/agentList.ts';
import { probeAgent } from '../../app/agents/probeAgent.ts';

declare const PARLEY_VERSION: string;

/** How long programs may take to end afterwards, in milliseconds. */
const closeTime = 500;

/** A check has so much time to say what has not answered, in milliseconds. */
const sayTime = 300;

export async function agents(env: NodeJS.ProcessEnv = process.env): Promise<readonly CheckResult[]> {
  const known = readAgents(env).filter(({ disabled }) => !disabled);
  const installed = known.filter(({ path }) => path !== undefined);
  const missing = known.filter(({ source, path }) => source === 'configured' && path === undefined);
  const results = await Promise.all(
    installed.map(async (agent): Promise<CheckResult> => {
      const { id } = agent.program;
      const time = timeLeft(closeTime + sayTime);
      // Ending a program that does not answer takes its own time, which the report does not wait for.
      const result = await Promise.race([
        probeAgent(agent, { env, times: { ...usualTimes, setup: time } }),
        delay(time, { code: 'time', message: `It ${noAnswer(time)}` } as const, { ref: false }),
      ]);
      if ('code' in result && noAnswer(time) === undefined)
        return { ...notKnown, words: `${id}: ${notKnown.words}` };
      if ('code' in result)
        return {
          state: 'broken',
          words: `${id} does not work: ${result.message}`,
          fix: `Run parley agents test ${id} for details, or set "disabled": true in the settings.`,
        };
      return { state: 'ok', words: `${id} ok (${Math.round(result.startMs)} ms)` };
    }),
  );
  return [
    {
      state: 'ok',
      words: installed.length === 0 ? 'built-in only; no others on the PATH' : 'built-in ok',
    },
    ...results,
    ...missing.map(({ program }): CheckResult => ({
      state: 'note',
      words: `The command ${program.command} of the agent ${program.id} was not found.`,
      fix: `Install it, or run parley agents remove ${program.id}`,
    })),
  ];
}

export async function servers(env: NodeJS.ProcessEnv = process.env): Promise<readonly CheckResult[]> {
  const settings = openSettings({ env });
  const pool = openToolServers({
    settings,
    env,
    version: PARLEY_VERSION,
    secrets: openSecrets(dataPaths(env).secrets),
  });
  try {
    const opened = pool.open({ roots: [process.cwd()] });
    const time = timeLeft(closeTime + sayTime);
    await opened.settled(time);
    const views = opened.list();
    opened.close();
    return views.length === 0
      ? [{ state: 'ok', words: 'none for this folder' }]
      : views.map((view) => verdict(view, time));
  } finally {
    settings.close();
    // A server that does not end must not delay the report; the program takes it along when it ends.
    await Promise.race([pool.close(), delay(closeTime, undefined, { ref: false })]);
  }
}

function verdict({ name, status, tools, problem }: ServerView, time: number): CheckResult {
  const silence = noAnswer(time);
  switch (status) {
    case 'running':
      return {
        state: 'ok',
        words: `${name} ok (${tools.length} ${tools.length === 1 ? 'tool' : 'tools'})`,
      };
    case 'disabled':
      return { state: 'ok', words: `${name} is disabled` };
    case 'requires-auth':
      return { state: 'note', words: `${name} needs a sign-in.`, fix: `Run parley mcp login ${name}` };
    case 'starting':
    case 'stopped':
    case 'failed':
      if (problem === undefined && silence === undefined)
        return { ...notKnown, words: `${name}: ${notKnown.words}` };
      return {
        state: 'broken',
        words: `${name} is not running: ${problem === undefined ? `It ${silence}` : eachOnce(problem)}`,
        fix: `Fix it in the settings, or run parley mcp remove ${name}`,
      };
    default:
      return status satisfies never;
  }
}

/** Errors that wrap each other repeat their cause: `a: b: b` says no more than `a: b`. */
function eachOnce(problem: string): string {
  return problem
    .split(': ')
    .filter((part, at, all) => at === 0 || !all[at - 1]?.startsWith(part.replace(/\.?$/, '')))
    .join(': ');
}
