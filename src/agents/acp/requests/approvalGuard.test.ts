import { describe, expect, test } from 'vitest';
import type { TurnContext, Verdict } from '../../../host/agent.ts';
import type { ToolRequest } from '../../../host/policy/toolRequest.ts';
import { safeGitEnvironment } from '../../../host/policy/safeGit.ts';
import type { Files } from '../../../host/ports.ts';
import type { NewProgram } from '../../../host/terminals/programs.ts';
import type { ReadToolCall } from '../../../protocols/acp/v1/toolCallSchema.ts';
import { toolCall } from '../../../protocols/acp/v1/toolCallSchema.ts';
import { resolvePath } from '../../../base/paths.ts';
import { ToolCalls } from '../turn/toolCalls.ts';
import { guardedApproval, runGuarded } from './approvalGuard.ts';
import { writingOf } from './clientFiles.ts';
import { toolRequest } from './permissions.ts';
import { startingOf, AgentTerminals } from './terminals.ts';

const allowed: Verdict = { allowed: true };
const byRule: Verdict = { allowed: true, safeGit: true };
const inSession = { sessionId: 's' };

describe('an approved command covers', () => {
  const ls = { kind: 'execute', rawInput: { command: 'ls -l' } };
  check('the same line', ls, { command: 'ls -l' }, 'covered');
  check('the same words', ls, { command: 'ls', args: ['-l'] }, 'covered');
  check('the line in a shell', ls, { command: '/bin/bash', args: ['-lc', 'ls -l'] }, 'covered');
  check(
    'its words in a shell',
    { rawInput: { command: ['sh', '-c', 'ls -l'] } },
    { command: 'ls -l' },
    'covered',
  );
  check('the line that its title says', { kind: 'execute', title: 'ls -l' }, { command: 'ls -l' }, 'covered');
  check('variables that change only what is printed', ls, withEnv('TERM', 'dumb'), 'covered');
  check(
    'the folder and the variables that it names',
    { rawInput: { command: 'ls -l', env: { A: '1' }, cwd: 'sub' } },
    { ...withEnv('A', '1'), args: [], command: 'ls -l', cwd: '/w/sub' },
    'covered',
  );
  check('no line that contains it', ls, { command: 'sh', args: ['-c', 'touch x # ls -l'] }, 'asked');
  check('no shell of the workspace', ls, { command: './sh', args: ['-c', 'ls -l'] }, 'asked');
  check('no part of it', { rawInput: { command: 'ls -l; rm x' } }, { command: 'rm x' }, 'asked');
  check('no other arguments', { rawInput: { command: 'ls' } }, { command: 'ls', args: ['/root'] }, 'asked');
  check('no other variables', ls, withEnv('PATH', 'evil'), 'asked');
  check('no file as a time zone', ls, withEnv('TZ', ':/etc/passwd'), 'asked');
  check('no other folder', ls, { command: 'ls -l', cwd: '/root' }, 'asked');
  check('nothing if it is not known', { kind: 'other', title: 'Work' }, { command: 'ls' }, 'asked');
  check('nothing if it is an edit', { kind: 'edit', title: 'ls' }, { command: 'ls' }, 'asked');

  // oxlint-disable-next-line max-params -- one line a case
  function check(name: string, call: object, params: object, expected: string): void {
    test(`an approved command covers ${name}`, async () => {
      expect((await start(callsWith(call), { args: [], ...params })).how).toBe(expected);
    });
  }

  function withEnv(name: string, value: string): object {
    return { command: 'ls', args: ['-l'], env: [{ name, value }] };
  }

  test('one run', async () => {
    const calls = callsWith(ls);
    expect((await start(calls, { command: 'ls -l' })).how).toBe('covered');
    expect((await start(calls, { command: 'ls -l' })).how).toBe('asked');
  });

  test('only what was shown, whatever the agent says later', async () => {
    const calls = callsWith(ls);
    calls.take(read({ rawInput: { command: 'rm x' } }), 'update');
    expect((await start(calls, { command: 'rm x' })).how).toBe('asked');
  });
});

test('a command of an agent is asked about with its folder and variables', async () => {
  const env = [
    { name: 'PATH', value: 'evil bin' },
    { name: 'CI', value: '1' },
  ];
  const { asked } = await start(newCalls(), { command: 'git', args: ['status'], env, cwd: '/root' });
  expect(asked).toMatchObject({
    title: "$ env 'PATH=evil bin' git status (in /root)",
    intent: {
      command: "env 'PATH=evil bin' git status",
      paths: ['/root'],
      input: { cwd: '/root', env: { PATH: 'evil bin', CI: '1' } },
    },
  });
});

test('a program that is named like a variable is none', async () => {
  const { asked } = await start(newCalls(), { command: 'LANG=C', args: ['ls', 'A=1'] });
  expect(asked?.intent.command).toBe("'LANG=C' ls A=1");
  const call = callsWith({ kind: 'execute', rawInput: { command: 'LANG=C ls A=1' } });
  expect((await start(call, { command: 'LANG=C', args: ['ls', 'A=1'] })).how).toBe('asked');
});

