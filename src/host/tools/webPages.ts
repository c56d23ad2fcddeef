// The port to pages of the web, read once and without memory: no cookies, no sign-in. Implemented under io.

export interface WebPage {
  /** Where it was found in the end. */
  readonly url: string;
  readonly type: string;
  readonly text: string;
}

/** Why a page could not be read; an expected refusal, with words for the agent. */
export interface WebProblem {
  readonly problem: string;
}

export interface WebPages {
  /** Only addresses in their plain form. One that names this machine or its network is followed; a name that leads there is not. */
  read(url: string, signal: AbortSignal): Promise<WebPage | WebProblem>;
}
