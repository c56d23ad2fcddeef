// `parley config`: prints the effective settings, their files, and the schema.
import { visibleText } from '../../base/visibleText.ts';
import { hideSecret } from '../../app/control/settingsView.ts';
import { folderFile } from '../../io/settings/folder.ts';
import { openSettings, settingsFiles } from '../../io/settings/open.ts';
import { readArgs, UsageError } from '../say.ts';
import { unknownWord } from '../suggest.ts';
import { print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

/** There is no `parley config set`; this says how settings are changed. */
const howToChange = 'To change a setting, edit a file that parley config path names.';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    json: { type: 'boolean' },
    markdown: { type: 'boolean' },
  });
  const [what = 'show', ...more] = positionals;
  if (more.length > 0) throw new UsageError(`"${more[0]}" is not understood here. Try parley config --help.`);
  switch (what) {
    case 'show':
      return show(values.json ?? false);
    case 'path':
      return path(values.json ?? false);
    case 'schema':
      return schema(values.markdown ?? false);
    default:
      throw new UsageError(`${unknownWord('config', what).message} ${howToChange}`);
  }
}

function show(json: boolean): number {
  const settings = openSettings({ env: process.env });
  const values = settings.sourced([process.cwd()]).map(hideSecret);
  const problems = settings.problems();
  settings.close();
  if (json) print(`${jsonText({ values, problems }, 2)}\n`);
  else
    for (const { key, value, source } of values)
      print(`${visibleText(key)} = ${visibleText(jsonText(value))}  (${visibleText(source)})\n`);
  for (const { message } of problems) printError(`parley: ${message}\n`);
  return problems.some(({ kind }) => kind !== 'untrusted') ? 1 : 0;
}

function path(json: boolean): number {
  const { user, trust } = settingsFiles(process.env);
  const files = { user, folder: folderFile(process.cwd()), trust };
  print(json ? `${jsonText(files, 2)}\n` : `${files.user}\n${files.folder}\n`);
  return 0;
}

async function schema(markdown: boolean): Promise<number> {
  if (markdown) print((await import('../../io/settings/document.ts')).settingsDocument());
  else print(`${jsonText((await import('../../host/settings/schema/sections.ts')).jsonSchema(), 2)}\n`);
  return 0;
}
