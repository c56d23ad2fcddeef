// session/status: whether a session is in memory or only stored. It does not load the session.
import { sessionParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { call } from '../inbound/readParams.ts';
import type { Feature } from '../inbound/readParams.ts';
import { unknownSession } from '../errors.ts';

export const status: Feature = [
  [
    'session/status',
    call(sessionParams, ({ connection: { host } }, { sessionId }) => {
      const owner = host.sessionOf(sessionId);
      if (owner === undefined) throw unknownSession(sessionId);
      return { status: host.opened(owner) ? 'open' : 'saved' };
    }),
  ],
];
