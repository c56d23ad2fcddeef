// A search for a rare word in 50,000 files, as the agent does it, compared with ripgrep alone (G18).
// Ours comes in the order of the paths, for which ripgrep uses one thread. Prints figures; has no limit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Files } from '../src/host/ports.ts';
import { ripgrepPath } from '../src/io/files/ripgrep.ts';
import { files } from '../src/io/files/workspace.ts';
import { median, print, record, temporary } from './kit.ts';

const folders = 500;
const filesOfFolder = 100;
const rounds = 7;
const wanted = 'needle';

const program = await ripgrepPath();
if (program === undefined) print('no ripgrep here, so there is no floor');
else {
  const { dir, remove } = temporary();
  fill(dir);
  const workspace = files();
  const alone: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await timeOf(() => ripgrepAlone(program, dir)));
    ours.push(await timeOf(() => searched(workspace, dir)));
  }
  remove();
  const count = folders * filesOfFolder;
  record({
    name: `search: a word in ${count} files (G18)`,
    unit: 'ms',
    floor: median(alone),
    parley: median(ours),
  });
  print(`${count} files: ripgrep ${median(alone).toFixed(0)} ms, Parley ${median(ours).toFixed(0)} ms`);
}

function fill(dir: string): void {
  const text = 'A line of a file that nobody looks for, of the usual length.\n'.repeat(32);
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(dir, `folder-${folder}`);
    mkdirSync(path);
    for (let file = 0; file < filesOfFolder; file += 1)
      writeFileSync(join(path, `file-${file}.txt`), file === 0 && folder % 50 === 0 ? text + wanted : text);
  }
}

async function timeOf(run: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const found = await run();
  if (found !== folders / 50) throw new Error(`${found} lines were found.`);
  return performance.now() - began;
}

async function ripgrepAlone(path: string, dir: string): Promise<number> {
  const child = spawn(path, ['--line-number', wanted, '.'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  return text.split('\n').filter((line) => line !== '').length;
}

async function searched(workspace: Files, dir: string): Promise<number> {
  let found = 0;
  for await (const match of workspace.search(dir, {
    pattern: wanted,
    signal: new AbortController().signal,
  })) {
    if ('problem' in match) throw new Error(match.problem);
    found += 1;
  }
  return found;
}
