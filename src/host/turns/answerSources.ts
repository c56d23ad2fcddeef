// The sources of an answer as a list of links below it, as it is written into the log and read from it again. Pure.

export interface Source {
  readonly title: string;
  readonly url: string;
}

/** Titles and addresses must hold nothing that would end their link. Empty where there is nothing to link to. */
export function sourceList(sources: readonly Source[]): string {
  return sources.length === 0
    ? ''
    : `${heading}${sources.map(({ title, url }) => `- [${title}](${url})`).join('\n')}\n`;
}

/** The sources in a text that is such a list and nothing else; nothing where it is any other text. */
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
