import { describe, expect, test } from 'vitest';
import type { ReadPermissionOption } from '../../../protocols/acp/v1/clientSchema.ts';
import { shellQuoted } from '../turn/commandText.ts';
import type { AgentToolCall } from '../turn/toolCall.ts';
import { permissionAnswer, toolRequest } from './permissions.ts';

const options: readonly ReadPermissionOption[] = [
  { optionId: 'a', name: 'Allow', kind: 'allow_once' },
  { optionId: 'aa', name: 'Always', kind: 'allow_always' },
  { optionId: 'r', name: 'Reject', kind: 'reject_once' },
  { optionId: 'rr', name: 'Never', kind: 'reject_always' },
];

function callOf(given: Partial<AgentToolCall>): AgentToolCall {
  return {
    tool: 'c',
    name: 'n',
    title: 'Title',
    kind: 'other',
    content: undefined,
    locations: [],
    input: undefined,
    output: undefined,
    progress: { phase: 'asking', previewed: false, denied: false, printed: 0 },
    approval: undefined,
    files: { written: new Map(), seen: new Map(), inputs: [] },
    terminals: new Set(),
    ...given,
  };
}

describe('what is asked of policy and people', () => {
  check(
    'a command line',
    { kind: 'execute', input: { command: 'ls -l' } },
    { title: '$ ls -l', command: 'ls -l', toolKind: 'execute', paths: [] },
  );
  check(
    'a command in words',
    { kind: 'execute', input: { command: ['bash', '-lc', "echo 'a b'"] } },
    { command: "bash -lc 'echo '\\''a b'\\'''", toolKind: 'execute' },
  );
  check(
    'a command with arguments, variables and a folder',
    {
      kind: 'execute',
      input: { command: 'git', args: ['log', 'a b'], env: { PATH: 'evil', TERM: 'dumb' }, cwd: '/w/sub' },
      locations: [{ path: '/w/a' }],
    },
    {
      title: "$ env PATH=evil git log 'a b' (in /w/sub)",
      command: "env PATH=evil git log 'a b'",
      paths: ['/w/sub', '/w/a'],
    },
  );
  check(
    'a line with variables',
    { kind: 'execute', input: { command: 'a && b', env: [{ name: 'BASH_ENV', value: 'x' }] } },
    { command: "env BASH_ENV=x sh -c 'a && b'" },
  );
  check('a command known by its title only', { kind: 'execute', title: 'rm -rf /' }, { command: 'rm -rf /' });
  check(
    'a command in disguise',
    { kind: 'other', input: { command: 'rm x' } },
    { command: 'rm x', toolKind: 'other' },
  );
  check(
    'a read of a known file',
    { kind: 'read', locations: [{ path: '/w/a' }], input: { path: '/w/b', file_path: '/w/a' } },
    { toolKind: 'read', paths: ['/w/a', '/w/b'] },
  );
  check('a read of nobody knows what', { kind: 'read' }, { toolKind: 'other', paths: [] });
  check(
    'a read that runs something',
    { kind: 'read', input: { command: 'cat a', path: '/w/a' } },
    { toolKind: 'other', command: 'cat a' },
  );
  check('a thought', { kind: 'think', locations: [{ path: '/w/a' }] }, { toolKind: 'other' });
  check(
    'a change',
    { kind: 'edit', content: [{ type: 'diff', path: '/w/a', newText: '' }] },
    { toolKind: 'edit', paths: ['/w/a'] },
  );

  function check(name: string, call: Partial<AgentToolCall>, expected: object): void {
    test(`${name} is a request`, () => {
      const { intent, ...shown } = toolRequest(callOf(call), options);
      expect({ ...shown, ...intent }).toMatchObject(expected);
    });
  }
});

