// `parley trust`: shows what a folder's settings say, asks, and lets exactly that take effect.
import { isRecord } from '../../base/isRecord.ts';
import { resolve } from 'node:path';
import { visibleText } from '../../base/visibleText.ts';
import { canonical } from '../../io/files/canonical.ts';
import { folderFile, loadFolder } from '../../io/settings/folder.ts';
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore, withoutSettings } from '../../io/settings/trust.ts';
import { confirmed, readArgs, UsageError } from '../say.ts';
import { print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { yes: { type: 'boolean' } });
  const folder = folderOf(positionals);
  const { hash, ours, eca, texts, scripts } = loadFolder(folder);
  const problems = [...ours.problems, ...eca.problems];
  if (hash === undefined && (problems.length > 0 || texts.length === 0)) {
    const why = problems[0]?.message ?? `${folderFile(folder)} does not exist.`;
    throw new Error(`Nothing to trust: ${why}`);
  }
  print(`The settings of ${visibleText(folder)}:\n`);
  // What a text stands for (a file, a command, a variable) is read only after trust; here the text is shown.
  for (const line of [...linesOf(eca.config), ...linesOf(ours.values)]) print(`  ${line}\n`);
  if (scripts.length > 0) print(`  scripts: ${scripts.map(({ path }) => visibleText(path)).join(', ')}\n`);
  if (texts.length > 0) print(`  texts for agents: ${texts.map((text) => visibleText(text)).join(', ')}\n`);
  for (const { message } of problems) printError(`parley: ${message}\n`);
  if (!values.yes && !process.stdin.isTTY)
    throw new Error('No terminal to ask on. Read the settings above, then add --yes.');
  if (!values.yes && !(await confirmed('Trust these settings?'))) {
    printError('parley: Nothing was trusted.\n');
    return 1;
  }
  // The hash is that of what was shown, whatever the files say by now.
  trustStore(settingsFiles(process.env).trust).trust(folder, hash ?? withoutSettings);
  print(`${visibleText(folder)} is trusted as it was shown.\n`);
  return 0;
}

export function folderOf(args: readonly string[]): string {
  if (args.length > 1) throw new UsageError('Name one folder, or none for this one.');
  return canonical(resolve(args[0] ?? '.'));
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
