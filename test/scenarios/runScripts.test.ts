// `parley run` in shell scripts, as a CI job would call it: the exit code of each, and its JSON held against
// the schema in docs.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

const root = join(import.meta.dirname, '..', '..');
const schema = JSON.parse(readFileSync(join(root, 'docs', 'run.schema.json'), 'utf8')) as {
  readonly $defs: { readonly [name: string]: { readonly properties?: object } };
};
// Nothing may be printed that the schema does not describe, although readers must expect more.
for (const definition of Object.values(schema.$defs))
  if (definition.properties) Object.assign(definition, { additionalProperties: false });
const fits = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** Sends a signal to a run that hangs, once it has begun. */
function signalled(signal: string): string {
  const lines = `lines-${signal}`;
  const begun = `until grep -qs start ${lines}; do sleep 0.1; done`;
  const ended = `kill -${signal} $!; wait $!; code=$?; cat ${lines}; exit $code`;
  return `parley run --output stream-json hang >${lines} & ${begun}; ${ended}`;
}

let home: Home;
let path: string;

beforeAll(async () => {
  home = newHome();
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'parley'), `#!/bin/sh\nexec "${process.execPath}" "${home.program}" "$@"\n`);
  chmodSync(join(bin, 'parley'), 0o755);
  path = `${bin}:${process.env['PATH'] ?? ''}`;
  const script = join(home.dir, 'script.json');
  writeFileSync(
    script,
    JSON.stringify([
      {
        when: 'Spend',
        steps: [{ tool: 'list_directory', input: {} }, { usage: { input: 10, output: 5, cost: 0.2 } }],
      },
      { when: 'Guess', steps: [{ usage: { input: 10, output: 5 } }, { hang: true }] },
    ]),
  );
  home.env['PARLEY_SCRIPT'] = script;
  await home.serve();
});
afterAll(() => home.dispose());

interface Script {
  readonly name: string;
  readonly script: string;
  readonly code?: number;
  /** What the script prints besides JSON. */
  readonly says?: string;
  /** The last JSON line, in part. */
  readonly result?: object;
  readonly types?: readonly string[];
  readonly check?: (lines: readonly Line[]) => void;
}

interface Line {
  readonly type: string;
  readonly session?: string;
  readonly [name: string]: unknown;
}

