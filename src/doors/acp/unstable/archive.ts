// session/archive and session/unarchive, and the archive filter of session/list.
import { sessionParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { call } from '../inbound/readParams.ts';
import type { MethodHandler, Feature } from '../inbound/readParams.ts';
import { rejectionError } from '../errors.ts';
import { sessionNamed } from '../inbound/sessions.ts';

export const archive: Feature = [
  ['session/archive', put('away')],
  ['session/unarchive', put('back')],
];

function put(where: 'away' | 'back'): MethodHandler {
  return call(sessionParams, async ({ connection }, { sessionId }) => {
    const session = await sessionNamed(connection, sessionId);
    const rejection = session.dispatch(
      { kind: 'changeSession', changes: { archived: where === 'away' } },
      connection.origin,
    );
    if (rejection) throw rejectionError(rejection, sessionId);
    await session.settled();
    return {};
  });
}
