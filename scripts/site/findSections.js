// The search of the documentation site.

const most = 12;

/** The sections that contain every word of the query, the best first: in a title, in a heading, in the text. */
export function findSections(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ section }) => section);
}

/** Zero unless every word is there. */
function scoreOf({ page, heading, text }, words) {
  let score = 0;
  for (const word of words) {
    const found =
      (heading.toLowerCase().includes(word) ? 8 : 0) +
      (page.toLowerCase().includes(word) ? 4 : 0) +
      (text.toLowerCase().includes(word) ? 1 : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

/** The text around the first word, at most about 120 characters. */
export function excerptOf(text, query) {
  const [word = ''] = query.toLowerCase().split(/\s+/).filter(Boolean);
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const from = Math.max(0, at - 40);
  return `${from > 0 ? '...' : ''}${text.slice(from, from + 120)}${text.length > from + 120 ? '...' : ''}`;
}
