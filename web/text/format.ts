// Formats times, sizes, paths and session statuses for display.
import type { RememberedAnswer } from '../../client/connection/extensions.ts';
import { fileUri } from '../../src/base/fileUri.ts';
import { deviceBeside } from '../../src/base/deviceName.ts';
import { visibleText } from '../../src/base/visibleText.ts';
import { statusBits } from '../../src/protocols/ahp/status.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';

/** The age of a point in time, for example `5 min`; a date after 30 days. */
export function formatAge(time: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return '';
  if (seconds < 60) return 'now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return time.slice(0, 10);
}

/** When something happened, for example `5 min ago`; a date after 30 days. */
export function formatSince(since: number, now: number): string {
  const age = formatAge(new Date(since).toISOString(), now);
  if (age === 'now') return 'just now';
  return now - since < 30 * 86_400_000 ? `${age} ago` : age;
}

/** Who did something, and on which device. Clients and devices choose their names. */
export function byWhom(by: NonNullable<RememberedAnswer['by']>): string {
  const place = by.device === undefined ? 'this computer' : deviceBeside(by);
  const name = by.name ?? by.door ?? by.kind;
  return `by ${visibleText(place === undefined ? name : `${name} on ${place}`)}`;
}

export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The words on a button that shows the rest of a text. */
export function showMoreLines(count: number): string {
  return `Show ${count} more ${count === 1 ? 'line' : 'lines'}`;
}

export function formatTokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Dollars; a dash if nobody knows the price. */
export function formatCost(cost: number | undefined): string {
  if (cost === undefined) return '–';
  return `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
}

export function formatSize(characters: number): string {
  if (characters < 1024) return `${characters} B`;
  if (characters < 1024 * 1024) return `${Math.round(characters / 1024)} KB`;
  return `${(characters / 1024 / 1024).toFixed(1)} MB`;
}

/** The path of a file URI; any other URI unchanged. */
export function pathOf(uri: URI): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname) || '/';
  } catch {
    return uri;
  }
}

/** The path with `~` for the home folder of the host's user, as a person would type it. */
export function shortPath(path: string, home: string | undefined): string {
  if (home === undefined || home === '/') return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The last part of the path. */
export function nameOf(uri: URI): string {
  return (
    pathOf(uri)
      .split('/')
      .findLast((part) => part !== '') ?? uri
  );
}

/** The URI of a path that the user typed; a URI stays as it is. */
export function toUri(pathOrUri: string): URI {
  const trimmed = pathOrUri.trim();
  return /^[a-z][a-z0-9+.-]+:/i.test(trimmed) ? trimmed : fileUri(trimmed);
}

/** What the console shows of a session's status bits. */
export type StatusKind = 'waiting' | 'failed' | 'running' | 'unread' | 'idle';

export function statusKindOf(status: number): StatusKind {
  if (hasBit(status, statusBits.inputNeeded - statusBits.inProgress)) return 'waiting';
  if (hasBit(status, statusBits.error)) return 'failed';
  if (hasBit(status, statusBits.inProgress)) return 'running';
  return isRead(status) ? 'idle' : 'unread';
}

export function isArchived(status: number): boolean {
  return hasBit(status, statusBits.isArchived);
}

export function isRead(status: number): boolean {
  return hasBit(status, statusBits.isRead);
}

/** Bitwise operators would cut the status to 32 bits. */
function hasBit(status: number, bit: number): boolean {
  return Math.floor(status / bit) % 2 === 1;
}

export const statusLabels: Readonly<Record<StatusKind, string>> = {
  waiting: 'Needs you',
  failed: 'Failed',
  running: 'Running',
  unread: 'Unread',
  idle: 'Idle',
};
