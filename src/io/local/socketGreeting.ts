// What passes over the private socket besides the protocols: a first line and a last one. Tiny, since every editor start loads it.

/** The first line of a connection. `wants` is a door's name or `control`. */
export interface Hello {
  readonly parley: 1;
  readonly wants: string;
  readonly options: { readonly [name: string]: string };
}

/** How a connection ended in good order; what comes without it was cut. */
export interface Farewell {
  readonly exit: number;
  readonly message?: string;
}

/** Stands before the farewell. It cannot occur in any of the protocols, which are all JSON text. */
export const farewellMark = 0;

export function encodeHello(wants: string, options: Hello['options'] = {}): string {
  return `${JSON.stringify({ parley: 1, wants, options } satisfies Hello)}\n`;
}
