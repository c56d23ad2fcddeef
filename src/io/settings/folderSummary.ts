// What a folder brings along, line by line, for a person who decides whether to trust it.
import { isRecord } from '../../base/isRecord.ts';
import { jsonText } from '../../base/jsonText.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { SettingsFolder } from './folder.ts';

/**
 * What a text stands for (a file, a command, a variable) is read only after trust; here the text is shown.
 */
export function folderSummary(
  { eca, ours, scripts, texts }: SettingsFolder,
  variables: readonly string[],
): readonly string[] {
  const list = (name: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${name}: ${items.map((item) => visibleText(item)).join(', ')}`];
  return [
    ...linesOf(eca.config),
    ...linesOf(ours.values),
    ...list(
      'scripts',
      scripts.found.map(({ path }) => path),
    ),
    ...list('texts for agents', texts),
    ...list('variables for external agents', variables),
  ];
}

/** One line for each value. A name that is more than a word is quoted: it cannot pass for another line. */
function linesOf(value: unknown, path = ''): readonly string[] {
  const isGroup = isRecord(value);
  if (!isGroup || Object.keys(value).length === 0) {
    return path === '' ? [] : [`${path} = ${visibleText(jsonText(value))}`];
  }
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const shown = /^[\w-]+$/.test(name) ? name : visibleText(jsonText(name));
    return linesOf(inner, path === '' ? shown : `${path}.${shown}`);
  });
}
