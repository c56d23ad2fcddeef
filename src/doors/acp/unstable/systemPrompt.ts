// systemPrompt of session/new, load, resume and fork: instructions of the client for the model, kept with the session.
import { attachPrompt } from '../../../host/turns/clientInstructions.ts';
import type { AgentInfo } from '../../../host/agent.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Command } from '../../../model/command.ts';
import type { Origin } from '../../../model/event.ts';
import type { SystemPrompt } from '../../../protocols/acp/v1/unstableSchema.ts';
import { invalidParams } from '../errors.ts';

/** Throws an error meant for the wire where the agent cannot follow it, so that no session is made without. */
export function readSystemPrompt(
  prompt: SystemPrompt | undefined,
  agent: AgentInfo | undefined,
): Command | undefined {
  if (!prompt) return undefined;
  const { mode, content } = prompt;
  if (mode !== 'append' && mode !== 'override')
    throw invalidParams(`A system prompt is given with append or override, not with ${mode}.`);
  const texts = content.map((block) => (block.type === 'text' ? block.text : undefined));
  if (texts.length === 0 || texts.includes(undefined))
    throw invalidParams('A system prompt is made of one or more texts.');
  const takes = agent?.accepts?.systemPrompt;
  if (takes === undefined || (mode === 'override' && takes === 'append')) {
    throw invalidParams(
      `${agent?.name ?? 'This agent'} cannot be given a system prompt${takes === undefined ? '' : ' instead of its own'}.`,
    );
  }
  return attachPrompt({ mode, text: texts.join('\n\n') });
}

export function giveSystemPrompt(session: Session, command: Command | undefined, by: Origin): void {
  if (command) session.dispatch(command, by);
}
