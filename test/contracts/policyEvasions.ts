// Command lines that once got past the rules, as data: text that the parser misread, paths glued to options,
// and arguments that load a program.
import type { CommandCases } from './policyCommands.ts';

const usual = ['$ ls *', '$ cat *', '$ echo *', '$ git status *'];

const misread = [
  'ls 2>(touch x)',
  'ls 1>(touch x)',
  'ls 12<(touch x)',
  'echo hi 2>(touch x)',
  'git status 1>(touch x)',
  'ls a2>(touch x)',
  'ls 2>(sh -c "touch x")',
];

/** Lines that a shell joins before it reads them. */
const joined = [
  'cat $\\\nHOME/secret.txt',
  "cat $\\\n'/etc/passwd'",
  'cat $\\\n{HOME}/x',
  'cat "$\\\nHOME/x"',
  'l\\\ns',
  'ls \\\n-la',
  'cat .\\\n./x',
  'ls $\\\n(id)',
];

export const evasionCases: readonly CommandCases[] = [
  {
    name: 'process substitutions behind a digit',
    allow: usual,
    cases: misread.map((line) => [line, 'ask']),
  },
  {
    name: 'process substitutions behind a digit, with a forbidden program',
    allow: usual,
    deny: ['$ touch *'],
    cases: misread.map((line) => [line, 'deny']),
  },
  {
    name: 'process substitutions behind a digit, in a trusted session',
    allow: [],
    deny: ['$ touch *'],
    trusted: true,
    cases: [
      ...misread.map((line) => [line, 'deny'] as const),
      ['ls 2>(rm -rf sub)', 'ask'],
      ['echo $(ls 2>(id))', 'ask'],
      ['ls "$x" 2>(id)', 'ask'],
    ],
  },
  {
    name: 'process substitutions behind a digit, in plan mode',
    allow: usual,
    mode: 'plan',
    cases: misread.map((line) => [line, 'deny']),
  },
  { name: 'lines that are joined', allow: usual, cases: joined.map((line) => [line, 'ask']) },
  {
    name: 'lines that are joined, in plan mode',
    allow: usual,
    mode: 'plan',
    cases: joined.map((line) => [line, 'deny']),
  },
  {
    name: 'lines that are joined, in a trusted session',
    allow: [],
    deny: ['$ curl *'],
    trusted: true,
    cases: [
      ['$\\\nx y', 'ask'],
      ['ls; $\\\n{x} y', 'ask'],
      ['npm run build \\\n  --silent', 'allow'],
      ['npm test \\\n  && curl x', 'deny'],
    ],
  },
];
