// The port to sign-ins at model providers, for every client: the methods, the next step, and the current
// state. Secrets only go in, never out.
import type { NotPossible } from '../ports.ts';

export interface Logins {
  /** The sign-in state of a provider. */
  state(provider: string): LoginState;
  /**
   * Starts a sign-in; returns the methods if there are several and none is named. A new start
   * cancels the one before.
   */
  begin(provider: string, way?: string): Promise<LoginStep | NotPossible>;
  /** Submits the user's input. */
  answer(provider: string, fields: { readonly [key: string]: string }): Promise<NotPossible | undefined>;
  /** Removes key and sign-in; false if there was none. */
  forget(provider: string): boolean;
  /** Calls back when a provider's state has changed. */
  watch(changed: (provider: string) => void): () => void;
}

export type LoginState =
  | { readonly kind: 'none' }
  | { readonly kind: 'key' }
  /** `expires` is when it must be renewed; with `renews` that happens automatically. */
  | { readonly kind: 'signed-in'; readonly way: string; readonly expires?: number; readonly renews: boolean };

export interface LoginWay {
  readonly key: string;
  readonly label: string;
}

export interface LoginField {
  readonly key: string;
  readonly label: string;
  readonly type: 'secret' | 'text';
}

/** `done` resolves when the user has finished in the browser; undefined if it succeeded. */
export type LoginStep =
  | { readonly kind: 'choose'; readonly ways: readonly LoginWay[] }
  | { readonly kind: 'fields'; readonly fields: readonly LoginField[] }
  | { readonly kind: 'visit'; readonly url: string; readonly fields: readonly LoginField[] }
  | { readonly kind: 'visit'; readonly url: string; readonly done: Promise<NotPossible | undefined> }
  | {
      readonly kind: 'device';
      readonly url: string;
      readonly code: string;
      readonly done: Promise<NotPossible | undefined>;
    };

/** An authorization server and our client id there. */
export interface OAuthPlace {
  readonly authorize: string;
  readonly token: string;
  readonly device?: string;
  readonly clientId: string;
  readonly scope: string;
  /** The format of token requests. */
  readonly body: 'form' | 'json';
  /** Further parameters of the authorization URL. */
  readonly parameters?: { readonly [name: string]: string };
  /** The redirect address on this machine, or the page that shows a code to paste. */
  readonly redirect?: string | { readonly port: number; readonly path: string };
}
