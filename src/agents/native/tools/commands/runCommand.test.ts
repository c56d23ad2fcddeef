import { expect, test } from 'vitest';
import type { ShellCommand } from '../../../../host/ports.ts';
import { runCommand } from './runCommand.ts';

interface Case {
  readonly name: string;
  readonly by: 'sandbox' | 'answer';
  readonly code: number;
  readonly allows: boolean;
  /** Whether each run was confined, and what the user was asked about. */
  readonly runs: readonly boolean[];
  readonly asked: readonly (readonly string[])[];
}

const cases: readonly Case[] = [
  {
    name: 'the user lets it leave',
    by: 'sandbox',
    code: 1,
    allows: true,
    runs: [true, false],
    asked: [['a connection']],
  },
  {
    name: 'the user does not',
    by: 'sandbox',
    code: 1,
    allows: false,
    runs: [true],
    asked: [['a connection']],
  },
  { name: 'the user had refused a name', by: 'answer', code: 1, allows: true, runs: [true], asked: [] },
  { name: 'it did its work all the same', by: 'sandbox', code: 0, allows: true, runs: [true], asked: [] },
];

test.each(cases)('a command that the sandbox stopped: $name', async ({ by, code, allows, runs, asked }) => {
  const [ran, questions]: [boolean[], (readonly string[])[]] = [[], []];
  const run = async (command: ShellCommand) => {
    const { confined } = command;
    ran.push(confined !== undefined);
    // Words of a program are no reason to ask.
    command.output('stderr', 'Permission denied');
    confined?.stopped?.('a connection', by);
    return { kind: 'exited', code: confined ? code : 0 } as const;
  };
  const leave = async (stopped: readonly string[]) => {
    questions.push(stopped);
    return allows;
  };
  const result = await runCommand(
    {
      command: 'x',
      cwd: '/w',
      timeout: 1_000,
      surroundings: { confined: { write: ['/w'], network: 'ask', scratch: 's', leave } },
    },
    { processes: { run }, signal: new AbortController().signal, settings: {} },
    () => {},
  );
  expect([ran, questions]).toEqual([runs, asked]);
  const said = JSON.stringify(result);
  expect(said.includes('ran outside the sandbox')).toBe(runs.length > 1);
  expect(said.includes('let it run again outside')).toBe(runs.length > 1);
});

test('a command that took too long reports its time limit as a number', async () => {
  const run = async () => ({ kind: 'timeout' }) as const;
  const result = await runCommand(
    { command: 'sleep 9', cwd: '/w', timeout: 1_500 },
    { processes: { run }, signal: new AbortController().signal, settings: {} },
    () => {},
  );
  expect(result).toEqual({
    status: 'failed',
    content: [{ type: 'text', text: 'The command was stopped after 1500 ms.' }],
    error: 'The command was stopped after 1500 ms.',
    timeLimit: 1_500,
  });
});
