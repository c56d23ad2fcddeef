import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPostgres } from './postgres.ts';

/** The shared memory that the kernel keeps for the server, by its number; undefined if there is none. */
function segmentOf(directory: string): string | undefined {
  const [, id] =
    readFileSync(join(directory, 'data/postmaster.pid'), 'utf8')
      .split('\n')[6]
      ?.match(/(\d+)$/) ?? [];
  return id;
}

const kept = (id: string | undefined) =>
  readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .some((line) => line.trim().split(/\s+/)[1] === id);

test.each(['running', 'frozen', 'killed', 'killed and started'])(
  'a server that is %s leaves nothing behind',
  async (how) => {
    const server = await startPostgres();
    expect(server.sql('SHOW dynamic_shared_memory_type')).toBe('mmap');
    const segments = [segmentOf(server.directory)];
    expect(segments.map(kept)).toEqual([true]);
    if (how === 'frozen') server.freeze();
    if (how.startsWith('killed')) await server.kill();
    if (how === 'killed and started') await server.start();
    if (how === 'killed and started') segments.push(segmentOf(server.directory));
    await server.dispose();
    expect([segments.filter(kept), existsSync(server.directory)]).toEqual([[], false]);
  },
);
