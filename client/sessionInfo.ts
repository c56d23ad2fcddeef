// A session of the list, in the words of the library. Pure.
import { statusBits } from '../src/protocols/ahp/status.ts';
import type { SessionSummary } from '../src/protocols/ahp/v1_0/state.ts';
import type { SessionInfo, SessionStatus } from './api.ts';

export function sessionInfo(summary: SessionSummary): SessionInfo {
  const folder = summary.workingDirectories?.[0];
  return {
    id: sessionId(summary.resource),
    title: summary.title,
    agent: summary.provider,
    folder: folder === undefined ? undefined : decodeURIComponent(new URL(folder).pathname),
    status: statusOf(summary.status),
    archived: Math.floor(summary.status / statusBits.isArchived) % 2 === 1,
    modified: summary.modifiedAt,
  };
}

/** The part of the address behind the scheme, which may be the agent's. */
function sessionId(uri: string): string {
  return decodeURIComponent(uri.slice(uri.indexOf(':') + 1).replace(/^\//, ''));
}

function statusOf(status: number): SessionStatus {
  const activity = status % 32;
  if (activity === statusBits.inputNeeded) return 'waiting';
  if (activity === statusBits.inProgress) return 'working';
  return activity === statusBits.error ? 'error' : 'idle';
}
