// `parley setup`: shows the exact change that makes an editor use Parley, writes it after asking, and tries it.
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findProgram } from '../../io/processes/findProgram.ts';
import { readConfig, writeConfig } from '../../io/settings/editConfigFile.ts';
import { editors } from './editors.ts';
import type { Editor } from './editors.ts';
import { otherForms } from './editorForms.ts';
import { handshake } from '../stdio/handshake.ts';
import { paintFor, print, printError } from '../output.ts';
import { confirmed, onlyWord, readArgs, UsageError, working } from '../say.ts';
import { diffLines } from '../sessions/transcript.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    print: { type: 'boolean' },
    yes: { type: 'boolean', short: 'y' },
  });
  const known = Object.keys(editors).join(', ');
  const id = onlyWord(positionals, `an editor: ${known}`);
  const editor = Object.hasOwn(editors, id) ? editors[id] : undefined;
  if (!editor)
    throw new UsageError(`${id} is none of ${known}. Any editor that speaks ACP can start parley acp.`);
  const program = programPath();
  const file = editor.file({
    home: homedir(),
    env: process.env,
    platform: process.platform,
    exists: existsSync,
  });
  const before = readConfig(file);
  const after = editor.change(before, { program, file });
  if (before === after) {
    print(`${file} is set up already.\n`);
    if (values.print) print(others(id, program));
    return values.print ? 0 : tryOut(program, editor);
  }
  show(editor, { file, before, after });
  if (values.print) print(others(id, program));
  if (values.print) return 0;
  if (!values.yes && !(await confirmed('Write this?'))) {
    printError('parley: nothing was written.\n');
    return 4;
  }
  const backup = writeConfig(file, after, 'backup');
  print(`Wrote ${file}.${backup === undefined ? '' : ` What was there is kept as ${backup}.`}\n`);
  return tryOut(program, editor);
}

function show(
  editor: Editor,
  { file, before, after }: { readonly file: string; readonly before: string; readonly after: string },
): void {
  const lines = diffLines(
    { path: file, before: before === '' ? null : before, after },
    paintFor(process.stdout),
  );
  print(`${editor.name}:\n${lines.join('\n')}\n${editor.note === undefined ? '' : `${editor.note}\n`}`);
}

/** Nobody asks about these, so they are shown to those alone who only want to see. */
function others(id: string, program: string): string {
  return otherForms(id, program)
    .map(({ plugin, lines }) => `\n${plugin}:\n${lines.map((line) => `  ${line}\n`).join('')}`)
    .join('');
}

async function tryOut(program: string, { starts, name }: Editor): Promise<number> {
  const result = await handshake(program, starts).finally(working('Trying it'));
  if ('problem' in result) {
    printError(
      `parley: ${program} ${starts} does not answer as ${name} needs it: ${result.problem}. parley doctor may know why.\n`,
    );
    return 1;
  }
  print(`Tried ${program} ${starts}: it answered after ${result.ms} ms. Start the editor again to use it.\n`);
  return 0;
}

/** The path of this program as an editor can start it: editors often do not have the PATH of a shell. */
function programPath(): string {
  const own = resolve(process.argv[1] ?? 'parley');
  const launcher = process.platform === 'win32' ? join(dirname(realpathSync(own)), 'parley.bat') : own;
  const found = findProgram('parley', process.env);
  const same =
    found !== undefined && process.platform !== 'win32' && realpathSync(found) === realpathSync(own);
  return same ? found : launcher;
}