describe('an approved edit covers', () => {
  const edit = (path: string, oldText: string | null, newText: string) => ({
    kind: 'edit',
    content: [{ type: 'diff', path, oldText, newText }],
  });
  check('the file that it names', { kind: 'edit', locations: [{ path: '/w/a' }] }, '/w/a', 'covered');
  check(
    'a file by its path in the workspace',
    { kind: 'edit', rawInput: { path: './a' } },
    '/w/a',
    'covered',
  );
  check('the text that it showed', edit('/w/a', 'one\ntwo\n', 'new'), '/w/a', 'covered');
  check('the part that it showed', edit('a', 'one\ntwo', 'new'), '/w/a', 'covered', 'new\n');
  check('no text that it did not show', edit('/w/a', 'one', 'ONE'), '/w/a', 'asked');
  check('no file if it names none', { kind: 'edit', title: 'Edit' }, '/w/.git/hooks/pre-commit', 'asked');
  check('no file of the same name', { kind: 'edit', rawInput: { path: 'a' } }, '/w/sub/a', 'asked');
  check('nothing if it is a deletion', { kind: 'delete', locations: [{ path: '/w/a' }] }, '/w/a', 'asked');

  // oxlint-disable-next-line max-params -- one line a case
  function check(name: string, call: object, path: string, expected: string, content = 'new'): void {
    test(`an approved edit covers ${name}`, async () => {
      const action = await writingOf({ ...inSession, path, content }, place);
      expect((await guarded(action, callsWith(call))).how).toBe(expected);
    });
  }
});

describe('git', () => {
  const params = { command: 'git', args: ['log'], env: [{ name: 'LANG', value: 'C' }] };
  const safe = { LANG: 'C', ...safeGitEnvironment };
  const git = { kind: 'execute', rawInput: { command: 'git log' } };

  test('that a rule allowed gets the safe environment', async () => {
    expect((await start(newCalls(), params, byRule)).env).toEqual(safe);
  });

  test('in a call that a rule allowed gets the safe environment', async () => {
    expect((await start(callsWith(git, byRule), params)).env).toEqual(safe);
  });

  test('in a call that shows no command is judged by its own', async () => {
    const calls = callsWith({ kind: 'other', title: 'Look at the history' }, allowed);
    expect((await start(calls, params, byRule)).env).toEqual(safe);
  });

  test('that a person allowed runs with the environment that the agent asked for', async () => {
    expect((await start(newCalls(), params)).env).toEqual({ LANG: 'C' });
  });
});

const files = {
  realPath: (path: string, base: string) => Promise.resolve(resolvePath(base, path)),
  stat: () => Promise.resolve({ type: 'directory' }),
  readText: () => Promise.resolve({ text: 'one\ntwo\n' }),
} as unknown as Files;
const place = { files, roots: ['/w'] };

/** Starts a terminal; `how` says whether a separate approval was asked for. */
async function start(calls: ToolCalls, more: object, verdict = allowed) {
  const started: NewProgram[] = [];
  const terminals = new AgentTerminals({
    programs: {
      start(program) {
        started.push(program);
        return { ended: Promise.resolve({ kind: 'exited', code: 0 }), kill() {} };
      },
    },
    files,
    ids: { next: () => 'id' },
    owner: () => ({ kind: 'session', session: 's', chat: 's', turn: 't' }),
    environment: () => ({}),
  });
  const params = { ...inSession, ...more };
  const action = await startingOf(params, place);
  const outcome = await guarded(action, calls, {
    verdict,
    work: (how) => terminals.create(params, action.path, how),
  });
  return { ...outcome, env: started[0]?.env };
}

async function guarded(
  action: Parameters<typeof runGuarded>[0],
  calls: ToolCalls,
  {
    verdict = allowed,
    work = () => ({}),
  }: { verdict?: Verdict; work?: (how: { safeGit: boolean }) => object } = {},
): Promise<{ how: 'asked' | 'covered'; asked: ToolRequest | undefined }> {
  const asked: ToolRequest[] = [];
  const context = {
    session: { roots: ['/w'] },
    report() {},
    approve(request: ToolRequest) {
      asked.push(request);
      return Promise.resolve(verdict);
    },
    log: { stored: () => Promise.resolve() },
  } as unknown as TurnContext;
  const { signal } = new AbortController();
  await runGuarded(action, { context, calls, tool: 'own', signal }, async (how) => work(how));
  return { how: asked.length > 0 ? 'asked' : 'covered', asked: asked[0] };
}

/** The calls of a turn with one that was approved. */
function callsWith(said: object, verdict = allowed): ToolCalls {
  const calls = newCalls();
  const call = calls.asked(read(said));
  calls.decided(call, verdict, guardedApproval(call, toolRequest(call, [])));
  return calls;
}

function read(said: object): ReadToolCall {
  return toolCall.parse({ toolCallId: 'c', ...said });
}

function newCalls(): ToolCalls {
  return new ToolCalls({ cwd: '/w', report() {}, terminal: () => undefined, follow() {} });
}
