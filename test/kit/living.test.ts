import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { alive, descendantsOf, killAll, untilGone } from './living.ts';

test('a whole tree is killed, also where one of it has ended before its turn', async () => {
  const over = spawn('true');
  await once(over, 'exit');
  const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo begun; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(parent.stdout, 'data');
  const tree = [Number(parent.pid), ...descendantsOf(Number(parent.pid))];
  expect(tree).toHaveLength(2);
  killAll([Number(over.pid), ...tree]);
  await Promise.all(tree.map(untilGone));
  expect(tree.filter(alive)).toEqual([]);
});
