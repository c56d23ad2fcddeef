import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunningProgram } from './replacedProgram.ts';
import { replacedAndIdle } from './replacedProgram.ts';

const turn = { chats: { c: { active: {} } } };
const rest = { chats: { c: {} } };

test.each<[string, ReturnType<RunningProgram['sessions']>, boolean | 'waits']>([
  ['no session', [], true],
  ['a session at rest', [{ owner: undefined, head: rest }], true],
  ['a turn, also one that is not stored yet', [{ owner: undefined, head: turn }], 'waits'],
  ['a turn of another host', [{ owner: 'two', head: turn }], true],
])('a host whose program is gone ends, or waits: %s', async (_, sessions, ends) => {
  const program = { file: '/no/such/program.cjs', sessions: () => sessions };
  const closing = new AbortController();
  const ended = replacedAndIdle(program, closing.signal);
  expect(await Promise.race([ended, setImmediate('waits')])).toBe(ends);
  closing.abort();
});
