// auth/status and auth/status_update: the accounts. A sign-in is never required: the built-in
// model needs no account.
import { noParams } from '../../../protocols/acp/v1/agentSchema.ts';
import type { AuthStatus } from '../../../protocols/acp/v1/messages.ts';
import type { Accounts } from '../inbound/accounts.ts';
import { call } from '../inbound/readParams.ts';
import type { Feature } from '../inbound/readParams.ts';

/** Changes are sent only to clients that have called auth/status: others may not support the notification. */
export const authStatus: Feature = [
  [
    'auth/status',
    call(noParams, ({ connection, options: { accounts } }) => {
      let sent = statusOf(accounts);
      connection.startOnce('auth/status', () =>
        accounts?.watch(() => {
          const now = statusOf(accounts);
          if (JSON.stringify(now) === JSON.stringify(sent)) return;
          sent = now;
          connection.peer.notify('auth/status_update', now);
        }),
      );
      return sent;
    }),
  ],
];

function statusOf(accounts: Accounts | undefined): AuthStatus {
  const list = accounts?.list() ?? [];
  return { state: list.length > 0 ? 'authenticated' : 'not_required', accounts: list };
}
