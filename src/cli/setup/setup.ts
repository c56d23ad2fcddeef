// `parley setup`: shows the change that makes an editor use Parley, writes it after
// confirmation, and tests it.
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { errorText } from '../../base/errorText.ts';
import { didYouMean } from '../../base/nearest.ts';
import { readHostInfo } from '../../app/hostInfo.ts';
import { privateDirectory } from '../../io/files/privateFiles.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { findProgram } from '../../io/processes/findProgram.ts';
import { readConfig, writeConfig } from '../../io/settings/editConfigFile.ts';
import { editors, variables } from './editors.ts';
import type { SupportedEditor } from './editors.ts';
import { otherForms } from './editorForms.ts';
import { handshake } from '../stdio/handshake.ts';
import { confirm, onlyWord, readArgs, UsageError, showProgress } from '../say.ts';
import { diffLines } from '../sessions/transcript.ts';
import { paintFor, print, printError } from '../output.ts';
import { readUserFile } from '../../io/files/folderFile.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    print: { type: 'boolean' },
    yes: { type: 'boolean', short: 'y' },
    remove: { type: 'boolean' },
  });
  const supported = Object.keys(editors).join(', ');
  const id = onlyWord(positionals, `editor (${supported})`);
  const editor = Object.hasOwn(editors, id) ? editors[id] : undefined;
  if (!editor)
    throw new UsageError(
      `Unknown editor "${id}".${didYouMean(id, Object.keys(editors))} Supported: ${supported}. ` +
        'Any other ACP editor can run parley acp.',
    );
  const program = programPath();
  const file = editor.file({
    home: homedir(),
    env: process.env,
    platform: process.platform,
    exists: existsSync,
  });
  const before = readConfig(file);
  const after = values.remove
    ? editor.remove(before, file)
    : editor.change(before, { program, file, env: ownEnvironment() });
  if (before === after && values.remove) {
    print(`${file} has nothing of Parley.\n`);
    return 0;
  }
  if (before === after) {
    print(`${file} is already set up.\n`);
    if (values.print) print(otherPlugins(id, program));
    return values.print ? 0 : testProgram(program, editor);
  }
  show(editor, { file, before, after });
  if (values.print) {
    print(otherPlugins(id, program));
    return 0;
  }
  if (!values.yes && !(await confirm('Write this?'))) {
    printError('parley: Nothing was written.\n');
    return 4;
  }
  const backup = write(file, after);
  print(`Wrote ${file}.${backup === undefined ? '' : ` Backup: ${backup}.`}\n`);
  return values.remove ? 0 : testProgram(program, editor);
}

function write(file: string, text: string): string | undefined {
  try {
    return writeConfig(file, text, 'backup');
  } catch (error) {
    const why = `${errorText(error)} Nothing was written; make the change that is shown by hand.`;
    throw new Error(why, { cause: error });
  }
}

/** An editor that does not know the data directory would meet another host. */
function ownEnvironment(): { readonly PARLEY_HOME: string | undefined } {
  const home = process.env['PARLEY_HOME'];
  return { PARLEY_HOME: home === undefined || home === '' ? undefined : resolve(home) };
}

function show(
  editor: SupportedEditor,
  { file, before, after }: { readonly file: string; readonly before: string; readonly after: string },
): void {
  // The returns of some files are kept, but they are nothing to read.
  const lines = (text: string) => text.replaceAll('\r\n', '\n');
  const shown = diffLines(
    { path: file, before: before === '' ? null : lines(before), after: lines(after) },
    paintFor(process.stdout),
  );
  print(`${editor.name}:\n${shown.join('\n')}\n${editor.note === undefined ? '' : `${editor.note}\n`}`);
}

/** The settings of the editor's other plugins, which are printed and never written. */
function otherPlugins(id: string, program: string): string {
  const { info, token } = dataPaths(process.env);
  const host = readHostInfo(info);
  const access =
    host && existsSync(token)
      ? { address: host.url.replace(/^http/, 'ws'), token: readUserFile(token).trim() }
      : undefined;
  return otherForms(id, program, { env: variables(ownEnvironment()), access })
    .map(({ plugin, lines }) => `\n${plugin}:\n${lines.map((line) => `  ${line}\n`).join('')}`)
    .join('');
}

async function testProgram(program: string, { starts, name }: SupportedEditor): Promise<number> {
  const result = await handshake(program, starts).finally(showProgress('Testing'));
  if ('problem' in result) {
    printError(
      `parley: ${program} ${starts} does not work for ${name}: ${result.problem}. Run parley doctor to ` +
        'find out why.\n',
    );
    return 1;
  }
  print(`Tested ${program} ${starts} (${result.ms} ms). Restart the editor.\n`);
  return 0;
}

/**
 * The full path of a program that every editor can start. Editors often do not have the PATH of a shell, so
 * where Node is in a folder of its own (nvm, mise, Homebrew) it is a small script that names both by path.
 */
function programPath(): string {
  const own = resolve(process.argv[1] ?? 'parley');
  if (process.platform === 'win32') return join(dirname(realpathSync(own)), 'parley.bat');
  if (!systemFolders(process.platform).includes(dirname(process.execPath))) return writeLauncher(own);
  const found = findProgram('parley', process.env);
  return found !== undefined && realpathSync(found) === realpathSync(own) ? found : own;
}

/** The folders of programs that are on the PATH of every desktop session. */
function systemFolders(platform: NodeJS.Platform): readonly string[] {
  return platform === 'darwin' ? ['/usr/bin', '/bin'] : ['/usr/bin', '/bin', '/usr/local/bin'];
}

function writeLauncher(own: string): string {
  const { launcher } = dataPaths(process.env);
  privateDirectory(dirname(dirname(launcher)));
  mkdirSync(dirname(launcher), { recursive: true });
  const text = [
    '#!/bin/sh',
    '# Written by parley setup, for editors that do not find Node.',
    `node=${quoteWord(process.execPath)}`,
    '[ -x "$node" ] || node=node',
    `exec "$node" ${quoteWord(realpathSync(own))} "$@"`,
    '',
  ].join('\n');
  writeFileSync(launcher, text, { mode: 0o755 });
  return launcher;
}

function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
