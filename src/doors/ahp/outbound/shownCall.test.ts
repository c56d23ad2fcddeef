import { expect, test } from 'vitest';
import type { Json } from '../../../model/event.ts';
import type { ToolItem } from '../../../model/state.ts';
import { askedMessage, askedTitle, kindMeta } from './shownCall.ts';

const long = `echo start && ${'x'.repeat(300)} && rm -rf /tmp/the-end`;
const ask = { title: `$ ${long}` };

interface Given {
  readonly input: Json | undefined;
  readonly toolKind?: ToolItem['toolKind'];
  readonly status?: ToolItem['status'];
}

const terminal = { kind: 'execute', toolKind: 'terminal', language: 'shellscript' } as const;

test.each<[string, Given, readonly [message: string | undefined, meta: object]]>([
  ['a lone command', { input: { command: long } }, [`$ ${long}`, terminal]],
  ['a command as text', { input: long }, [`$ ${long}`, terminal]],
  [
    'a command with a place',
    { input: { command: 'rm -rf x', working_directory: '/', timeout: 5 } },
    ['$ rm -rf x\nworking_directory: /\ntimeout: 5', { kind: 'execute' }],
  ],
  [
    'a command in which something hides',
    { input: { command: 'ls\r\u001b[8m\u00a0; rm', x: '\u202e' } },
    ['$ ls\\r\\u001b[8m\\u00a0; rm\nx: \\u202e', { kind: 'execute' }],
  ],
  // A box with the command alone would not show the blanks.
  ['a command with hidden blanks', { input: '\u3000ls' }, ['$ \\u3000ls', { kind: 'execute' }]],
  ['a command of the settings', { input: { name: 'x' } }, [ask.title, { kind: 'execute' }]],
  ['a list of words', { input: { command: ['rm', '-rf'] } }, [ask.title, { kind: 'execute' }]],
  ['a call without arguments', { input: undefined }, [ask.title, {}]],
  ['a file', { input: { command: long }, toolKind: 'edit' }, [undefined, { kind: 'edit' }]],
  [
    'a command that nobody is asked about',
    { input: { command: long }, status: 'running' },
    [undefined, terminal],
  ],
])(
  '%s is asked about as a whole',
  (_, { input, toolKind = 'execute', status = 'asking' }, [message, meta]) => {
    const tool = { ...blank, toolKind, status, input };
    expect(askedMessage(tool, ask)).toBe(message);
    expect(kindMeta(tool)).toEqual(meta);
  },
);

test('the words of an agent do not replace its command', () => {
  const tool: ToolItem = { ...blank, input: { command: long } };
  expect(askedMessage(tool, { title: 'Run the tests' })).toBe(`$ ${long}`);
  expect(askedMessage({ ...blank, input: {} }, { title: 'Run the tests' })).toBeUndefined();
});

test.each([
  ['$ ls', '$ ls', '$ ls'],
  [ask.title, ask.title, 'Run this command?'],
  ['$ a\nb', '$ a\nb', 'Run this command?'],
  [`${ask.title} (in /w)`, `${ask.title}\ncwd: /w`, 'Run this command?'],
  // The name of the tool stands there in its place.
  ['Edit a.js', 'Edit a.js', undefined],
  // Nothing else says it.
  [`May I? ${long}`, 'Fetching a', `May I? ${long}`],
])('a title does not say again what the message says', (title, message, shown) => {
  expect(askedTitle({ title }, message)).toBe(shown);
});

test('a title says why we ask, also where it leaves the command out', () => {
  const reason = 'this runs outside the sandbox';
  const asked = { title: `${ask.title} (${reason}: it must)`, reason };
  expect(askedTitle(asked, ask.title)).toBe(`Run this command? (${reason})`);
});

const blank: ToolItem = {
  type: 'tool',
  id: 'x',
  at: 0,
  name: 'shell_command',
  title: '$ echo start...',
  toolKind: 'execute',
  source: 'native',
  server: undefined,
  status: 'asking',
  input: undefined,
  inputText: '',
  locations: [],
  preview: [],
  basis: undefined,
  approval: undefined,
  runningAt: undefined,
  endedAt: undefined,
  output: '',
  content: [],
  result: undefined,
};
