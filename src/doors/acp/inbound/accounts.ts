// Authentication: the methods that we offer to clients. The application manages the accounts.
import { authenticateParams, noParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { authRequired } from '../../../protocols/acp/v1/methods.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { call } from './readParams.ts';
import type { Feature } from './readParams.ts';
import { invalidParams } from '../errors.ts';
import { keysMethod, loginMethod } from '../initialize.ts';
import type { AcpOptions } from '../options.ts';

/** The accounts at model providers on this machine. */
export interface Accounts {
  list(): readonly Account[];
  /** Reads the keys again, because they may have changed. */
  refresh(): void;
  /** Deletes all stored sign-ins; keys in the environment stay. */
  forget(): void;
  watch(changed: () => void): () => void;
}

export interface Account {
  /** A description for the user; never the key itself. */
  readonly label: string;
  readonly active: boolean;
}

export const signingIn: Feature = [
  ['authenticate', call(authenticateParams, ({ options }, { methodId }) => signIn(options, methodId))],
  ['logout', call(noParams, ({ options }) => signOut(options))],
];

type AccountOptions = Pick<AcpOptions, 'accounts'>;

/** Throws an error for the client if nobody is signed in then. */
export function signIn({ accounts }: AccountOptions, methodId: string): object {
  if (methodId === loginMethod.id)
    throw invalidParams(
      `${loginMethod.name}: start this program with ${loginMethod.args.join(' ')} in a terminal, ` +
        'then initialize again.',
    );
  if (methodId !== keysMethod.id)
    throw invalidParams(`Unknown sign-in method ${methodId}.`, { methods: [keysMethod.id] });
  accounts?.refresh();
  if (accounts && accounts.list().length === 0)
    throw new RpcError(
      authRequired,
      'No key was found. Set one in the environment or store one with "parley login PROVIDER".',
    );
  return {};
}

export function signOut({ accounts }: AccountOptions): object {
  accounts?.forget();
  return {};
}
