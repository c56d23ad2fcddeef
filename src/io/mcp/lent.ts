// Tokens that clients lend us for servers on the network: written nowhere, sent only to the address that asked, and gone with this host.

export class Lent {
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();

  of(url: string): string | undefined {
    const known = this.#tokens.get(url);
    return known && known.until > Date.now() ? known.token : undefined;
  }

  /** Replaces what was lent before; `expiresIn` is in seconds. */
  set(
    url: string,
    { token, expiresIn }: { readonly token: string; readonly expiresIn?: number | undefined },
  ): void {
    this.#tokens.set(url, {
      token,
      until: expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresIn * 1000,
    });
  }

  /** Whether there was one, also where it does not hold any more. */
  drop(url: string): boolean {
    return this.#tokens.delete(url);
  }
}
