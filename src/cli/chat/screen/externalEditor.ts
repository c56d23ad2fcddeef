// Lets the user write in the editor of their choice.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawTerminal } from '../../terminal/rawTerminal.ts';

/** The text as the editor leaves it; undefined if it failed. */
export async function editText(terminal: RawTerminal, text: string): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-edit-'));
  const file = join(folder, 'message.md');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const command = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
    const isWell = await terminal.lend(command, file);
    return isWell ? readFileSync(file, 'utf8').replace(/\n$/, '') : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
