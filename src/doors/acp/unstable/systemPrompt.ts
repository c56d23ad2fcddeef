// `systemPrompt` of session/new, load, resume and fork: instructions of the client, stored with the session.
import { attachPrompt } from '../../../host/turns/clientInstructions.ts';
import type { AgentInfo } from '../../../host/agent.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Command } from '../../../model/command.ts';
import type { Origin } from '../../../model/event.ts';
import type { SystemPrompt } from '../../../protocols/acp/v1/unstableSchema.ts';
import { invalidParams } from '../errors.ts';

/** Throws an error for the client if the agent does not support it; no session is created then. */
export function readSystemPrompt(
  prompt: SystemPrompt | undefined,
  agent: AgentInfo | undefined,
): Command | undefined {
  if (!prompt) return undefined;
  const { mode, content } = prompt;
  if (mode !== 'append' && mode !== 'override')
    throw invalidParams(`Unknown system prompt mode ${mode}. Use append or override.`);
  const texts = content.map((block) => (block.type === 'text' ? block.text : undefined));
  if (texts.length === 0 || texts.includes(undefined))
    throw invalidParams('A system prompt needs at least one text.');
  const takes = agent?.accepts?.systemPrompt;
  if (takes === undefined || (mode === 'override' && takes === 'append')) {
    throw invalidParams(
      `${agent?.name ?? 'This agent'} does not support ` +
        `${takes === undefined ? 'a system prompt' : 'replacing its system prompt'}.`,
    );
  }
  return attachPrompt({ mode, text: texts.join('\n\n') });
}

export function giveSystemPrompt(session: Session, command: Command | undefined, by: Origin): void {
  if (command) session.dispatch(command, by);
}
