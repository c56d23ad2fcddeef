// Signing in to model providers, as every client can offer it: which ways there are, what comes next, and how things stand. Words are for people; no secret passes here but inwards.
import type { NotPossible } from '../ports.ts';

export interface Logins {
  /** How things stand with a provider. */
  state(provider: string): LoginState;
  /** Begins; where there are several ways and none is named, they are offered. Whoever begins anew has given up what was begun before. */
  begin(provider: string, way?: string): Promise<LoginStep | NotPossible>;
  /** What the user filled in. */
  answer(provider: string, fields: { readonly [key: string]: string }): Promise<NotPossible | undefined>;
  /** Forgets key and sign-in; false where there was none. */
  forget(provider: string): boolean;
  /** Calls back when anything about a provider has changed. */
  watch(changed: (provider: string) => void): () => void;
}

export type LoginState =
  | { readonly kind: 'none' }
  | { readonly kind: 'key' }
  /** `expires` is when it has to be renewed, which happens by itself where `renews` is set. */
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

/** `done` resolves when the user has done their part elsewhere; undefined where all went well. */
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

/** An authorization server and what it knows us by. */
export interface OAuthPlace {
  readonly authorize: string;
  readonly token: string;
  readonly device?: string;
  readonly clientId: string;
  readonly scope: string;
  /** How the token server wants to be asked. */
  readonly body: 'form' | 'json';
  /** Further parameters of the page. */
  readonly parameters?: { readonly [name: string]: string };
  /** Where the browser comes back to on this machine, or the page that shows a code to paste. */
  readonly redirect?: string | { readonly port: number; readonly path: string };
}
