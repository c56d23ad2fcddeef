import { expect, test } from 'vitest';
import type { TurnContext, Verdict } from '../../../host/agent.ts';
import { safeGitEnvironment } from '../../../host/policy/safeGit.ts';
import type { Files } from '../../../host/ports.ts';
import type { NewProgram } from '../../../host/terminals/programs.ts';
import { ToolCalls } from '../turn/toolCalls.ts';
import { runGuarded } from './approvalGuard.ts';
import { startingOf, Terminals } from './terminals.ts';

const byRule: Verdict = { allowed: true, safeGit: true };

test('git that a rule allowed gets the safe environment', async () => {
  expect(await environmentOf(byRule)).toEqual({ A: '1', ...safeGitEnvironment });
});

test('git in a call that a rule allowed gets the safe environment', async () => {
  const calls = newCalls();
  const call = calls.asked({ toolCallId: 'c', kind: 'execute', rawInput: { command: 'git log' } });
  calls.decided(call, byRule);
  expect(await environmentOf({ allowed: true }, calls)).toEqual({ A: '1', ...safeGitEnvironment });
});

test('git that a person allowed runs with the environment that the agent asked for', async () => {
  expect(await environmentOf({ allowed: true })).toEqual({ A: '1', GIT_EDITOR: 'vi' });
});

/** The environment in which the agent's terminal runs `git log`. */
async function environmentOf(verdict: Verdict, calls = newCalls()): Promise<NewProgram['env']> {
  const started: NewProgram[] = [];
  const terminals = new Terminals({
    programs: {
      start(program) {
        started.push(program);
        return { ended: Promise.resolve({ kind: 'exited', code: 0 }), kill() {} };
      },
    },
    files: {
      realPath: (path: string) => Promise.resolve(path),
      stat: () => Promise.resolve({ type: 'directory' }),
    } as unknown as Files,
    ids: { next: () => 'id' },
    owner: () => ({ kind: 'session', session: 's', chat: 's', turn: 't' }),
  });
  const params = {
    sessionId: 's',
    command: 'git',
    args: ['log'],
    env: [
      { name: 'A', value: '1' },
      { name: 'GIT_EDITOR', value: 'vi' },
    ],
  };
  const context = {
    report() {},
    approve: () => Promise.resolve(verdict),
    log: { stored: () => Promise.resolve() },
  } as unknown as TurnContext;
  const { signal } = new AbortController();
  await runGuarded(startingOf(params), { context, calls, tool: 'own', signal }, (how) =>
    terminals.create(params, ['/w'], how),
  );
  return started[0]?.env;
}

function newCalls(): ToolCalls {
  return new ToolCalls({ cwd: '/w', report() {}, note() {}, terminal: () => undefined, follow() {} });
}
