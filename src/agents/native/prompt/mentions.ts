// Paths that a message mentions: `@src/a.ts`, `@src/a.ts:L3-L9`, `@"a name with blanks"`.

export interface Mention {
  readonly path: string;
  readonly lines?: { readonly start: number; readonly end: number };
}

/** A message with more mentions than this does not mean that all of them should be read. */
const most = 20;

export function mentionsIn(text: string): readonly Mention[] {
  const found = [...text.matchAll(/(?:^|[\s([{,;])@(?:"([^"\n]+)"|([^\s"'`,;()[\]{}<>@]+))/g)].map(
    ([, quoted, plain = '']) => mentionOf(quoted ?? plain.replace(/[.:!?]+$/, '')),
  );
  return [...new Map(found.map((mention) => [JSON.stringify(mention), mention])).values()].slice(0, most);
}

function mentionOf(word: string): Mention {
  const [, path, first, last] = /^(.+?):L(\d+)(?:-L?(\d+))?$/.exec(word) ?? [];
  if (path === undefined) return { path: word };
  return { path, lines: { start: Number(first), end: Number(last ?? first) } };
}
