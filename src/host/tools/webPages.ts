// The port to web pages, read without cookies or sign-in. Implemented under io.

export interface WebPage {
  /** The final URL after redirects. */
  readonly url: string;
  readonly type: string;
  readonly text: string;
}

/** Why a page could not be read; an expected refusal with text for the agent. */
export interface WebProblem {
  readonly problem: string;
}

export interface WebPages {
  /**
   * Takes normalized URLs. A URL that names this machine or its network is requested; a host name that
   * resolves there is refused.
   */
  read(url: string, signal: AbortSignal): Promise<WebPage | WebProblem>;
}
