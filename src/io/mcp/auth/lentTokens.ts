// Access tokens that clients lend the host for remote MCP servers. They stay in memory and go only to
// the server they are for.

export class LentTokens {
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();

  of(url: string): string | undefined {
    const entry = this.#tokens.get(url);
    return entry && entry.until > Date.now() ? entry.token : undefined;
  }

  /** Replaces an earlier token for the URL; `expiresIn` is in seconds. */
  set(
    url: string,
    { token, expiresIn }: { readonly token: string; readonly expiresIn?: number | undefined },
  ): void {
    this.#tokens.set(url, {
      token,
      until: expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresIn * 1000,
    });
  }

  /** True if there was a token, expired or not. */
  drop(url: string): boolean {
    return this.#tokens.delete(url);
  }
}
