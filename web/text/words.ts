// Numbers, times, places and states in words that fit on a line.
import { fileUri } from '../../src/base/fileUri.ts';
import { statusBits } from '../../src/protocols/ahp/status.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';

export function ago(time: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return '';
  if (seconds < 60) return 'now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return time.slice(0, 10);
}

export function lasting(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

export function size(characters: number): string {
  return characters < 1024
    ? `${characters} B`
    : characters < 1024 * 1024
      ? `${Math.round(characters / 1024)} KB`
      : `${(characters / 1024 / 1024).toFixed(1)} MB`;
}

/** The path of a file URI, and any other URI as it is. */
export function placeOf(uri: URI): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname) || '/';
  } catch {
    return uri;
  }
}

export function nameOf(uri: URI): string {
  return (
    placeOf(uri)
      .split('/')
      .findLast((part) => part !== '') ?? uri
  );
}

/** A path that a person typed, as a URI; what already is a URI stays. */
export function typedFileUri(path: string): URI {
  const trimmed = path.trim();
  if (/^[a-z][a-z0-9+.-]+:/i.test(trimmed)) return trimmed;
  return fileUri(trimmed);
}

export type Standing = 'waiting' | 'failed' | 'running' | 'unread' | 'idle';

export function standingOf(status: number): Standing {
  const has = (bits: number) => Math.floor(status / bits) % 2 === 1;
  if (has(16)) return 'waiting';
  if (has(statusBits.error)) return 'failed';
  if (has(statusBits.inProgress)) return 'running';
  return has(statusBits.isRead) ? 'idle' : 'unread';
}

export function isArchived(status: number): boolean {
  return Math.floor(status / statusBits.isArchived) % 2 === 1;
}

export function isRead(status: number): boolean {
  return Math.floor(status / statusBits.isRead) % 2 === 1;
}

export const standingWords: Readonly<Record<Standing, string>> = {
  waiting: 'Needs you',
  failed: 'Failed',
  running: 'Running',
  unread: 'Unread',
  idle: 'Idle',
};
