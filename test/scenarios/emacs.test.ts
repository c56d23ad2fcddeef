// A real Emacs as client of both protocols that it speaks, with a small client of our own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

test(
  'Emacs prompts, reads the stream, approves and stops, over ECA and ACP',
  { timeout: 120_000 },
  async () => {
    const script = join(import.meta.dirname, '..', 'clients', 'emacs', 'run.mjs');
    const child = spawn(process.execPath, [script, 'own'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = [text(child.stdout), text(child.stderr)];
    const [code] = (await once(child, 'close')) as [number];
    expect([code, (await out).match(/^ok: .*/gm), code === 0 ? '' : await err]).toEqual([
      0,
      [
        'ok: ECA: the answer comes in pieces',
        'ok: ECA: the approved command ran',
        'ok: ECA: the running command was stopped',
        'ok: the program ends with code 0',
        'ok: ACP: the turn ends',
        'ok: ACP: the question has the whole command',
        'ok: ACP: the approved command ran',
        'ok: ACP: the answer comes in pieces',
        'ok: ACP: the running command was stopped',
        'ok: the program ends with code 0',
      ],
      '',
    ]);
  },
);
