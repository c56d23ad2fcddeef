// What clients attach to a session for its agent: opaque data and a system prompt.
import type { Command } from '../../model/command.ts';
import type { Json, SystemPrompt } from '../../model/event.ts';

export function attachMeta(meta: Json): Command {
  return { kind: 'record', fact: { kind: 'session.instructed', meta } };
}

export function attachPrompt(prompt: SystemPrompt): Command {
  return { kind: 'record', fact: { kind: 'session.instructed', prompt } };
}
