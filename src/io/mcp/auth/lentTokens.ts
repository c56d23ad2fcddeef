// What is only in memory about the sign-ins at remote MCP servers: access tokens that clients lend the host,
// which go only to the server they are for, and renewals of our own tokens.

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

  /**
   * Running renewals by URL: a renewal makes the old refresh token invalid, so two at the same time would
   * lose both.
   */
  readonly #renewals = new Map<string, Promise<void>>();

  /** Resolves when no renewal for the URL runs. */
  async renewed(url: string): Promise<void> {
    await this.#renewals.get(url);
  }

  async renew(url: string, renewal: Promise<void>): Promise<void> {
    const running = renewal.finally(() => this.#renewals.delete(url));
    this.#renewals.set(url, running);
    await running;
  }

  /** True if there was a token, expired or not. */
  drop(url: string): boolean {
    return this.#tokens.delete(url);
  }
}
