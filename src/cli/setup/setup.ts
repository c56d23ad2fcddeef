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
import { backupsOf, readConfig, removeConfig, writeConfig } from '../../io/settings/editConfigFile.ts';
import { editors, variables } from './editors.ts';
import type { EditorChange, SupportedEditor } from './editors.ts';
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
  const id = onlyWord(positionals, `editor (${supported})`);
  const editor = editorOf(id);
  const program = programPath();
  const file = editor.file({
    home: homedir(),
    env: process.env,
    platform: process.platform,
    exists: existsSync,
  });
  const before = readConfig(file);
  const change = { program: program.path, file, env: ownEnvironment() };
  const after = values.remove ? withoutParley(editor, before, change) : editor.change(before, change);
  const isDone = before === (after ?? '');
  if (values.remove && isDone) {
    print(`${file} has nothing of Parley.\n`);
    return 0;
  }
  if (isDone) print(`${file} is already set up.\n`);
  else show(editor, { file, before, after: after ?? '' });
  if (values.print) {
    prepare(program);
    print(otherPlugins(id, program.path));
    return 0;
  }
  if (isDone) {
    prepare(program);
    return testProgram(program.path, editor);
  }
  if (!values.yes && !(await confirm('Write this?'))) {
    printError('parley: Nothing was written.\n');
    return 4;
  }
  if (!values.remove) prepare(program);
  save(file, after);
  return values.remove ? 0 : testProgram(program.path, editor);
}

function editorOf(id: string): SupportedEditor {
  const editor = Object.hasOwn(editors, id) ? editors[id] : undefined;
  if (editor) return editor;
  throw new UsageError(
    `Unknown editor "${id}".${didYouMean(id, Object.keys(editors))} Supported: ${supported}. ` +
      'Any other ACP editor can run parley acp.',
  );
}

const supported = Object.keys(editors).join(', ');

/**
 * The text from before `parley setup`: as its owner left it if nothing has changed since, otherwise without
 * what is ours. Undefined for a file that had nothing else, which `parley setup` has made.
 */
function withoutParley(editor: SupportedEditor, text: string, change: EditorChange): string | undefined {
  const { file } = change;
  const earlier = backupsOf(file).filter((backup) => hasNoParley(editor, backup, file));
  const same = earlier.find((backup) => editor.change(backup, change) === text);
  if (same !== undefined) return same;
  const left = editor.remove(text, file);
  return earlier.length === 0 && left !== text && /^\s*(?:\{\s*\}\s*)?$/.test(left) ? undefined : left;
}

function hasNoParley(editor: SupportedEditor, text: string, file: string): boolean {
  try {
    return editor.remove(text, file) === text;
  } catch {
    // Its owner had broken it, so we have never changed it.
    return false;
  }
}

function save(file: string, after: string | undefined): void {
  if (after === undefined) {
    removeConfig(realpathSync(file));
    print(`Removed ${file}, which parley setup had made.\n`);
    return;
  }
  const backup = write(file, after);
  print(`Wrote ${file}.${backup === undefined ? '' : ` Backup: ${backup}.`}\n`);
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

interface Program {
  readonly path: string;
  /** Set if it is the small script, which has to be written. */
  readonly isOurScript?: true;
}

/**
 * The full path of a program that every editor can start. Editors often do not have the PATH of a shell, so
 * where Node is in a folder of its own (nvm, mise, Homebrew) it is a small script that names both by path.
 */
function programPath(): Program {
  if (process.platform === 'win32') return { path: join(dirname(ownPath()), 'parley.bat') };
  if (!systemFolders(process.platform).includes(dirname(process.execPath)))
    return { path: dataPaths(process.env).launcher, isOurScript: true };
  const found = findProgram('parley', process.env);
  const isOurs = found !== undefined && realpathSync(found) === ownPath();
  return { path: isOurs ? found : resolve(process.argv[1] ?? 'parley') };
}

function ownPath(): string {
  return realpathSync(resolve(process.argv[1] ?? 'parley'));
}

/** The folders of programs that are on the PATH of every desktop session. */
function systemFolders(platform: NodeJS.Platform): readonly string[] {
  return platform === 'darwin' ? ['/usr/bin', '/bin'] : ['/usr/bin', '/bin', '/usr/local/bin'];
}

function prepare({ path: launcher, isOurScript }: Program): void {
  if (!isOurScript) return;
  privateDirectory(dirname(dirname(launcher)));
  mkdirSync(dirname(launcher), { recursive: true });
  const text = [
    '#!/bin/sh',
    '# Written by parley setup, for editors that do not find Node.',
    `node=${quoteWord(process.execPath)}`,
    '[ -x "$node" ] || node=node',
    `exec "$node" ${quoteWord(ownPath())} "$@"`,
    '',
  ].join('\n');
  writeFileSync(launcher, text, { mode: 0o755 });
}

function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
