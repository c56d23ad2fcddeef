// Values as the log takes them.
import type { Json } from '../../../model/event.ts';

/** The same value without what is absent. */
export function plain(value: object): Json {
  return parse(JSON.stringify(value));
}

export const parse: (text: string) => Json = JSON.parse;
