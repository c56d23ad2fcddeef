import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { watchProcess } from './processWatch.ts';

test('the end of a process is told once', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await new Promise((resolve) => {
    child.once('spawn', resolve);
  });
  let told = 0;
  const ended = new Promise<void>((resolve) => {
    watchProcess(child.pid ?? 0, () => {
      told += 1;
      resolve();
    });
  });
  child.kill('SIGKILL');
  await ended;
  expect(told).toBe(1);
});

test('a process that is not there is told soon', async () => {
  const told = await new Promise((resolve) => {
    watchProcess(2 ** 22 + 1, () => resolve('gone'));
  });
  expect(told).toBe('gone');
});

test('nothing is told after the watch was ended', async () => {
  let told = false;
  watchProcess(2 ** 22 + 1, () => {
    told = true;
  })();
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  expect(told).toBe(false);
});
