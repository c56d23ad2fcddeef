// The sources that a model cites, without duplicates and safe to link to. Only web addresses become links.
import type { Content, WebSource } from '../../../../../model/event.ts';

export interface Citation {
  readonly url: string;
  readonly title: string | undefined;
}

export function webSources(cited: readonly Citation[]): readonly WebSource[] {
  const seen = new Set<string>();
  return cited.flatMap(({ url, title }) => {
    const address = addressOf(url);
    if (address === undefined || seen.has(address)) return [];
    seen.add(address);
    return [{ title: plain(title) || address, url: address }];
  });
}

/** The sources as a list of links at the end of an answer. */
export function sourceList(sources: readonly WebSource[]): string {
  return `\n\nSources:\n${sources.map(({ title, url }) => `- [${title}](${url})`).join('\n')}\n`;
}

/** The results of a search as the content of a tool result. */
export function linksTo(cited: readonly Citation[]): readonly Content[] {
  return webSources(cited)
    .slice(0, mostLinks)
    .map(({ title, url }) => ({ type: 'link', uri: url, name: title }));
}

const mostLinks = 50;

function addressOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' || protocol === 'http:'
    ? href.replaceAll('(', '%28').replaceAll(')', '%29')
    : undefined;
}

/** A title without characters that would end a Markdown link. */
function plain(title: string | undefined): string {
  return (title ?? '')
    .replaceAll(/[[\]\\`<>]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}
