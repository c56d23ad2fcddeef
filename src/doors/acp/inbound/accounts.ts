// Signing in and out as ACP knows it: the methods we offer, and what is done for each. Who the accounts are with is somebody else's business.
import { authenticateParams, noParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { authRequired } from '../../../protocols/acp/v1/methods.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { call } from './readParams.ts';
import type { Feature } from './readParams.ts';
import { invalidParams } from '../errors.ts';
import { keysMethod, loginMethod } from '../greeting.ts';

/** The accounts at model providers that this machine has. */
export interface Accounts {
  list(): readonly Account[];
  /** Looks again for keys, which may have been stored or set meanwhile. */
  refresh(): void;
  /** Forgets everything that was stored by signing in; what the environment holds stays. */
  forget(): void;
  watch(changed: () => void): () => void;
}

export interface Account {
  /** For people to read; never the key itself. */
  readonly label: string;
  readonly active: boolean;
}

export const signingIn: Feature = [
  [
    'authenticate',
    call(authenticateParams, ({ options: { accounts } }, { methodId }) => {
      if (methodId === loginMethod.id)
        throw invalidParams(
          `${loginMethod.name}: start this program with ${loginMethod.args.join(' ')} in a terminal, then initialize again.`,
        );
      if (methodId !== keysMethod.id)
        throw invalidParams(`There is no sign-in method ${methodId}.`, { methods: [keysMethod.id] });
      accounts?.refresh();
      if (accounts && accounts.list().length === 0)
        throw new RpcError(
          authRequired,
          'No key was found. Set one in the environment or store one with "parley login PROVIDER".',
        );
      return {};
    }),
  ],
  [
    'logout',
    call(noParams, ({ options: { accounts } }) => {
      accounts?.forget();
      return {};
    }),
  ],
];
