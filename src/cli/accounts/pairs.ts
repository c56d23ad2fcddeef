// Reads options such as `--env NAME=VALUE`.
import { UsageError } from '../say.ts';

export function pairs(texts: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(
    texts.map((text) => {
      const end = text.indexOf('=');
      if (end < 1) throw new UsageError(`Invalid value "${text}". Use NAME=VALUE.`);
      return [text.slice(0, end), text.slice(end + 1)];
    }),
  );
}
