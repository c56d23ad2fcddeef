// A pipe that nobody writes to, or a device without an end, in place of a file that a command reads: it is
// refused at once and in words, in the command and in the host.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ecaClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;

beforeAll(async () => {
  home = newHome();
  await home.serve();
});
afterAll(() => home.dispose());

function pipeAt(...path: readonly string[]): string {
  const file = join(home.dir, ...path);
  mkdirSync(dirname(file), { recursive: true });
  execFileSync('mkfifo', [file]);
  return file;
}

/** What a command printed; a command that still waits after a while is ended. */
async function said(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly err: string }> {
  const { child, done } = home.run(...args);
  const end = setTimeout(() => child.kill('SIGKILL'), 50_000);
  const { code, err } = await done;
  clearTimeout(end);
  return { code, err: err.trim().replaceAll(home.dir, '~') };
}

const refused = (file: string) => ({
  code: 1,
  err: expect.stringMatching(new RegExp(`${file}.* is not a regular file`)) as string,
});

test('the settings of an editor', async () => {
  pipeAt('.config', 'zed', 'settings.json');
  expect(await said(['setup', 'zed', '--yes'])).toEqual(refused('~/.config/zed/settings.json'));
});

test('a registry of agents', async () => {
  expect(await said(['agents', 'search', '--registry', pipeAt('registry.json')])).toEqual(
    refused('~/registry.json'),
  );
});

test('a session to import, which the host reads', async () => {
  expect(await said(['sessions', 'import', pipeAt('session.jsonl')])).toEqual(refused('~/session.jsonl'));
  expect(await said(['sessions', 'import', '/dev/zero'])).toEqual(refused('/dev/zero'));
});

test('the files of git that say where a repository is', async () => {
  writeFileSync(join(home.workspace, '.git'), 'gitdir: own\n');
  pipeAt('workspace', 'own', 'commondir');
  expect(await said(['read-chat', '--workspace', home.workspace])).toEqual({ code: 0, err: '' });
  const eca = await ecaClient(home);
  await eca.request('chat/prompt', { chatId: 'there', message: 'say hello', model: 'scripted/scripted' });
  await eca.wait(({ params }) => params.content?.state === 'finished');
  await eca.request('chat/list', {});
  await eca.close();
});

test('the certificate of the host', async () => {
  const other = newHome();
  try {
    const pair = ['--cert', pipeAt('cert.pem'), '--key', pipeAt('key.pem')];
    const { child, done } = other.run('serve', '--host', '0.0.0.0', '--port', '0', ...pair);
    const end = setTimeout(() => child.kill('SIGKILL'), 50_000);
    expect((await done).code).toBe(2);
    clearTimeout(end);
  } finally {
    await other.dispose();
  }
});

test('the own settings', async () => {
  pipeAt('home', 'config.jsonc');
  expect(await said(['agents', 'add', 'some', '--', 'true'])).toEqual(refused('~/home/config.jsonc'));
});