const scripts: readonly Script[] = [
  {
    name: 'the answer in a variable',
    script: 'out=$(parley run "say Hello."); echo "[$out]"',
    says: '[Hello.]',
  },
  { name: 'the prompt through a pipe', script: 'echo "say From a pipe." | parley run', says: 'From a pipe.' },
  {
    name: 'a prompt and a file',
    script: 'echo "the diff" > d; parley run "Review:" - < d',
    says: 'You said: Review:\n\nthe diff\n',
  },
  {
    name: 'one JSON result',
    script: 'parley run --output json "say Done."',
    result: {
      status: 'done',
      exitCode: 0,
      result: 'Done.\n',
      denied: [],
      usage: { models: expect.any(Array) },
    },
    types: ['result'],
  },
  {
    name: 'every step as a line, with a command that is allowed',
    script: `parley run --output stream-json --allow '$ touch *' 'tool shell_command {"command":"touch made"}'`,
    result: { status: 'done', result: 'shell_command: done.\n' },
    types: ['start', 'tool-start', 'tool-end', 'text', 'result'],
    check: ([start, call, end]) => {
      expect(start).toMatchObject({ schema: 1, folder: home.workspace });
      expect(call).toMatchObject({ name: 'shell_command', input: { command: 'touch made' } });
      expect(end).toMatchObject({ id: call?.['id'], status: 'done', rule: 'allow *: touch * (--allow)' });
      expect(existsSync(join(home.workspace, 'made'))).toBe(true);
    },
  },
  {
    name: 'what nobody allowed',
    script: `parley run --output json 'tool shell_command {"command":"date > x"}'`,
    code: 4,
    result: {
      status: 'denied',
      error: { code: 'denied' },
      denied: [{ name: 'shell_command', reason: expect.stringContaining('--allow') }],
    },
  },
  {
    name: 'what a rule refuses, whatever is allowed',
    script: `parley run --output json --mode plan --allow '*' 'tool shell_command {"command":"date > x"}'`,
    code: 4,
    result: {
      status: 'denied',
      error: { message: 'Something was refused by a rule, which --allow does not change.' },
      denied: [{ reason: expect.stringContaining('plan mode only reads') }],
    },
  },
  {
    name: 'a session that goes on, by folder and by ID',
    script: `mkdir -p other && cd other
parley run --output json "say One."
parley run --output json --continue "say Two."
id=$(parley sessions list --json | grep -m1 -o '"id": "[^"]*' | cut -d'"' -f4)
cd / && parley run --output json --session "$(echo "$id" | cut -c1-12)" "say Three."`,
    types: ['result', 'result', 'result'],
    result: { status: 'done', result: 'Three.\n' },
    check: (lines) => expect(new Set(lines.map(({ session }) => session)).size).toBe(1),
  },
  {
    name: 'another folder',
    script: `mkdir -p there && cd / && parley run --json --cwd "$OLDPWD/there" --allow '$ touch *' 'tool shell_command {"command":"touch made"}'`,
    result: { status: 'done' },
    check: ([start]) => {
      expect(start).toMatchObject({ folder: join(home.workspace, 'there') });
      expect(existsSync(join(home.workspace, 'there', 'made'))).toBe(true);
    },
  },
  {
    name: 'no time left',
    script: 'parley run --output json --timeout 0.5s hang',
    code: 8,
    result: { status: 'time', error: { code: 'time', message: expect.stringContaining('--timeout') } },
  },
  {
    name: 'too many steps',
    script: `mkdir -p few/.parley && cd few && echo '{ "limits": { "steps": 1 } }' > .parley/config.jsonc
parley trust --yes > /dev/null
parley run --output json 'tool list_directory {"path":"."}'`,
    code: 5,
    result: { status: 'steps', error: { message: expect.stringContaining('limits.steps') } },
  },
  {
    name: 'too much money',
    script: 'parley run --output json --max-cost 0.1 "Spend."',
    code: 6,
    result: {
      status: 'budget',
      cost: 0.2,
      error: { message: 'The run cost $0.20; the limit is $0.10.' },
    },
  },
  {
    name: 'a price that is not known',
    script: 'parley run --output json --max-cost 1 "Guess."',
    code: 6,
    result: { status: 'budget', cost: null, error: { message: expect.stringContaining('price') } },
  },
  {
    name: 'a model that refuses',
    script: 'parley run --output json "finish refusal"',
    code: 7,
    result: { status: 'refusal' },
  },
  {
    name: 'a provider that fails',
    script: 'parley run --output json "fail overloaded Busy."',
    code: 1,
    result: { status: 'failed', error: { message: expect.stringContaining('Busy.') } },
  },
  {
    name: 'an answer that is cut off',
    script: 'parley run --output json "finish length"',
    code: 9,
    result: { status: 'length', error: { code: 'length' } },
  },
  {
    name: 'a mode that does not exist starts nothing',
    script: 'parley run --output json --mode paln "say x"',
    code: 2,
    result: {
      status: 'usage',
      session: null,
      error: {
        message: 'Unknown mode "paln". Did you mean plan? Use one of: plan, ask, edits, auto, full, code.',
      },
    },
  },
  ...(
    [
      [
        '--model scripted/scripte',
        'There is no model named scripted/scripte. Did you mean scripted/scripted?',
      ],
      ['--agent parly', 'There is no agent named parly. Did you mean parley?'],
      ['--effort hgih', 'Unknown effort "hgih".'],
      ['--session nosuch', 'Session "nosuch" not found.'],
      ['--max-cost -1', 'Invalid cost "-1".'],
      ['--json', '--json is short for --output stream-json'],
      ['--mdoel x', 'Unknown option --mdoel. Did you mean --model?'],
    ] as const
  ).map(([flag, message]) => ({
    name: `${flag} is wrong usage, and no session stays behind`,
    script: `mkdir -p clean && cd clean && parley run --output json ${flag} "say x"; code=$?
parley sessions list --all --json | grep -c "$PWD"; exit $code`,
    code: 2,
    says: '\n0\n',
    types: ['result'],
    result: {
      status: 'usage',
      exitCode: 2,
      session: null,
      error: { code: 'usage', message: expect.stringContaining(message) },
    },
  })),
  {
    name: 'where no host can start, the result says so',
    script: 'touch file; PARLEY_HOME=$PWD/file/home parley run --output json "say x"',
    code: 3,
    types: ['result'],
    result: {
      status: 'unreachable',
      session: null,
      error: { code: 'unreachable', message: expect.stringContaining('Set PARLEY_HOME to a folder') },
    },
  },
  {
    name: 'neither can it start alone there, or beside another host',
    script: `touch file; PARLEY_HOME=$PWD/file/home parley run --standalone --output json "say x"
parley run --standalone --output json "say x"`,
    code: 3,
    types: ['result', 'result'],
    result: { status: 'unreachable', error: { message: expect.stringContaining('already running') } },
  },
  {
    name: 'other commands without a host end with the same code',
    script: 'touch file; PARLEY_HOME=$PWD/file/home parley sessions list; echo "code $?"',
    says: 'code 3',
  },
  {
    name: 'an answer that cannot be written is no success',
    script: 'parley run "say Hello." 2>&1 > /dev/full; echo "code $?"',
    says: 'parley: The output could not be written: ENOSPC: no space left on device, write\ncode 1',
  },
  {
    name: 'a disk that is full in the middle of an answer ends the run, and is said',
    script: 'printf "say Hello.\\nhang" | parley run 2>&1 > /dev/full; echo "code $?"',
    says: 'parley: The output could not be written: ENOSPC: no space left on device, write\ncode 1',
  },
  {
    name: 'a reader that closes stops the run',
    script: '{ parley run "stream 2000 word"; echo "code $?" >&2; } 2> said | head -c 1; cat said',
    says: 'code 4',
  },
  {
    name: 'a mode that exists',
    script: 'parley run --json --mode plan "say x"',
    result: { status: 'done' },
    check: ([start]) => expect(start).toMatchObject({ permissions: 'plan' }),
  },
  {
    name: 'a command of the host, which no model sees',
    script: 'parley run --output json /help',
    result: { status: 'done', result: expect.stringContaining('- `/cost`: Tokens and cost') },
  },
  {
    name: 'a command that does not exist goes to no model',
    script: 'parley run --json "/modle x"; parley run " /modle x"',
    says: 'You said:',
    types: ['start', 'notice', 'result'],
    result: { status: 'done', result: '' },
    check: ([, notice]) =>
      expect(notice?.['text']).toMatch(/^There is no command \/modle\. Did you mean \/model\? \/help lists/),
  },
  {
    name: 'a signal ends it with a result',
    script: signalled('TERM'),
    code: 4,
    result: { status: 'stopped', cost: null, error: { code: 'stopped' } },
  },
  {
    name: 'so does the end of its terminal',
    script: signalled('HUP'),
    code: 4,
    result: { status: 'stopped', cost: null, error: { code: 'stopped' } },
  },
  {
    name: 'a slow reader gets the whole answer',
    script: `{ printf 'say '; printf 'word%.0s ' $(seq 40000); } | parley run | { sleep 1; wc -w; }`,
    says: '40000',
  },
  {
    name: 'a job that goes on after a failure',
    script: 'parley run "fail overloaded Busy." 2>/dev/null || echo "code $?"',
    says: 'code 1',
  },
];

