import { expect, test } from 'vitest';
import type { Rule } from '../../model/event.ts';
import type { ToolIntent } from './toolRequest.ts';
import type { CommandLine } from './commandLine.ts';
import { contains } from '../../base/paths.ts';
import { judge } from './policy.ts';
import { parseRule } from './ruleText.ts';

const rule = (effect: Rule['effect'], tool: string, match?: string): Rule => ({
  id: 'r',
  effect,
  tool,
  ...(match === undefined ? {} : { match }),
});
const request = (
  name: string,
  toolKind: ToolIntent['toolKind'],
  more: Partial<ToolIntent> = {},
): ToolIntent => ({ name, toolKind, input: {}, paths: ['/w/app/x'], ...more });

const plainPart = (...words: readonly string[]) => ({ words, globs: [], reads: [], writes: [] });
const withArgs = (command: string): Rule => ({ ...rule('allow', 'shell_command'), args: { command } });
const parsed = (command: string, parts: readonly (readonly string[])[]): ToolIntent =>
  request('shell_command', 'execute', {
    command,
    input: { command },
    paths: ['/w/app'],
    line: { doubts: [], parts: parts.map((words) => ({ words, globs: [], reads: [], writes: [] })) },
  });

test.each<[string, ToolIntent, readonly Rule[], string]>([
  ['reads inside are free', request('read_file', 'read'), [], 'allow'],
  ['searches inside are free', request('grep', 'search'), [], 'allow'],
  ['reads outside ask', request('read_file', 'read', { paths: ['/etc/passwd'] }), [], 'ask'],
  [
    'one path outside is enough',
    request('read_file', 'read', { paths: ['/w/app/x', '/w/other'] }),
    [],
    'ask',
  ],
  [
    'a twin of the workspace is outside',
    request('read_file', 'read', { paths: ['/w/app-secret/x'] }),
    [],
    'ask',
  ],
  ['writes ask', request('write_file', 'edit'), [], 'ask'],
  ['commands ask', request('shell_command', 'execute', { command: 'ls' }), [], 'ask'],
  ['an allowed tool runs', request('write_file', 'edit'), [rule('allow', 'write_file')], 'allow'],
  [
    'an allowed tool still asks outside',
    request('write_file', 'edit', { paths: ['/etc/x'] }),
    [rule('allow', 'write_file')],
    'ask',
  ],
  [
    'an allowed command runs',
    request('shell_command', 'execute', { command: 'ls' }),
    [rule('allow', 'shell_command', 'ls')],
    'allow',
  ],
  [
    'another command asks',
    request('shell_command', 'execute', { command: 'ls; rm -rf /' }),
    [rule('allow', 'shell_command', 'ls')],
    'ask',
  ],
  [
    'a command that nobody can read is never allowed by its tool alone',
    request('shell_command', 'execute', { command: 'ls' }),
    [rule('allow', 'shell_command')],
    'ask',
  ],
  [
    "a command line of the user's own is allowed by the name of its tool",
    request('deploy', 'execute', { command: 'x > y', written: true }),
    [rule('allow', 'deploy')],
    'allow',
  ],
  [
    'an expression for the command must fit every part of it',
    parsed('ls -l', [['ls', '-l']]),
    [withArgs('ls .*')],
    'allow',
  ],
  [
    'and what fits the line as a whole is not enough',
    parsed('ls -l; rm x', [
      ['ls', '-l'],
      ['rm', 'x'],
    ]),
    [withArgs('ls .*')],
    'ask',
  ],
  [
    'several expressions may cover the parts',
    parsed('ls -l; pwd -P', [
      ['ls', '-l'],
      ['pwd', '-P'],
    ]),
    [withArgs('ls .*'), withArgs('pwd.*')],
    'allow',
  ],
  ['an expression allows no wrapper', parsed('sudo ls', [['sudo', 'ls']]), [withArgs('sudo .*')], 'ask'],
  ['an expression allows nothing outside', parsed('ls /etc', [['ls', '/etc']]), [withArgs('ls .*')], 'ask'],
  [
    'an expression forbids every part of a line',
    parsed('ls -l; rm x', [
      ['ls', '-l'],
      ['rm', 'x'],
    ]),
    [withArgs('.*'), { ...withArgs('rm .*'), effect: 'deny' }],
    'deny',
  ],
  [
    'an expression forbids what stands behind a wrapper',
    parsed('sudo rm x', [['sudo', 'rm', 'x']]),
    [{ ...withArgs('rm .*'), effect: 'deny' }],
    'deny',
  ],
  [
    'an expression that forbids something else says nothing',
    parsed('ls rm', [['ls', 'rm']]),
    [withArgs('ls .*'), { ...withArgs('rm .*'), effect: 'deny' }],
    'allow',
  ],
  [
    'who forbids a tool means every spelling',
    request('Bash', 'execute', { command: 'ls' }),
    [rule('deny', 'bash')],
    'deny',
  ],
  ['who allows a tool means this one', request('Bash', 'other'), [rule('allow', 'bash')], 'ask'],
  [
    'deny wins over allow',
    request('write_file', 'edit'),
    [rule('allow', 'write_file'), rule('deny', 'write_file')],
    'deny',
  ],
  [
    'deny wins outside too',
    request('read_file', 'read', { paths: ['/etc/x'] }),
    [rule('deny', 'read_file')],
    'deny',
  ],
  [
    'ask wins over allow',
    request('write_file', 'edit'),
    [rule('allow', 'write_file'), rule('ask', 'write_file')],
    'ask',
  ],
  [
    'a rule for another tool says nothing',
    request('write_file', 'edit'),
    [rule('allow', 'edit_file')],
    'ask',
  ],
])('%s', (_, ...[given, rules, effect]) => {
  expect(judge(given, { roots: ['/w/app'], rules }).effect).toBe(effect);
});

