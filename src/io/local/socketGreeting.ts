// The first and the last line of a connection to the private socket. Small, because every
// editor start loads it.

/** The first line of a connection. `wants` is a door's name or `control`. */
export interface Hello {
  readonly parley: 1;
  readonly wants: string;
  readonly options: { readonly [name: string]: string };
}

/** The reason for an orderly end; a connection without it was cut off. */
export interface Farewell {
  readonly exit: number;
  readonly message?: string;
  /** The host was stopped; the client has nothing to do with the end. */
  readonly stopped?: true;
}

/** Precedes the farewell. It cannot occur in JSON, which all protocols use. */
export const farewellMark = 0;

export function encodeHello(wants: string, options: Hello['options'] = {}): string {
  return `${JSON.stringify({ parley: 1, wants, options } satisfies Hello)}\n`;
}
