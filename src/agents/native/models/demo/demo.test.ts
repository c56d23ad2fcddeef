import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../model/event.ts';
import type { CallResult, ModelMessage, ModelPart } from '../../model.ts';
import { toUserMessage } from '../../turn/modelMessages.ts';
import { demoModel } from './demo.ts';

const model = demoModel({ sleep: () => Promise.resolve() });

async function ask(
  prompt: string,
  results: readonly CallResult[] = [],
  roots: readonly string[] = ['/w'],
): Promise<readonly ModelPart[]> {
  const messages: ModelMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'an earlier request' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'an earlier answer' }] },
    { role: 'user', content: [{ type: 'text', text: prompt }] },
    ...(results.length > 0
      ? [{ role: 'assistant', content: [] } as const, { role: 'tool', results } as const]
      : []),
  ];
  const parts: ModelPart[] = [];
  for await (const part of model.stream({
    system: '',
    messages,
    start: 2,
    tools: [],
    roots,
    signal: new AbortController().signal,
  }))
    parts.push(part);
  return parts;
}

function calls(parts: readonly ModelPart[]): readonly (readonly [string, Json])[] {
  return parts.flatMap((part) =>
    part.type === 'tool-call' ? [[part.name, JSON.parse(part.input) as Json] as const] : [],
  );
}

function words(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

describe('a request and the calls it leads to', () => {
  check('what is in this folder', ['directory_tree', { path: '.', max_depth: 2 }]);
  check("What's in here?", ['directory_tree', { path: '.', max_depth: 2 }]);
  check('show me the src folder', ['directory_tree', { path: 'src', max_depth: 2 }]);
  check('what is in src?', ['directory_tree', { path: 'src', max_depth: 2 }]);
  check('list the files in src/host', ['directory_tree', { path: 'src/host', max_depth: 2 }]);
  check('Please describe this project', ['directory_tree', { path: '.', max_depth: 2 }]);
  check('ls', ['directory_tree', { path: '.', max_depth: 2 }]);
  check('read README.md', ['read_file', { path: 'README.md' }]);
  check('read @README.md', ['read_file', { path: 'README.md' }]);
  check('show me package.json', ['read_file', { path: 'package.json' }]);
  check('Could you show the file `my notes.txt`?', ['read_file', { path: 'my notes.txt' }]);
  check(
    'read README.md and package.json',
    ['read_file', { path: 'README.md' }],
    ['read_file', { path: 'package.json' }],
  );
  check("what's in src/main.ts?", ['read_file', { path: 'src/main.ts' }]);
  check('cat Makefile', ['read_file', { path: 'Makefile' }]);
  check('create notes.txt with Remember the milk', [
    'write_file',
    { path: 'notes.txt', content: 'Remember the milk\n' },
  ]);
  check('Create a new file called a/b.md containing "one\ntwo"', [
    'write_file',
    { path: 'a/b.md', content: 'one\ntwo\n' },
  ]);
  check('create notes.txt with the text: see other.txt', [
    'write_file',
    { path: 'notes.txt', content: 'see other.txt\n' },
  ]);
  check('write hello.py', ['write_file', { path: 'hello.py', content: 'print("Hello from Parley")\n' }]);
  check('write "hi there" to greeting.txt', ['write_file', { path: 'greeting.txt', content: 'hi there\n' }]);
  check('write a poem to poem.txt', [
    'write_file',
    { path: 'poem.txt', content: 'poem.txt\n\nWritten by the demo model of Parley.\n' },
  ]);
  check('replace milk with bread in notes.txt', [
    'edit_file',
    { path: 'notes.txt', original_content: 'milk', new_content: 'bread', all_occurrences: true },
  ]);
  check('change "a in b" to "c with d" in x.txt', [
    'edit_file',
    { path: 'x.txt', original_content: 'a in b', new_content: 'c with d', all_occurrences: true },
  ]);
  check('in x.txt replace one with two', [
    'edit_file',
    { path: 'x.txt', original_content: 'one', new_content: 'two', all_occurrences: true },
  ]);
  check('run npm test', ['shell_command', { command: 'npm test' }]);
  check('run: ls -la', ['shell_command', { command: 'ls -la' }]);
  check('$ echo "hi"', ['shell_command', { command: 'echo "hi"' }]);
  check('Run `git status` please', ['shell_command', { command: 'git status' }]);
  check('run the tests', ['directory_tree', { path: '.', max_depth: 1 }]);
  check('find TODO', ['grep', { path: '.', pattern: 'TODO', output_mode: 'content' }]);
  check('find all TODO comments in src', ['grep', { path: 'src', pattern: 'TODO', output_mode: 'content' }]);
  check('search for "a.b(c)" in the code', [
    'grep',
    { path: '.', pattern: 'a\\.b\\(c\\)', output_mode: 'content' },
  ]);
  check('where is main?', ['grep', { path: '.', pattern: 'main', output_mode: 'content' }]);
  check('help');
  check('Hello!');
  check('thanks a lot');
  check('refactor the parser to use monads', ['directory_tree', { path: '.', max_depth: 1 }]);
  check(`replace ${'with in '.repeat(2_000)}`, ['directory_tree', { path: '.', max_depth: 1 }]);
  check('', ['directory_tree', { path: '.', max_depth: 1 }]);

  function check(prompt: string, ...expected: readonly (readonly [string, Json])[]): void {
    test(`${prompt.slice(0, 60)} leads to ${expected.length} calls`, async () => {
      const parts = await ask(prompt);
      expect(calls(parts)).toEqual(expected);
      expect(words(parts)).not.toBe('');
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: expected.length > 0 ? 'calls' : 'stop' });
    });
  }
});

