// Writes the sources of an answer as a list of links, and reads such a list back. Pure.

export interface Source {
  readonly title: string;
  readonly url: string;
}

/** Titles and URLs must not contain characters that end a link. Empty without sources. */
export function sourceList(sources: readonly Source[]): string {
  return sources.length === 0
    ? ''
    : `${heading}${sources.map(({ title, url }) => `- [${title}](${url})`).join('\n')}\n`;
}

/** The sources of a text that is exactly such a list; undefined for any other text. */
export function sourcesIn(text: string): readonly Source[] | undefined {
  if (!text.startsWith(heading) || !text.endsWith('\n')) return undefined;
  const found = text
    .slice(heading.length, -1)
    .split('\n')
    .map((line) => /^- \[([^\]]+)\]\((https?:\/\/[^\s()]+)\)$/.exec(line));
  return found.every((match) => match !== null)
    ? found.map(([, title = '', url = '']) => ({ title, url }))
    : undefined;
}

const heading = '\n\nSources:\n';
