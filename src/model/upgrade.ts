// Upgrades events of every released format to the current one. An unknown format is refused, never guessed.
import { isRecord } from '../base/isRecord.ts';
import type { Event, Json } from './event.ts';
import { fromFormat1 } from './format1/upgradeFormat1.ts';

/** The format of new entries. */
export const format = 2;

export interface StoredEvent {
  readonly [key: string]: Json;
}

type Upgrade = (old: StoredEvent) => StoredEvent;

/** The step from each older format to the one after it. */
const steps: { readonly [from: number]: Upgrade } = { 1: fromFormat1 };

/** Whether only a newer program can read entries of that format. */
export function isNewer(from: number): boolean {
  return from > format;
}

/** The event in the current format; undefined if the stored value is not an event of that format. */
export function upgrade(stored: Json, from: number): Event | undefined {
  if (isNewer(from) || from < 1 || !isRecord(stored)) return undefined;
  let value = stored;
  for (let at = from; at < format; at += 1) value = steps[at]?.(value) ?? value;
  return isEvent(value) ? value : undefined;
}

/**
 * Rows have a checksum and were written by us. An event kind of a newer release is kept and changes nothing.
 */
function isEvent(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}
