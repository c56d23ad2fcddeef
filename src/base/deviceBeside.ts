// The device of a client beside the client's own name.

interface ClientNames {
  readonly name?: string | undefined;
  readonly device?: string | undefined;
}

/**
 * The device to show beside the name of a client; none where both have the same name: a browser is signed in
 * under the name that it gives itself.
 */
export function deviceBeside({ name, device }: ClientNames): string | undefined {
  return device === name ? undefined : device;
}
