// `parley trust`: shows what a folder's settings say, asks, and lets exactly that take effect.
import { resolve } from 'node:path';
import { visibleText } from '../../base/visibleText.ts';
import { canonical } from '../../io/files/canonical.ts';
import { variableFiles } from '../../io/processes/variableFiles.ts';
import { folderFile, loadFolder } from '../../io/settings/folder.ts';
import { folderSummary } from '../../io/settings/folderSummary.ts';
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore, withoutSettings } from '../../io/settings/trust.ts';
import { refreshHost } from '../client/controlClient.ts';
import { confirm, readArgs, UsageError } from '../say.ts';
import { print, printError } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { yes: { type: 'boolean' }, list: { type: 'boolean' } });
  if (values.list) return listDecisions(positionals);
  const folder = folderArgument(positionals);
  const loaded = loadFolder(folder);
  const { hash, ours, eca, texts } = loaded;
  const variables = variableFiles(folder);
  const problems = [...ours.problems, ...eca.problems];
  if (hash === undefined && (problems.length > 0 || texts.length + variables.length === 0)) {
    const why = problems[0]?.message ?? `${folderFile(folder)} does not exist.`;
    throw new Error(`Nothing to trust: ${why}`);
  }
  print(`The settings of ${visibleText(folder)}:\n`);
  for (const line of folderSummary(loaded, variables)) print(`  ${line}\n`);
  for (const { message } of problems) printError(`parley: ${message}\n`);
  if (!values.yes && !process.stdin.isTTY)
    throw new Error('No terminal to ask on. Read the settings above, then add --yes.');
  if (!values.yes && !(await confirm('Trust these settings?'))) {
    printError('parley: Nothing was trusted.\n');
    return 1;
  }
  // The hash is that of what was shown, whatever the files say by now.
  trustStore(settingsFiles(process.env).trust).trust(folder, hash ?? withoutSettings);
  await refreshHost();
  print(`${visibleText(folder)} is trusted as it was shown.\n`);
  return 0;
}

export function folderArgument(args: readonly string[]): string {
  if (args.length > 1) throw new UsageError('Name one folder, or none for this one.');
  return canonical(resolve(args[0] ?? '.'));
}

function listDecisions(folders: readonly string[]): number {
  if (folders.length > 0) throw new UsageError('--list lists all folders; name none.');
  const decisions = trustStore(settingsFiles(process.env).trust).list();
  if (decisions.length === 0) printError('parley: You have not decided about any folder.\n');
  for (const { folder, decision } of decisions) print(`${decisionNames[decision]}  ${visibleText(folder)}\n`);
  return 0;
}

/** Of equal length, so that the folders stand below each other. */
const decisionNames = { trusted: 'trusted', refused: 'never  ', declined: 'not now' } as const;
