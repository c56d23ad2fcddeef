// The command `init`: the agent writes an AGENTS.md. The chat is cleared afterwards, because the
// file has the findings.
import type { Session } from '../../../host/session/session.ts';
import type { MessageId, TurnId } from '../../../model/event.ts';
import type { EcaConnection } from '../connection.ts';
import { chatPosition, say } from '../outbound/message.ts';
import type { PromptOverrides } from '../options.ts';
import type { CommandCall, CommandEffect } from './run.ts';

export function init(call: CommandCall): CommandEffect {
  return { ask: promptOverrides(call).init ?? defaultPrompt, forgets: true };
}

/** The user's prompts for the agent of a chat. */
export function promptOverrides({
  connection: { workspace },
  session: { head },
}: CommandCall): PromptOverrides {
  const { prompts, agentPrompts } = workspace.configuration;
  return { ...prompts, ...agentPrompts?.[head.mode ?? head.agent] };
}

const defaultPrompt = [
  'Look at this workspace and write an AGENTS.md in its first folder, or update the existing one.',
  'Say briefly what the project is, how it is built, tested and run, where things are, and which ' +
    'conventions its code follows.',
  'Write only what you have seen in the files.',
].join(' ');

/**
 * Clears a chat once the turn of a message has completed. A turn that was stopped or failed is kept, so that
 * the user can continue it. If the next turn is already running, a summary replaces what came before.
 */
export function forgetAfter(
  connection: EcaConnection,
  {
    session,
    chat,
    message,
  }: { readonly session: Session; readonly chat: string; readonly message: MessageId },
): void {
  const leave = session.follow((steps) => {
    for (const {
      entry: { event },
      before,
    } of steps) {
      if (
        !('chat' in event) ||
        event.chat !== chat ||
        (event.kind !== 'turn.ended' && event.kind !== 'chat.removed')
      )
        continue;
      if (event.kind === 'turn.ended' && before.chats[chat]?.active?.message.id !== message) continue;
      leave();
      if (event.kind === 'turn.ended' && event.outcome.kind === 'completed')
        void forget(connection, { session, chat, turn: event.turn });
      return;
    }
  });
}

async function forget(
  connection: EcaConnection,
  { session, chat, turn }: { readonly session: Session; readonly chat: string; readonly turn: TurnId },
): Promise<void> {
  if (session.head.chats[chat]?.active)
    return void session.dispatch(
      { kind: 'compactChat', chat, summary, after: turn },
      connection.profile.origin,
    );
  if (session.dispatch({ kind: 'truncateChat', chat }, connection.profile.origin)) return;
  await session.settled().catch(() => {});
  if (connection.chats.follows(session, chat))
    connection.sender.deliver(
      say(chatPosition(session.state, chat), 'system', {
        type: 'text',
        text: '\nChat cleared. The findings are in AGENTS.md, which agents read.\n',
      }),
    );
}

const summary = 'The workspace was analysed; the findings are in its AGENTS.md.';
