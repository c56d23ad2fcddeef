import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge } from '../../host/policy/policy.ts';
import { rememberLine } from '../../host/policy/judgeCommand.ts';
import type { Rule } from '../../model/event.ts';
import { parseCommand } from './parseCommand.ts';

test.each([
  ['ls -l "a b"', [['ls', '-l', 'a b']], []],
  ['a && b | c; (d)', [['a'], ['b'], ['c'], ['d']], []],
  [
    'echo $(curl x)',
    [
      ['echo', '$(curl x)'],
      ['curl', 'x'],
    ],
    ['substitution'],
  ],
  [
    "sh -c 'curl x'",
    [
      ['sh', '-c', 'curl x'],
      ['curl', 'x'],
    ],
    ['wrapper'],
  ],
  ['A=b ls > c', [['ls']], ['assignment']],
  ['ls > c', [['ls']], []],
  ['ls > $c', [['ls']], ['dynamic']],
  ['ls > *', [['ls']], ['dynamic']],
  ['> c', [[':']], ['redirection']],
  ['(ls) > c', [[':'], ['ls']], ['redirection']],
  ['CI=1 npm test', [['npm', 'test']], []],
  ['CI=1 NO_COLOR= npm test', [['npm', 'test']], []],
  ['CI=$x npm test', [['npm', 'test']], ['assignment', 'dynamic']],
  [
    'CI=1; npm test',
    [
      [':', '1'],
      ['npm', 'test'],
    ],
    ['assignment'],
  ],
  ['PATH=x npm test', [['npm', 'test']], ['assignment']],
  ['CI=1 if x', [['if', 'x']], ['unparsable']],
  ['node --test', [['node', '--test']], []],
  [
    'for f in a b; do node --test "$f"; done',
    [
      ['node', '--test', 'a'],
      ['node', '--test', 'b'],
    ],
    [],
  ],
  [
    'for i in 1 2\ndo\n  npm test && ls ${i}.txt > $i\ndone',
    [
      ['npm', 'test'],
      ['ls', '1.txt'],
      ['npm', 'test'],
      ['ls', '2.txt'],
    ],
    [],
  ],
  ['ls (', [['ls']], ['unparsable']],
  ['make A=b', [['make', 'A=b']], []],
])('%s', (text, words, doubts) => {
  const line = parseCommand(text, 'linux');
  expect([line.parts.map((part) => part.words), line.doubts]).toEqual([words, doubts]);
});

test('a line of another shell is not read at all', () => {
  expect(parseCommand('ls', 'win32')).toEqual({ parts: [], doubts: ['unparsable'] });
});

test.each([
  ['git log -5', ['git log *']],
  ['git -c a=b log', ['git -c a=b log']],
  ['npm run build -- x', ['npm run build *']],
  ['ls -la', ['ls *']],
  ['rm -rf x', ['rm -rf x']],
  ['node x.js', ['node x.js']],
  ['./x.sh', ['./x.sh']],
  ['ls && ls -a && cat x', ['ls *', 'cat *']],
  ['cd a && make test', ['make test *']],
  ['git', ['git']],
  ['docker compose up', ['docker compose up *']],
  ['ls *', undefined],
  ["ls '*'", undefined],
  ['echo $x', undefined],
  ['sudo ls', undefined],
  ['ls > x', undefined],
  ['pwd', undefined],
])('%s is remembered as %j', (text, keys) => {
  expect(rememberLine(parseCommand(text, 'linux'))?.map((key) => key.join(' '))).toEqual(keys);
});

const everything: Rule = { id: 'a', effect: 'allow', tool: '*', command: ['*'] };
const verdict = (command: string, rules: readonly Rule[], mode?: string) =>
  judge(
    {
      name: 'shell_command',
      toolKind: 'execute',
      input: {},
      paths: ['/w'],
      command,
      line: parseCommand(command, 'linux'),
    },
    { roots: ['/w'], rules, mode },
  ).effect;

test.each([
  ['ls *', 'ask'],
  ['wc -l *.ts', 'ask'],
  ['grep -n x *', 'ask'],
  ['cat a* | sort', 'ask'],
  ['sort *', 'deny'],
  ['sort *.txt', 'deny'],
  ['sort ?oX', 'deny'],
  ['ls | sort -u *', 'deny'],
  ['sort -- *', 'deny'],
  ['sort ./* src/*.txt a*', 'ask'],
  ['find *', 'deny'],
  ['find src/*/test -name "*.ts"', 'ask'],
  ['sed -n 1p *', 'deny'],
  ['rg x *', 'deny'],
  ['git diff *', 'deny'],
  ['git diff -- *.ts', 'ask'],
  ['awk a*', 'deny'],
  ['date 0*', 'deny'],
  ['[ * ]', 'deny'],
])('in plan mode, where a file may be called -oX: %s', (command, effect) => {
  expect(verdict(command, [], 'plan')).toBe(effect);
});

/** Pieces that shells find meaning in, besides any text at all. */
const piece = fc.oneof(
  fc.constantFrom(
    ' ',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '\n',
    '(',
    ')',
    '{',
    '}',
    '$(',
    '`',
    '"',
    "'",
    '\\',
    '>',
    '<',
    '<<E\n',
    '$x',
    '${',
    '*',
    '#',
    'ls',
    'echo',
    'if',
    'then',
    'fi',
    'do',
    'done',
    '[[',
    ']]',
    '=',
    '!',
    'sh -c',
    'eval',
  ),
  fc.string({ maxLength: 5 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

test('reading is total, and a line that cannot be read is not allowed', () => {
  fc.assert(
    fc.property(text, (line) => {
      const { parts, doubts } = parseCommand(line, 'linux');
      const unread = doubts.length > 0 || parts.length === 0;
      expect(unread && verdict(line, [everything]) === 'allow').toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('a command on a line of its own is never overlooked, whatever comes before it', () => {
  const deny: Rule = { id: 'd', effect: 'deny', tool: '*', command: ['curl'] };
  // A backslash takes the meaning from what follows it.
  const before = text.filter((line) => !line.endsWith('\\'));
  fc.assert(
    fc.property(before, fc.constantFrom('\n', '; ', ' && ', ' | ', ' & '), (line, join) => {
      expect(verdict(`${line}${join}curl x`, [everything, deny])).not.toBe('allow');
    }),
    { numRuns: 2_000 },
  );
});