describe('a result and what is said about it', () => {
  const result = (name: string, text: string, status: CallResult['status'] = 'done'): CallResult => ({
    id: 'c',
    name,
    status,
    text,
  });
  check(
    'what is in this folder',
    result('directory_tree', '/w\n src\n  a.ts\n README.md\n\n1 directories, 2 files'),
    'I see `src` and `README.md`. In all: 1 directories, 2 files.',
  );
  check('read a', result('directory_tree', '/w\n\n0 directories, 0 files'), 'It is empty.');
  check('read a.txt', result('read_file', 'one\ntwo'), 'It has 2 lines:\n\n```\none\ntwo\n```');
  check('read a.md', result('read_file', '```\nx\n```'), 'It has 3 lines:\n\n````\n```\nx\n```\n````');
  check(
    'read a.txt',
    result('read_file', '/w/a.txt does not exist.', 'failed'),
    'That did not work: a.txt does not exist.',
  );
  check(
    'find x',
    result('grep', '/w/a:1:x\n/w/a:2:x\n/w/b:1:x'),
    'I found 3 lines in 2 files:\n\n```\na:1:x\na:2:x\nb:1:x\n```',
  );
  check('find x', result('grep', 'No matches found.'), 'I found nothing.');
  check(
    'write a.txt',
    result('write_file', 'Successfully wrote to /w/a.txt'),
    'Done: `a.txt` is written. Ask me to read it if you like to see it.',
  );
  check(
    'write a.txt',
    result('write_file', 'refused', 'denied'),
    'You said no, so nothing was done and everything is as it was.',
  );
  check(
    'replace a with b in c.txt',
    result('edit_file', 'Successfully replaced content in /w/c.txt.'),
    'Done: `c.txt` is changed.',
  );
  check(
    'run ls',
    result('shell_command', 'Exit code: 0\nStdout:\na\nb'),
    'It ended well. It said:\n\n```\na\nb\n```',
  );
  check(
    'run false',
    result('shell_command', 'Exit code: 1', 'failed'),
    'It ended with exit code 1. It said nothing.',
  );
  check(
    'run sleep 100',
    result('shell_command', 'The command was stopped after 60000 ms.', 'failed'),
    'The command was stopped after 60000 ms. It said nothing.',
  );

  function check(prompt: string, given: CallResult, expected: string): void {
    test(`${prompt}: ${given.name} ${given.status}`, async () => {
      const said = words(await ask(prompt, [given]));
      expect(said.split('\n\nI am the built-in demo model')[0]).toBe(expected);
    });
  }
});

test('tests are run with the command of the project that was found', async () => {
  const listed: CallResult = {
    id: 'c',
    name: 'directory_tree',
    status: 'done',
    text: '/w\n package.json\n\n0 directories, 1 files',
  };
  expect(calls(await ask('run the tests', [listed]))).toEqual([['shell_command', { command: 'npm test' }]]);
  const ran: CallResult = { id: 'd', name: 'shell_command', status: 'done', text: 'Exit code: 0' };
  expect(words(await ask('run the tests', [listed, ran]))).toBe('It ended well. It said nothing.');
});

test('it says what it is, and does nothing where no folder is open', async () => {
  expect(words(await ask('help'))).toContain('I am the built-in demo model: no key, no network.');
  const parts = await ask('read a.txt', [], []);
  expect([calls(parts), words(parts)]).toEqual([
    [],
    'I am the built-in demo model. No folder is open in this session, so there is nothing I ' +
      'could look at yet.',
  ]);
});

test('it stops speaking when it is stopped', async () => {
  const stop = new AbortController();
  let heard = 0;
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'help' }] }];
  for await (const _ of model.stream({
    system: '',
    messages,
    start: 0,
    tools: [],
    roots: ['/w'],
    signal: stop.signal,
  })) {
    heard += 1;
    if (heard === 3) stop.abort();
  }
  expect(heard).toBe(3);
});

test('results are told the same where tools go by other names', async () => {
  const result = { id: '1', status: 'done', text: 'Successfully wrote to /w/a.txt' } as const;
  const told = await Promise.all(
    [
      { ...result, name: 'write_file' },
      { ...result, name: 'eca__write_file', text: `${result.text}\n` },
    ].map(async (each) => words(await ask('create a.txt with hi', [each]))),
  );
  expect(told).toEqual(['Done: `a.txt` is written. Ask me to read it if you like to see it.', told[0]]);
});

test('work that broke off is begun again', async () => {
  const messages: ModelMessage[] = [
    { role: 'user', content: [{ type: 'text', text: 'run sleep 5' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'I will run it.' }] },
    { role: 'tool', results: [{ id: '1', name: 'shell_command', status: 'interrupted', text: 'gone' }] },
    toUserMessage({ id: 'm', text: '/continue' }),
  ];
  const parts: ModelPart[] = [];
  const { signal } = new AbortController();
  for await (const part of model.stream({ system: '', messages, start: 3, tools: [], roots: ['/w'], signal }))
    parts.push(part);
  expect(calls(parts)).toEqual([['shell_command', { command: 'sleep 5' }]]);
});
