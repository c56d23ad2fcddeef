// What a signed-in page of the console signs to open a connection. The page and the host must agree on this
// text.

/** `origin` is the page's, with its port, so that a signature for one host is worth nothing to another. */
export function proofText(origin: string, challenge: string): string {
  return `Parley console\n${origin}\n${challenge}`;
}
