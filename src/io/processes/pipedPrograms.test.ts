import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alive, untilGone, pause } from '../../../test/kit/living.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import type { NewProgram } from '../../host/terminals/programs.ts';
import { pipedPrograms } from './pipedPrograms.ts';

let place: Workspace;

beforeEach(() => {
  place = workspace();
});
afterEach(() => place.close());

const programs = pipedPrograms({ env: { PATH: process.env['PATH'], SECRET_KEY: 'no' }, grace: 200 });

function start(program: Partial<NewProgram> & { readonly command: string }) {
  let said = '';
  const running = programs.start({ args: [], cwd: place.root, output: (text) => (said += text), ...program });
  return { ...running, said: () => said };
}

describe('a program', () => {
  check(
    'that is a line for a shell',
    { command: 'echo a && exit 3' },
    { end: { kind: 'exited', code: 3 }, said: 'a\n' },
  );
  check(
    'with arguments',
    { command: 'printf', args: ['%s', 'a b; c'] },
    { end: { kind: 'exited', code: 0 }, said: 'a b; c' },
  );
  check(
    'with variables, and none of ours',
    { command: 'echo $A $SECRET_KEY', env: { A: 'x' } },
    { end: { kind: 'exited', code: 0 }, said: 'x\n' },
  );
  check(
    'that is killed',
    { command: 'kill -9 $$' },
    { end: { kind: 'signalled', signal: 'SIGKILL' }, said: '' },
  );
  check(
    'that is not there',
    { command: '/no/such', args: ['x'] },
    {
      end: { kind: 'failed', message: expect.stringContaining('could not be started') as string },
      said: expect.stringContaining('could not be started') as string,
    },
  );

  function check(name: string, program: Parameters<typeof start>[0], expected: object): void {
    test(`a program ${name}`, async () => {
      const { ended, said } = start(program);
      const end = await ended;
      expect({ end, said: said() }).toEqual(expected);
    });
  }
});

test('a kill ends everything the program started, also what ignores it', async () => {
  const program = start({
    command: `(trap '' TERM; echo $BASHPID > pid; while :; do sleep 0.05; done) & wait`,
  });
  while ((place.tree()['pid'] ?? '') === '') await pause(10);
  program.kill();
  program.kill();
  expect(['signalled', 'exited']).toContain((await program.ended).kind);
  const pid = Number(place.tree()['pid']);
  await untilGone(pid);
  expect(alive(pid)).toBe(false);
});

test('what a program leaves in the background ends with it', async () => {
  const { ended } = start({ command: 'sleep 300 & echo $! > pid' });
  await ended;
  const pid = Number(place.tree()['pid']);
  await untilGone(pid);
  expect(alive(pid)).toBe(false);
});
