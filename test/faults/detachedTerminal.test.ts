// Programs in terminals that nobody looks at: how they end and what they wrote last is kept for whoever comes
// back, and closing a terminal ends everything that was started in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ahpClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { alive, survivors } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Served } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import type { Loose } from '../kit/wire.ts';

const home = newHome();
let host: Served;
beforeAll(async () => {
  host = await home.serve();
  const ahp = await ahpClient(host);
  const workingDirectories = [`file://${home.workspace}`];
  await ahp.request('createSession', { channel: 'ahp-session:/terminals', workingDirectories });
  await ahp.close();
});
afterAll(() => home.dispose());

/** Opens a terminal, types a line that makes a file, and leaves as soon as the file is there. */
async function leave(
  terminal: string,
  line: string,
  made: string,
): Promise<{ readonly text: string; readonly back: () => Promise<AhpClient> }> {
  const ahp: AhpClient & { clientId?: string } = await ahpClient(host);
  await ahp.request('createTerminal', {
    channel: terminal,
    claim: { kind: 'client', clientId: ahp.clientId },
    cwd: `file://${home.workspace}`,
    cols: 80,
    rows: 24,
  });
  await ahp.subscribe(terminal);
  ahp.dispatch(terminal, { type: 'terminal/input', data: `${line}\n` });
  const file = () => readFileSync(join(home.workspace, made), 'utf8').trim();
  const text = await eventually(() => {
    try {
      return file() || undefined;
    } catch {
      return undefined;
    }
  }, made);
  const known = { clientId: String(ahp.clientId), lastSeenServerSeq: ahp.last(), subscriptions: [terminal] };
  await ahp.close();
  return { text, back: () => ahpClient(host, known) };
}

async function stateOf(terminal: string): Promise<Loose> {
  const ahp = await ahpClient(host);
  try {
    return await ahp.subscribe(terminal);
  } finally {
    await ahp.close();
  }
}

test('the exit code and the last output of a program are there for whoever comes back', async () => {
  const terminal = 'ahp-terminal:/ends';
  await leave(terminal, "echo 1 > seen; sleep 0.5; echo 'last words'; exit 7", 'seen');
  const state = await eventually(async () => {
    const found = await stateOf(terminal);
    return found.lifecycle.status === 'exited' && found;
  }, 'the end of the terminal');
  expect(state.lifecycle).toMatchObject({ status: 'exited', exitCode: 7 });
  expect(JSON.stringify(state.content)).toContain('last words');
});

test('a flood that nobody reads stays bounded, and a program that ignores signals ends with its terminal', async () => {
  const terminal = 'ahp-terminal:/floods';
  const line = `sh -c 'trap "" HUP INT TERM; sleep 1000 & echo $$ $! > pids; yes flood | head -c 60000000; while :; do sleep 1; done'`;
  const { text, back } = await leave(terminal, line, 'pids');
  const pids = text.split(' ').map(Number);
  expect(pids.map(alive)).toEqual([true, true]);
  const state = await eventually(async () => {
    const found = await stateOf(terminal);
    return JSON.stringify(found.content).includes('flood') && found;
  }, 'some of the flood');
  expect(JSON.stringify(state.content).length).toBeLessThan(8_000_000);
  const ahp = await back();
  expect(await ahp.request('ping', { channel: 'ahp-root://' })).toBeNull();
  await ahp.request('disposeTerminal', { channel: terminal });
  expect(await survivors(pids)).toEqual([]);
  await ahp.close();
});