test.each<[string, string, string]>([
  ['a slow expression', '(\\w+[. ]?)*#', 'allow'],
  ['an expression that refers back', '(a)\\1', 'deny'],
  ['a broken expression', '[', 'deny'],
])('%s in a deny rule is tried in no time, or denies', (_, path, effect) => {
  const given = request('read_file', 'read', { paths: ['/w/app/x'], input: { path: 'a'.repeat(5_000) } });
  const start = performance.now();
  expect(
    judge(given, { roots: ['/w/app'], rules: [{ id: 'r', effect: 'deny', tool: '*', args: { path } }] })
      .effect,
  ).toBe(effect);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test.each<[string, CommandLine, string]>([
  ['npm ci', { doubts: [], parts: [plainPart('npm', 'ci')] }, 'allow'],
  ['$x y', { doubts: ['blind', 'dynamic'], parts: [{ ...plainPart('$x', 'y'), open: [0] }] }, 'ask'],
  ["perl -e '`curl x`'", { doubts: [], parts: [plainPart('perl', '-e', '`curl x`')] }, 'ask'],
  ["perl -e 'print 1'", { doubts: [], parts: [plainPart('perl', '-e', 'print 1')] }, 'allow'],
  ['ls | curl x', { doubts: [], parts: [plainPart('ls'), plainPart('curl', 'x')] }, 'deny'],
])('a trusted session with an expression against curl: %s', (command, line, effect) => {
  const given = request('shell_command', 'execute', { command, input: { command }, paths: ['/w/app'], line });
  expect(
    judge(given, { roots: ['/w/app'], rules: [{ ...withArgs('curl.*'), effect: 'deny' }], trusted: true })
      .effect,
  ).toBe(effect);
});

test.each([
  ['execute(rm *)', { tool: 'execute', command: ['rm', '*'] }],
  ['run_shell_command(git push)', { tool: 'run_shell_command', command: ['git', 'push'] }],
  ['Bash(ls)', { tool: 'Bash', command: ['ls'] }],
  ['write_file(src/**)', { tool: 'write_file', paths: ['src/**'] }],
  ['$ npm test', { tool: '*', command: ['npm', 'test'] }],
])('%s is read as %j', (text, expected) => expect(parseRule(text)).toEqual(expected));

test.each([
  ['/w/app', '/w/app', true],
  ['/w/app', '/w/app/a/b', true],
  ['/w/app/', '/w/app/a', true],
  ['/w/app', '/w/app2', false],
  ['/w/app', '/w', false],
  ['/', '/etc/x', true],
  ['C:\\w', 'C:\\w\\a', true],
  ['C:\\w', 'C:\\ww', false],
])('%s contains %s: %s', (root, path, inside) => {
  expect(contains(root, path)).toBe(inside);
});

test.each<[line: string, expected: string]>([
  ['cat b/.env', 'allow'],
  ['ls && cat b/.env', 'allow'],
  ['mv a b && cat b/.env', 'ask'],
  ['git mv a b && cat b/.env', 'ask'],
  ['mv a b && cp b/.env c', 'ask'],
  ['mv a b && cp -t c b/.env', 'ask'],
  ['mv a b && mv --exchange c b/.env', 'ask'],
  ['mv a b && jq . b/.env', 'ask'],
  ['mv a b && grep b/.env -e KEY', 'ask'],
  ['mv a b && grep -f b/.env c', 'ask'],
  // Nobody reads these words as files that have secrets in them.
  ['cp .env.example .env && npm ci', 'allow'],
  ['npm ci && cp -n .env.example .env', 'allow'],
  ['npm test | jq .key', 'allow'],
  ['npm test | jq -r .key', 'allow'],
  ['npm test | grep -i .key', 'allow'],
])('a file of secrets may get its name in the line that reads it: %s: %s', (line, expected) => {
  expect(judgedWithoutFiles(line)).toEqual([expected, expected]);
});

test.each<[line: string, expected: string]>([
  ['git show HEAD:.env', 'ask'],
  ['git log -p -- .env', 'ask'],
  ['git diff HEAD~1 -- sub/.env', 'ask'],
  ['git blame HEAD~1 -- .env', 'ask'],
  ['git cat-file blob HEAD:.env', 'ask'],
  ['git archive HEAD .env', 'ask'],
  ['git grep KEY HEAD -- .env', 'ask'],
  ['git show grep HEAD:.env', 'ask'],
  ['git grep .env', 'allow'],
  ['git add .env', 'allow'],
  ['git log -p', 'allow'],
  ['git show HEAD:src/a.ts', 'allow'],
])('git may have a file of secrets that is not there any more: %s: %s', (line, expected) => {
  expect(judgedWithoutFiles(line)).toEqual([expected, expected]);
});

/** What is said of a line under rules and in the sandbox, where none of the files is there. */
function judgedWithoutFiles(line: string): readonly string[] {
  const names = ['cat', 'mv', 'cp', 'git', 'ls', 'npm', 'jq', 'grep'];
  const rules = names.map((name) => ({ ...rule('allow', 'shell_command'), command: [name, '*'] }));
  const parts = line.split(/ && | \| /).map((part) => part.split(' '));
  const intent = { ...parsed(line, parts), sandbox: {} };
  const context = { roots: ['/w/app'], isFile: () => false };
  return [
    judge(intent, { ...context, rules }).effect,
    judge(intent, { ...context, rules: [], autonomy: 'auto' }).effect,
  ];
}
