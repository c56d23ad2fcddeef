// auth/status and auth/status_update: which accounts there are. Nobody has to sign in, since the built-in model needs no account.
import { noParams } from '../../../protocols/acp/v1/agentSchema.ts';
import type { AuthStatus } from '../../../protocols/acp/v1/messages.ts';
import type { Accounts } from '../inbound/accounts.ts';
import { call } from '../inbound/readParams.ts';
import type { Feature } from '../inbound/readParams.ts';

/** Changes are told to those who have asked once: others may not know the word. */
export const authStatus: Feature = [
  [
    'auth/status',
    call(noParams, ({ connection, options: { accounts } }) => {
      let told = statusOf(accounts);
      connection.keep('auth/status', () =>
        accounts?.watch(() => {
          const now = statusOf(accounts);
          if (JSON.stringify(now) === JSON.stringify(told)) return;
          told = now;
          connection.peer.notify('auth/status_update', now);
        }),
      );
      return told;
    }),
  ],
];

function statusOf(accounts: Accounts | undefined): AuthStatus {
  const list = accounts?.list() ?? [];
  return { state: list.length > 0 ? 'authenticated' : 'not_required', accounts: list };
}
