// The programs of external agents that the host runs now, with memory and age.
import * as z from 'zod';
import type { ProgramView } from '../../agents/acp/process/agentProcesses.ts';
import { runningHost } from '../client/controlClient.ts';
import { columns } from '../say.ts';

const views = z.array(
  z.object({
    agent: z.string(),
    name: z.string(),
    cwd: z.string(),
    pid: z.number().optional(),
    sessions: z.number(),
    busy: z.boolean(),
    age: z.number(),
    idle: z.number(),
    memory: z.number().exactOptional(),
  }),
);

/** Empty if no host is running, or an older one that does not tell. */
export async function runningPrograms(): Promise<readonly ProgramView[]> {
  const peer = await runningHost();
  if (!peer) return [];
  try {
    const read = views.safeParse(await peer.request('agents/running'));
    return read.success ? read.data.map(({ pid, ...rest }) => ({ ...rest, pid })) : [];
  } catch {
    return [];
  } finally {
    peer.close();
  }
}

export function runningText(running: readonly ProgramView[]): string {
  if (running.length === 0) return '';
  const rows = running.map(({ agent, pid, sessions, busy, age, idle, memory, cwd }) => [
    agent,
    `process ${pid ?? '?'}`,
    memory === undefined ? '' : `${Math.round(memory / 1_000_000)} MB`,
    `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    `started ${duration(age)} ago`,
    busy ? 'in use' : `idle for ${duration(idle)}`,
    cwd,
  ]);
  return ['', 'Running:', ...columns(rows).map((line) => `  ${line}`), ''].join('\n');
}

function duration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes < 1 ? `${Math.round(milliseconds / 1_000)} s` : `${minutes} min`;
}
