// session/set_title: a human names the session, and no agent renames it afterwards.
import { setTitleParams } from '../../../protocols/acp/v1/unstableSchema.ts';
import { call } from '../call.ts';
import type { Feature } from '../call.ts';
import { refused } from '../errors.ts';
import { sessionNamed } from '../sessions.ts';

export const title: Feature = [
  ['session/set_title', call(setTitleParams, async ({ connection }, { sessionId, title: words }) => {
    const session = await sessionNamed(connection, sessionId);
    const isFirst = session.head.order[0] === sessionId;
    const rejection = session.dispatch(
      isFirst ? { kind: 'changeSession', changes: { title: words } } : { kind: 'changeChat', chat: sessionId, title: words }, connection.origin,
    );
    if (rejection) throw refused(rejection, sessionId);
    await session.settled();
    return { title: words };
  })],
];
