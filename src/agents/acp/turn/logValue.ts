// Converts values for the log.
import type { Json } from '../../../model/event.ts';

/** The value without undefined members. */
export function plain(value: object): Json {
  return parse(JSON.stringify(value));
}

export const parse: (text: string) => Json = JSON.parse;
