// `parley trust`: says what a folder's settings would do, and lets them.
import { folderFile, loadFolder } from '../../io/settings/folder.ts';
import { openSettings, settingsFiles } from '../../io/settings/open.ts';
import { trustStore, withoutSettings } from '../../io/settings/trust.ts';
import { canonical } from '../../io/files/canonical.ts';
import { resolve } from 'node:path';
import { UsageError } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const folder = folderOf(args);
  const { hash, ours, eca, texts, scripts } = loadFolder(folder);
  const problems = [...ours.problems, ...eca.problems];
  if (hash === undefined && (problems.length > 0 || texts.length === 0))
    throw new Error(
      `there is nothing to trust: ${problems[0]?.message ?? `${folderFile(folder)} does not exist.`}`,
    );
  trustStore(settingsFiles(process.env).trust).trust(folder, hash ?? withoutSettings);
  const settings = openSettings({ env: process.env });
  const values = settings
    .sourced([folder])
    .filter(({ source }) => source === ours.file || source === eca.file);
  settings.close();
  process.stdout.write(`${folder} is trusted as it stands now. Its settings:\n`);
  if (scripts.length > 0)
    process.stdout.write(`  scripts that they run: ${scripts.map(({ path }) => path).join(', ')}\n`);
  if (texts.length > 0) process.stdout.write(`  told to agents: ${texts.join(', ')}\n`);
  for (const { key, value } of values) process.stdout.write(`  ${key} = ${JSON.stringify(value)}\n`);
  for (const { message } of problems) process.stderr.write(`parley: ${message}\n`);
  return 0;
}

export function folderOf(args: readonly string[]): string {
  if (args.length > 1 || args[0]?.startsWith('-'))
    throw new UsageError('name one folder, or none for this one.');
  return canonical(resolve(args[0] ?? '.'));
}
