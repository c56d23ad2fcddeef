// What clients attach to a session for its agent: extensions and a system prompt.
import type { Command } from '../../model/command.ts';
import type { Extensions, SystemPrompt } from '../../model/event.ts';

export function attachExtensions(extensions: Extensions): Command {
  return { kind: 'record', fact: { kind: 'session.instructed', extensions } };
}

export function attachPrompt(prompt: SystemPrompt): Command {
  return { kind: 'record', fact: { kind: 'session.instructed', prompt } };
}