test.each(scripts)('$name', async ({ script, code = 0, says, result, types, check }) => {
  const ran = await bash(script);
  expect([ran.code, ran.err], ran.out).toEqual([code, expect.any(String)]);
  expect(ran.out).toContain(says ?? '');
  const lines = ran.out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
  expect(lines.filter((line) => !fits(line)).map((line) => [line, fits.errors])).toEqual([]);
  expect(lines.at(-1)).toMatchObject(result ?? {});
  // A text comes in any number of pieces.
  const kinds = lines
    .map(({ type }) => type)
    .filter((type, at, all) => type !== 'text' || all[at - 1] !== type);
  expect(kinds).toEqual(types ?? kinds);
  check?.(lines);
});

test('every exit code of the page is one of a script', () => {
  const page = readFileSync(join(root, 'docs', 'run.md'), 'utf8');
  const codes = [...page.matchAll(/^\| (\d) \| /gm)].map(([, code]) => Number(code));
  expect(codes.length).toBe(10);
  expect(codes.filter((code) => !scripts.some((script) => (script.code ?? 0) === code))).toEqual([]);
});

test.each<[string, RegExp]>([
  ['parley run --timeout soon x', /Invalid time "soon"/],
  ['parley run --max-cost -1 x', /max-cost/],
  ['parley run --max-cost free x', /Invalid cost "free"/],
  ['parley run --output yaml x', /Unknown output "yaml"/],
  ['parley run --output jsn x', /Did you mean json\?/],
  ['parley run --output text --session a --cwd . x', /--session names a session/],
  ['parley run --session a --continue x', /--session names a session/],
  ['parley run --cwd /no/such/folder x', /is not a folder/],
  ["parley run --cwd '' x", /--cwd needs a folder/],
  ['parley run < /dev/null', /Missing prompt/],
])('%s is wrong usage', async (script, words) => {
  const { code, out, err } = await bash(script);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(words);
});

function bash(script: string): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', script],
      { cwd: home.workspace, env: { ...home.env, PATH: path } },
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
    child.stdin?.end();
  });
}
