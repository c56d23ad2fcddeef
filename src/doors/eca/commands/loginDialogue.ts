// The state of one sign-in that happens in a chat.
import type { LoginField } from '../../../protocols/eca/serviceMessages.ts';
import type { LoginChoice } from './loginChoice.ts';

export interface LoginDialogue {
  readonly provider: string | undefined;
  readonly method: string | undefined;
  /** The fields that the provider needs. */
  readonly fields: readonly LoginField[];
  /** The fields that the user has filled in. */
  readonly values: { readonly [key: string]: string };
  /** What the client asks its user, until the answer has come. */
  readonly choice?: LoginChoice | undefined;
  /** Set while the user signs in on a page of the provider, which only this host hears of. */
  readonly isElsewhere?: true | undefined;
  /**
   * Present while the client asks its user, or the user signs in elsewhere; the next chat message aborts it.
   */
  readonly asking?: AbortController | undefined;
}

/** The first field without a value. */
export function nextField({ fields, values }: LoginDialogue): LoginField | undefined {
  return fields.find(({ key }) => !Object.hasOwn(values, key));
}
