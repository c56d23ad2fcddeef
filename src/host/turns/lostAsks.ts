// Tells what waited for an answer when the host ended, where the agent cannot use the answer any more:
// subagents end with their host, and an agent may be gone.
import type { Ask } from '../../model/event.ts';
import type { Chat } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import { rootOf } from './subagents.ts';

/** The notices are in the outermost chat, where people look. */
export function tellLostAsks(session: Session, { id, asks }: Chat, agent = 'The agent'): void {
  const chat = rootOf(session.head, id);
  const turn = session.head.chats[chat]?.active?.id;
  if (turn === undefined) return;
  for (const { ask } of Object.values(asks)) {
    const who = chat === id ? agent : 'The subagent';
    const report = { kind: 'notice.added', level: 'warning', text: lostText(ask, who) } as const;
    session.dispatch({ kind: 'report', chat, turn, report }, { kind: 'host' });
  }
}

function lostText(ask: Ask, who: string): string {
  const what =
    ask.kind === 'approval'
      ? `${ask.title}\nwaited for your approval when Parley was restarted. It was not run.`
      : `${ask.message}\nwaited for your answer when Parley was restarted.`;
  return `${what} ${who} cannot use an answer any more: send a message to go on, and it asks again if it must.`;
}