describe('what an option means to our rules', () => {
  check('for an edit', { kind: 'edit', locations: [{ path: '/w/a' }] }, [
    'allow',
    'allow-session',
    'deny',
    'deny',
  ]);
  check('for an edit that shows no path', { kind: 'edit' }, ['allow', 'allow', 'deny', 'deny']);
  check('for leaving a plan', { kind: 'other' }, ['allow', 'allow', 'deny', 'deny']);
  check('for a command', { kind: 'execute', input: { command: 'ls' } }, [
    'allow',
    'allow-session',
    'deny',
    'deny',
  ]);
  check('for a command that only a title hints at', { kind: 'execute', title: 'Bash' }, [
    'allow',
    'allow',
    'deny',
    'deny',
  ]);

  function check(name: string, call: Partial<AgentToolCall>, effects: readonly string[]): void {
    test(`options ${name}`, () => {
      expect(toolRequest(callOf(call), options).options?.map(({ effect }) => effect)).toEqual(effects);
    });
  }

  test('options of a known kind are called as the host calls them', () => {
    const sly: readonly ReadPermissionOption[] = [
      { optionId: 'a', name: 'No, reject', kind: 'allow_once' },
      { optionId: 'aa', name: 'No, never', kind: 'allow_always' },
      { optionId: 'r', name: 'Yes', kind: 'reject_once' },
    ];
    const labels = (kind: AgentToolCall['kind'], options_: readonly ReadPermissionOption[]) =>
      toolRequest(callOf({ kind, locations: [{ path: '/w/a' }] }), options_).options?.map(
        ({ label }) => label,
      );
    expect(labels('edit', sly)).toEqual(['Allow once', 'Allow for this session', 'Deny']);
    expect(labels('other', [...sly, { optionId: 'b', name: 'Keep planning', kind: 'reject_once' }])).toEqual([
      'Allow once',
      'Allow, and the agent may remember it (the agent calls it "No, never")',
      'Deny (the agent calls it "Yes")',
      'Deny (the agent calls it "Keep planning")',
    ]);
  });

  test('what counts once comes before what the agent remembers, whatever its order', () => {
    const memory = [
      { optionId: 'aa', name: 'Allow for this session', kind: 'allow_always' },
      { optionId: 'a', name: 'Allow', kind: 'allow_once' },
      { optionId: 'r', name: 'Reject', kind: 'reject_once' },
    ];
    expect(toolRequest(callOf({}), memory).options?.map(({ id }) => id)).toEqual(['a', 'aa', 'r']);
  });

  test('options of an unknown kind deny, whatever their label says', () => {
    const odd = [
      { optionId: 'allow', name: 'Allow', kind: '' },
      { optionId: 'yes', name: 'Yes', kind: 'allow_for_an_hour' },
      { optionId: 'no', name: '', kind: '' },
    ];
    expect(toolRequest(callOf({}), odd).options?.map(({ label, effect }) => [label, effect])).toEqual([
      ['Allow', 'deny'],
      ['Yes', 'deny'],
      ['no', 'deny'],
    ]);
  });
});

describe('a verdict as the agent is told', () => {
  const odd = { optionId: 'x', name: 'Allow', kind: 'allow_for_an_hour' };
  const allowed = { allowed: true } as const;
  const denied = { allowed: false, reason: 'No.' } as const;
  check('the chosen option', { ...allowed, option: 'aa' }, options, { outcome: 'selected', optionId: 'aa' });
  check('a rule that allows', allowed, options, { outcome: 'selected', optionId: 'a' });
  check('a rule that denies', denied, options, { outcome: 'selected', optionId: 'r' });
  check('a denial where only one for ever is offered', denied, options.slice(0, 2).concat(options.slice(3)), {
    outcome: 'selected',
    optionId: 'rr',
  });
  check('a denial where none is offered', denied, options.slice(0, 2), { outcome: 'cancelled' });
  check('an allowance without any option', allowed, [], { outcome: 'selected', optionId: 'allow_once' });
  check('a refusal by an option of an unknown kind', { ...denied, option: 'x' }, [odd, ...options], {
    outcome: 'selected',
    optionId: 'r',
  });
  check('a refusal where only an unknown kind is offered', { ...denied, option: 'x' }, [odd], {
    outcome: 'cancelled',
  });
  check('an allowance where only an unknown kind is offered', allowed, [odd], { outcome: 'cancelled' });
  check('an option nobody offered', { ...allowed, option: 'zz' }, options, {
    outcome: 'selected',
    optionId: 'a',
  });

  // oxlint-disable-next-line max-params -- one line a case
  function check(
    name: string,
    verdict: Parameters<typeof permissionAnswer>[0],
    offered: readonly ReadPermissionOption[],
    outcome: object,
  ): void {
    test(`verdict: ${name}`, () => {
      expect(permissionAnswer(verdict, offered).outcome).toEqual(outcome);
    });
  }
});

test('words are quoted as a shell reads them back', () => {
  expect(['plain-1.txt', '', 'a b', "it's", '$HOME', 'é'].map(shellQuoted)).toEqual([
    'plain-1.txt',
    "''",
    "'a b'",
    String.raw`'it'\''s'`,
    "'$HOME'",
    "'é'",
  ]);
});
