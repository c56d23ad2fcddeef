// Shared by all sources of AWS credentials: reading fields of responses, and the error
// for missing credentials.

/** The message is for users and has no full stop at the end. */
export class NoCredentials extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'NoCredentials';
  }
}

export function textAt(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
}
