// The sources a model names, as a list of links below its answer. Only web addresses become links.

export interface Source {
  readonly url: string;
  readonly title: string | undefined;
}

/** Empty where there is nothing to link to. */
export function sourceList(sources: readonly Source[]): string {
  const seen = new Set<string>();
  const lines = sources.flatMap(({ url, title }) => {
    const address = addressOf(url);
    if (address === undefined || seen.has(address)) return [];
    seen.add(address);
    return [`- [${plain(title) || address}](${address})`];
  });
  return lines.length === 0 ? '' : `\n\nSources:\n${lines.join('\n')}\n`;
}

function addressOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? href.replaceAll('(', '%28').replaceAll(')', '%29') : undefined;
}

/** A title that cannot end its own link. */
function plain(title: string | undefined): string {
  return (title ?? '').replaceAll(/[[\]\\`<>]/g, '').replaceAll(/\s+/g, ' ').trim().slice(0, 200);
}
