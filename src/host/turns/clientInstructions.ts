// What clients have attached to a session: kept in the log as it came, handed to agents, and otherwise nobody's business.
import type { Command } from '../../model/command.ts';
import type { Json } from '../../model/event.ts';
import type { State } from '../../model/state.ts';

/** Instructions of a client: beside what the agent tells its model by itself, or instead of it. */
export interface GivenPrompt {
  readonly mode: 'append' | 'override';
  readonly text: string;
}

export function attachMeta(value: Json): Command {
  return { kind: 'note', door, key: 'meta', value };
}

export function metaOf({ notes }: Pick<State, 'notes'>): Json | undefined {
  return notes[`${door}:meta`];
}

export function attachPrompt({ mode, text }: GivenPrompt): Command {
  return { kind: 'note', door, key: 'systemPrompt', value: { mode, text } };
}

export function givenPrompt({ notes }: Pick<State, 'notes'>): GivenPrompt | undefined {
  const value = notes[`${door}:systemPrompt`];
  if (typeof value !== 'object' || value === null || !('mode' in value) || typeof value['text'] !== 'string')
    return undefined;
  return { mode: value['mode'] === 'override' ? 'override' : 'append', text: value['text'] };
}

const door = 'client';
