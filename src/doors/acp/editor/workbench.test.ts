// An editor that never answers is given up after the stated time, and everybody is told.
import { expect, test } from 'vitest';
import { closing, connect, sessionOf } from '../../../../test/kit/acpDoor.ts';
import { rig } from '../../../../test/kit/host.ts';
import { manualClock } from '../../../../test/kit/manualClock.ts';
import { eventually } from '../../../../test/kit/patience.ts';
import type { Workbench } from '../../../host/workspace/workbench.ts';
import { readingTime, writingTime } from './editorRequests.ts';

/** The clock is the test's own, so who still waits in vain after this time says for what. */
const timeout = 20_000;

/** A turn that uses the workbench of an editor that never answers, and a clock for its patience. */
async function silentEditor(use: (bench: Workbench) => Promise<unknown>) {
  const clock = manualClock();
  const host = closing(await rig(undefined, { clock }));
  let got: unknown;
  host.scripts.set('use', async (turn) => {
    const bench = turn.workspace.workbench();
    if (bench) got = await use(bench);
  });
  const capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  const client = await connect(host, {}, { protocolVersion: 1, clientCapabilities: capabilities });
  const signals: AbortSignal[] = [];
  client.answer = (_method, _params, signal) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const sessionId = await client.newSession();
  const over = client.prompt(sessionId, 'use');
  const asked = (method: string, from?: number) => client.seen((message) => message.method === method, from);
  // A turn that never ends is reported by its test.
  over.catch(() => {});
  const givenUp = async () => {
    await eventually(() => got !== undefined, 'the editor to be given up');
    await over;
    return got;
  };
  return { clock, client, givenUp, asked, signals, session: sessionOf(host, sessionId), got: () => got };
}

const notices = ({ session }: Awaited<ReturnType<typeof silentEditor>>) =>
  session.state.chats[session.id]?.turns[0]?.items.flatMap((item) =>
    item.type === 'notice' ? [item.text] : [],
  );

test(
  'a file that an editor does not read is told as not read, and the next one comes from disk',
  { timeout },
  async () => {
    const rigged = await silentEditor(async (bench) => [
      await bench.readText?.('/w/a'),
      await bench.readText?.('/w/b'),
      await bench.writeText?.('/w/b', 'x'),
    ]);
    await rigged.asked('fs/read_text_file');
    rigged.clock.advance(readingTime - 1);
    expect(rigged.signals.map(({ aborted }) => aborted)).toEqual([false]);
    rigged.clock.advance(1);
    const got = await rigged.givenUp();
    const message =
      'The editor did not answer within 30 seconds; /w/a was not read. ' +
      'Files are read from and written to disk from now on.';
    expect(got).toEqual([{ problem: 'failed', message }, undefined, 'gone']);
    expect(notices(rigged)).toEqual([message]);
    await rigged.asked('$/cancel_request');
    expect(rigged.signals).toHaveLength(1);
  },
);

test('a file that an editor may have written is not written again', { timeout }, async () => {
  const rigged = await silentEditor(async (bench) => bench.writeText?.('/w/a', 'text'));
  await rigged.asked('fs/write_text_file');
  rigged.clock.advance(writingTime);
  expect(await rigged.givenUp()).toMatchObject({
    problem: 'failed',
    message: expect.stringMatching(/300 seconds; it is not known whether \/w\/a was written/),
  });
  expect(notices(rigged)).toHaveLength(1);
});

test('a terminal that an editor does not make or end is given up', { timeout }, async () => {
  const command = {
    command: 'sleep 9',
    cwd: '/w',
    timeout: 1_000,
    signal: new AbortController().signal,
    output: () => {},
  };
  const unmade = await silentEditor(async (bench) => bench.run?.(command, 't'));
  await unmade.asked('terminal/create');
  unmade.clock.advance(readingTime);
  expect(await unmade.givenUp()).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/not known whether/),
  });

  const endless = await silentEditor(async (bench) => bench.run?.(command, 't'));
  endless.client.answer = (method) =>
    method === 'terminal/create' ? { terminalId: 'term' } : new Promise(() => {});
  await endless.asked('terminal/wait_for_exit');
  endless.clock.advance(1_000);
  await endless.asked('terminal/kill');
  await eventually(() => {
    endless.clock.advance(readingTime);
    return endless.got() !== undefined;
  }, 'the terminal to be given up');
  expect(await endless.givenUp()).toEqual({ kind: 'timeout' });
});
