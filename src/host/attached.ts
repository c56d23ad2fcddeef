// What the client that made a session has attached to it: kept in the log as it came, handed to agents, and otherwise nobody's business.
import type { Command } from '../model/command.ts';
import type { Json } from '../model/event.ts';
import type { State } from '../model/state.ts';

export function attachMeta(value: Json): Command {
  return { kind: 'note', door: 'client', key: 'meta', value };
}

export function metaOf({ notes }: Pick<State, 'notes'>): Json | undefined {
  return notes['client:meta'];
}
