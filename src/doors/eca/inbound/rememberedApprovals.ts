// What a user lets run from now on holds in all chats that were begun in the same editor, as long as it is there.
import type { Session } from '../../../host/session/session.ts';
import { withRules } from '../../../model/decideAsk.ts';
import type { Rule } from '../../../model/event.ts';
import type { Connection } from '../connection.ts';

/** Takes the rules that an answer has added to one of the chats into all others. */
export function remember(connection: Connection, session: Session, before: readonly Rule[]): void {
  const added = session.head.rules.filter((rule) => !before.includes(rule));
  if (added.length === 0 || !connection.begun.has(session.id)) return;
  connection.remembered = withRules(connection.remembered, added);
  for (const id of connection.begun) {
    const other = connection.host.opened(id);
    if (other && other !== session) recall(connection, other);
  }
}

/** Gives a chat what was remembered before it began. */
export function recall(
  { remembered, origin }: Pick<Connection, 'remembered' | 'origin'>,
  session: Session,
): void {
  const rules = remembered.filter((rule) => !session.head.rules.includes(rule));
  if (rules.length > 0)
    session.dispatch(
      { kind: 'changeSession', changes: { rules: withRules(session.head.rules, rules) } },
      origin,
    );
}
