// Has an AGENTS.md written. What was read for it is in the file then, so the chat forgets it and begins anew.
import type { Session } from '../../../host/session/session.ts';
import type { MessageId, TurnId } from '../../../model/event.ts';
import type { EcaConnection } from '../connection.ts';
import { chatPosition, say } from '../outbound/message.ts';
import type { PromptOverrides } from '../options.ts';
import type { CommandCall, CommandEffect } from './run.ts';

export function init(call: CommandCall): CommandEffect {
  return { ask: promptOverrides(call).init ?? usual, forgets: true };
}

/** The user's prompts for the agent of a chat. */
export function promptOverrides({
  connection: { workspace },
  session: { head },
}: CommandCall): PromptOverrides {
  const { prompts, agentPrompts } = workspace.configuration;
  return { ...prompts, ...agentPrompts?.[head.mode ?? head.agent] };
}

const usual =
  'Look at this workspace and write an AGENTS.md in its first folder, or renew the one that is there. Say in few words what the project is, how it is built, tested and run, where things are, and which conventions its code follows. Write only what you have seen in the files.';

/** Clears a chat once the turn of a message is done. One that was stopped or failed can be gone on with; where somebody has more to say already, a summary takes the place of what came before. */
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
      { kind: 'compactChat', chat, summary: written, after: turn },
      connection.profile.origin,
    );
  if (session.dispatch({ kind: 'truncateChat', chat }, connection.profile.origin)) return;
  await session.settled().catch(() => {});
  if (connection.chats.follows(session, chat))
    connection.sender.deliver(
      say(chatPosition(session.state, chat), 'system', {
        type: 'text',
        text: '\nThis chat begins anew: what was found out is in AGENTS.md, and agents read that.\n',
      }),
    );
}

const written = 'The workspace was looked at, and what was found out about it is in its AGENTS.md now.';
