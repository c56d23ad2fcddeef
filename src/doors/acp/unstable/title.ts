// session/set_title: the user names the session; agents no longer rename it.
import { setTitleParams } from '../../../protocols/acp/v1/unstableSchema.ts';
import { call } from '../inbound/readParams.ts';
import type { Feature } from '../inbound/readParams.ts';
import { rejectionError } from '../errors.ts';
import { sessionNamed } from '../inbound/sessions.ts';

export const setTitle: Feature = [
  [
    'session/set_title',
    call(setTitleParams, async ({ connection }, { sessionId, title }) => {
      const session = await sessionNamed(connection, sessionId);
      const isFirst = session.head.order[0] === sessionId;
      const rejection = session.dispatch(
        isFirst
          ? { kind: 'changeSession', changes: { title } }
          : { kind: 'changeChat', chat: sessionId, title },
        connection.origin,
      );
      if (rejection) throw rejectionError(rejection, sessionId);
      await session.settled();
      return { title };
    }),
  ],
];
