// What is common to all who give out keys: how their answers are read, and what is said where there are none.

/** In words for people, without an end mark. */
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
