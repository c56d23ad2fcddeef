// `parley chat` on a real terminal: what a person sees and what the keys do.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { keepFromChildren, sealedStdio } from '../../src/io/processes/sealedPipes.ts';
import { loadNodePty } from '../../src/io/pty/nodePty.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { openScreen } from '../kit/screen.ts';
import type { Screen } from '../kit/screen.ts';

let home: Home;
let host: Served;
beforeAll(async () => {
  home = newHome();
  host = await home.serve();
});
afterAll(() => home.dispose());

let open: Screen | undefined;
afterEach(async () => {
  await open?.kill();
  open = undefined;
});

async function chat(...args: readonly string[]): Promise<Screen> {
  open = await openScreen(home, ['chat', ...args]);
  await open.shows('/ commands');
  return open;
}

async function sessions(): Promise<readonly { readonly id: string; readonly chats: { turns: number }[] }[]> {
  return JSON.parse((await home.run('sessions', 'list', '--json').done).out) as never;
}

const keys = { up: '\u001b[A', down: '\u001b[B', escape: '\u001b', shiftTab: '\u001b[Z', erase: '\u0015' };
/** All from the first column on: where that is the first row, tmux copies it to its scroll-back. */
// oxlint-disable-next-line no-control-regex -- that is what terminals get
const eraseFromHere = /\u001b\[1G\u001b\[J/;
const command = (name: string) => `tool shell_command {"command":"touch ${name}"}\r`;
const paste = (text: string) => `\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`;

test('a paste of 200 lines is one prompt in a terminal that does not mark pastes, too', async () => {
  const one = await chat();
  const lines = Array.from({ length: 200 }, (_, at) => `at ${at + 1}`);
  one.type(`say ${lines.join('\r')}`);
  await one.shows('[pasted 200 lines]');
  one.type('\r');
  await one.sees('at 200');
  expect((await sessions())[0]?.chats).toMatchObject([{ turns: 1 }]);
});

test('a paste of 200 lines is one prompt, folded in the box and sent whole', async () => {
  const one = await chat();
  const lines = Array.from({ length: 200 }, (_, at) => `at frame ${at + 1}`).join('\n');
  one.type(`Explain ${paste(lines)}`);
  await one.shows('Explain [pasted 200 lines]');
  one.type(' please');
  await one.shows('lines] please');
  one.type('\r');
  await one.sees('You said: Explain at frame 1');
  await one.shows('at frame 200 please');
  expect((await sessions())[0]?.chats).toMatchObject([{ turns: 1 }]);
});

test('what is typed while an answer streams stays in the box, and lines continue with a backslash', async () => {
  const one = await chat();
  one.type(`${paste('stream 40 word\npause 300\nstream 40 more\nhang')}\r`);
  await one.shows('word word');
  one.type('typed \\\rmeanwhile\u001b\rhere');
  await one.shows('│ typed');
  await one.shows('more more');
  // A frame may arrive in two pieces.
  await expect.poll(() => one.cursor()).toEqual([expect.stringMatching(/^│ here +│$/), 6]);
  expect(one.screen().filter((line) => /(?:word|more).*typed|typed.*(?:word|more)/.test(line))).toEqual([]);
  one.type('\r');
  await one.shows('1 queued: "typed meanwhile here"');
});

test('stop gives the queue back to the box, and nothing starts by itself', async () => {
  const one = await chat();
  one.type('hang\r');
  await one.shows('Working');
  one.type('say Second.\r');
  await one.shows('1 queued: "say Second."');
  one.type('say Third.\r');
  await one.shows('2 queued: "say Second."');
  one.type('!hurry');
  await one.shows('│ !hurry');
  one.type('\r');
  await one.shows('steering: "hurry"');
  one.type(keys.escape);
  await one.sees('Stopped');
  await one.shows('│ hurry');
  await one.shows('│ say Second.');
  await one.shows('│ say Third.');
  await one.hides('Working');
  expect(one.all().join('\n')).not.toMatch(/^ {3}Second\.$/m);
  one.type('\r');
  await one.sees(/^ {3}Second\.$/m);
});

test('an approval is answered by a key, edited first, or refused with words', async () => {
  const one = await chat();
  one.type(command('first'));
  await one.shows('y  once');
  expect(one.screen().join('\n')).toContain('│ $ touch first');
  expect(one.screen().join('\n')).toContain('network: on · outside the sandbox');
  one.type('e');
  await one.shows('Edit what runs');
  one.type(`${keys.erase}touch second`);
  await one.shows('touch second');
  one.type('\r');
  await one.sees('shell_command: done.');
  await one.sees('Done      $ touch second');
  await one.sees(/^ +Allowed once by Terminal · edited by Terminal · was: \$ touch first/m);
  expect(['first', 'second'].map((name) => existsSync(join(home.workspace, name)))).toEqual([false, true]);
  one.type(command('third'));
  await one.shows('y  once');
  one.type('N');
  await one.shows('Say what to do instead');
  one.type('use another name\r');
  await one.sees('Denied    $ touch third');
  await one.sees('Denied by Terminal');
  await one.sees('use another name');
  await one.sees('shell_command: denied.');
  one.type(command('fourth'));
  await one.shows('y  once');
  one.type('y');
  await one.hides('Needs you');
  await expect.poll(() => existsSync(join(home.workspace, 'fourth'))).toBe(true);
});

test('a long command is read to its end before a key allows it, and nothing in it hides', async () => {
  const one = await chat();
  const long = `echo \u202e${'x'.repeat(200)}\n${'# nothing\n'.repeat(60)}touch deep`;
  one.type(`${paste(`tool shell_command ${JSON.stringify({ command: long })}`)}\r`);
  await one.shows(/▼ \d+ more lines, \d+ characters: press space to read on/);
  await one.shows('echo \\u202exxx');
  expect(one.screen().join('\n')).not.toMatch(/^│ touch deep|y {2}once/m);
  // A key for an answer is not taken before the end.
  one.type('y');
  await one.shows('Read it to its end first');
  while (!one.screen().join('\n').includes('y  once')) {
    const before = /▼ \d+/.exec(one.screen().join('\n'))?.[0] ?? '';
    one.type(' ');
    await one.hides(before);
  }
  await one.shows('y  once');
  expect(one.screen().join('\n')).not.toContain('Run this command?');
  expect(existsSync(join(home.workspace, 'deep'))).toBe(false);
  one.type('y');
  await one.sees('shell_command: done.');
  expect(existsSync(join(home.workspace, 'deep'))).toBe(true);
});

test('on 20 columns an approval is drawn once and says how to read on', async () => {
  const one = (open = await openScreen(home, ['chat'], { columns: 20, rows: 20 }));
  await one.shows(/^ ask/m);
  one.type(command('a-file-whose-name-is-longer-than-the-screen'));
  await one.shows('press space');
  while (!one.screen().join('\n').includes('y  once')) {
    const before = /▼ \d+/.exec(one.screen().join('\n'))?.[0] ?? '';
    one.type(' ');
    await one.hides(before);
  }
  expect(one.all().filter((line) => line.includes('Allow this'))).toHaveLength(1);
  one.type('n');
});

test('a question takes own words after a wrong number, a number, or the marked choice', async () => {
  const one = await chat();
  const ask = 'tool ask_user {"question":"Which?","options":[{"label":"Red"},{"label":"Blue"}]}\r';
  one.type(ask);
  await one.shows('❯ 1  Red');
  one.type('7\r');
  await one.shows('Type a number from 1 to 2, or your own answer.');
  one.type('MariaDB please\r');
  await one.sees('? Which? MariaDB please');
  await one.sees('ask_user: done.');
  one.type(ask);
  await one.shows('❯ 1  Red');
  one.type(keys.down);
  await one.shows('❯ 2  Blue');
  one.type('\r');
  await one.sees('? Which? Blue');
  expect((await sessions())[0]?.chats).toMatchObject([{ turns: 2 }]);
});

test('what a sub-agent waits for is asked here, and keys before the session is open are kept', async () => {
  const early = await openScreen(home, ['chat']);
  open = early;
  await expect.poll(() => early.sent(), { interval: 5, timeout: 100_000 }).toContain('\u001b[?2004h');
  const task = 'tool shell_command {"command":"touch helped"}';
  const call = { agent: 'general', task, activity: 'helping' };
  open.type(`tool spawn_agent ${JSON.stringify(call)}\r`);
  await open.shows('│ $ touch helped');
  await open.shows('y  once');
  open.type('y');
  await open.sees('spawn_agent: done.');
  expect(existsSync(join(home.workspace, 'helped'))).toBe(true);
});

test('keys are shown before the host answers, and the session gets them', async () => {
  process.kill(host.pid, 'SIGSTOP');
  try {
    open = await openScreen(home, ['chat']);
    await open.shows('Connecting …');
    open.type('say Hello \\\rYou.');
    await open.shows('│ You.');
    open.type('\r');
    await open.hides('│ You.');
    open.type(`Next ${paste('one\ntwo')}`);
    await open.shows('│ two');
  } finally {
    process.kill(host.pid, 'SIGCONT');
  }
  await open.sees(' > say Hello');
  await open.shows(/^│ Next one +│$/m);
  await open.shows('/ commands');
  await expect.poll(() => open?.cursor()[0]).toMatch(/^│ two +│$/);
  expect(open.all().filter((line) => line.includes('Connecting'))).toEqual([]);
  expect(open.all().filter((line) => line.startsWith('╭'))).toHaveLength(1);
  expect(open.sent()).not.toMatch(eraseFromHere);
});

test('what is typed before a question is seen does not answer it', async () => {
  const one = await chat();
  one.type('tool ask_user {"question":"Which?","options":[{"label":"Red"},{"label":"Blue"}]}\r');
  await one.shows('❯ 1  Red');
  await one.kill();
  process.kill(host.pid, 'SIGSTOP');
  try {
    open = await openScreen(home, ['chat', '--continue']);
    await open.shows('Connecting …');
    open.type(`${keys.down}\r2`);
    await open.shows('│ 2');
    open.type('\r');
    await open.hides('│ 2');
  } finally {
    process.kill(host.pid, 'SIGCONT');
  }
  await open.shows('❯ 1  Red');
  await open.shows(/^│ 2 +│$/m);
  expect(open.all().join('\n')).not.toContain('? Which?');
  open.type('\r');
  await open.sees('? Which? Blue');
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s leaves before the host answers, and the terminal is put back', async (_, key) => {
  process.kill(host.pid, 'SIGSTOP');
  try {
    open = await openScreen(home, ['chat']);
    await open.shows('Connecting …');
    open.type(key);
    expect(await open.end).toEqual({ exitCode: 0 });
    expect(open.screen().join('')).toBe('');
    expect(open.sent().endsWith('\u001b[<u\u001b[?2004l\u001b[?25h')).toBe(true);
  } finally {
    process.kill(host.pid, 'SIGCONT');
  }
});

test('a resize draws only the region anew, down to 60 columns', async () => {
  const one = await chat();
  one.type('say The answer stays.\r');
  await one.sees('   The answer stays.');
  one.type('some words in the box');
  await one.shows('│ some words in the box');
  one.resize(60, 24);
  await one.hides('/ commands');
  await one.shows(' some words in the box');
  await one.shows(/^ ask · scripted\/scripted/m);
  const text = one.all().join('\n');
  expect(text.split('The answer stays.').length).toBe(3);
  expect(text.split('some words in the box').length).toBe(2);
  expect(one.cursor()).toEqual([' some words in the box', 22]);
  one.resize(120, 30);
  await one.shows('/ commands');
  expect(one.all().join('\n').split('some words in the box').length).toBe(2);
  expect(one.sent()).not.toMatch(eraseFromHere);
  one.type(keys.erase);
});

test('a long text in the box survives a resize, and no line of the region fills the last column', async () => {
  const one = await chat();
  one.type(`say ${'wrapped '.repeat(60)}end.\r`);
  // The message and the answer, both with all their words.
  await expect.poll(() => one.all().join(' ').split('wrapped').length, { timeout: 100_000 }).toBe(121);
  await one.hides('Working');
  const words = 'a long text in the box that ends far to the right, behind the new edge';
  one.type(words);
  await one.shows(`│ ${words}`);
  for (const [columns, rows] of [
    [60, 30],
    [110, 30],
    [75, 20],
    [74, 20],
    [50, 12],
    [120, 40],
  ] as const) {
    one.resize(columns, rows);
    await expect
      .poll(() => one.screen().filter((line) => /^[╭╰─]/.test(line) && line.length === columns - 1).length, {
        timeout: 100_000,
      })
      .toBe(2);
    // Also in the scroll-back nothing of an older region is left.
    const count = (part: RegExp) => one.all().filter((line) => part.test(line)).length;
    expect([columns, count(/^[╭╰─]/), count(/a long text in/), count(/^ ask · scripted/)]).toEqual([
      columns,
      2,
      1,
      1,
    ]);
    const text = one.all().join('\n');
    expect([columns, text.split('> say ').length, text.split('end.').length]).toEqual([columns, 2, 3]);
    const region = one.screen().filter((line) => /^[╭│╰─]|scripted\/scripted/.test(line));
    expect(region.filter((line) => line.length >= columns)).toEqual([]);
  }
  one.type(keys.erase);
});

test('nothing is printed twice when the terminal becomes narrower and wider, at rest and while an answer grows', async () => {
  const one = await chat();
  const count = (word: string) => one.all().join('').split(word).length - 1;
  one.type(`say ${'many '.repeat(25)}ended.\r`);
  await expect.poll(() => count('ended.')).toBe(2);
  await one.hides('Working');
  for (const columns of [60, 100]) {
    one.resize(columns, 30);
    await expect.poll(() => one.all().filter((line) => line.startsWith('╰')).length).toBe(1);
    expect([columns, count('many'), count('ended.'), count('Parley  ')]).toEqual([columns, 50, 2, 1]);
  }
  const growing = Array.from({ length: 30 }, (_, at) => `stream 12 grown-${at}-word\npause 100`).join('\n');
  one.type(paste(growing));
  await one.shows(/pasted \d+ lines/);
  one.type('\r');
  await one.sees('grown-8-word');
  one.resize(60, 30);
  await one.shows(/grown-1\d-word/);
  one.resize(100, 30);
  await one.hides('Working');
  const grown = Array.from({ length: 30 }, (_, at) => count(`grown-${at}-word`)).slice(6, -1);
  expect([...grown, count('many')]).toEqual([...grown.map(() => 12), 50]);
});

test('a question mark lists the keys at once, and what looks like a command goes to no model', async () => {
  const one = await chat();
  one.type('?');
  await one.sees('shift-tab: next permission mode');
  expect(one.cursor()).toEqual([expect.stringMatching(/^│ +│$/), 2]);
  one.type('//x\r');
  await one.sees('There is no command //x.');
  one.type('!\r');
  await one.shows('Write what the agent should know behind the !');
  one.type('/\r');
  await one.sees('There is no command /.');
  expect(one.all().join('\n')).not.toContain('You said');
  one.type(' //x\r');
  await one.sees('You said: //x');
});

test('markdown is drawn with colours, changes by the word, and text is shown as written', async () => {
  const one = await chat();
  const prose = '**Bold** with 👩‍👩‍👧‍👦, 🏳️‍🌈, می‌خواهم and שלום\u001b[31m.';
  one.type(`${paste(`say ${prose}\n\n- item\n\n\`\`\`js\nconst total = 1;\n\`\`\``)}\r`);
  await one.sees('Bold with 👩‍👩‍👧‍👦, 🏳️‍🌈, می‌خواهم and שלום\\u001b[31m.');
  await one.sees('• item');
  await one.sees('▏ const total = 1;');
  expect(one.sent()).toContain('\u001b[35mconst\u001b[39m');
  writeFileSync(join(home.workspace, 'cart.js'), 'one\nsum of prices\nthree\n');
  const edit = { path: 'cart.js', original_content: 'sum of prices', new_content: 'sum of totals' };
  one.type(`${paste(`tool edit_file ${JSON.stringify(edit)}`)}\r`);
  await one.shows('y  once');
  await one.shows('2 - sum of prices');
  await one.shows('2 + sum of totals');
  expect(one.sent()).toContain('\u001b[7mtotals\u001b[27m');
  writeFileSync(join(home.dir, 'editor.sh'), `cp "$1" "${join(home.dir, 'viewed')}"\n`);
  one.type('v');
  const viewed = join(home.dir, 'viewed');
  await expect.poll(() => existsSync(viewed) && readFileSync(viewed, 'utf8')).toContain('+sum of totals');
  await one.shows('y  once');
  one.type('y');
  await one.sees('   cart.js +1 -1');
  await one.sees('edit_file: done.');
  expect(readFileSync(join(home.workspace, 'cart.js'), 'utf8')).toContain('totals');
});

test('live output, then its end and the rest on demand', async () => {
  const one = await chat();
  const loop = 'for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; until [ -e go ]; do sleep 0.1; done';
  one.type(`tool shell_command ${JSON.stringify({ command: loop })}\r`);
  await one.shows('y  once');
  one.type('y');
  await one.shows('│ line 9');
  await one.shows('Running   $ for i in');
  expect(one.screen().join('\n')).not.toContain('│ line 4');
  writeFileSync(join(home.workspace, 'go'), '');
  await one.sees(/… \d+ more lines \(ctrl-o\)/);
  one.type('\u000f');
  await one.sees('│ line 9');
});

test('a background job is counted, listed and ended', async () => {
  const one = await chat();
  one.type('tool shell_command {"command":"sleep 300","background":"sleeper"}\r');
  await one.shows('y  once');
  one.type('y');
  await one.sees('shell_command: done.');
  await one.shows('· 1 job');
  one.type('/jobs\r');
  await one.sees('1. sleep 300');
  one.type('/kill 2\r');
  await one.shows('No such job.');
  one.type('/kill 1\r');
  await one.shows('Ended: sleep 300');
  await one.hides('· 1 job');
  expect(one.screen().join('\n')).not.toContain('1 job');
});

test('what a lasting answer allows is said in words that stand for themselves', async () => {
  const one = await chat();
  one.type('tool shell_command {"command":"npm run lint"}\r');
  await one.shows('Longer than once allows');
  expect(one.screen().join('\n')).toContain('allows: commands that begin with "npm run lint"');
});

test('completion, the pickers, the permission mode, the history, and the editor', async () => {
  const one = await chat();
  one.type('/mo');
  await one.shows('/model');
  one.type(`${keys.down}\t`);
  await one.shows('│ /mode');
  one.type(`${keys.erase}/permissions\r`);
  await one.shows('Permission mode');
  one.type('edit');
  await one.shows('❯ edits');
  one.type('\r');
  await one.shows(/^ edits · /m);
  one.type('/permissions\r');
  await one.shows('(in use, chosen by Terminal)');
  one.type('\u001b');
  await one.hides('(in use, chosen by Terminal)');
  one.type(keys.shiftTab);
  await one.shows(/^ (?:auto|edits) · /m);
  writeFileSync(join(home.workspace, 'readme-of-cart.md'), '');
  one.type('say @readme-of');
  await one.shows('❯ @readme-of-cart.md');
  one.type('\t');
  await one.hides('❯');
  one.type('\r');
  await one.sees('   @readme-of-cart.md');
  one.type(keys.up);
  await one.shows('│ say @readme-of-cart.md');
  one.type(keys.erase);
  writeFileSync(join(home.dir, 'editor.sh'), 'echo "say From the editor." > "$1"\n');
  one.type('\u0007');
  await one.shows('│ say From the editor.');
  one.type('\r');
  await one.sees('   From the editor.');
  expect((await sessions())[0]?.chats).toMatchObject([{ turns: 2 }]);
  await one.kill();
  const two = await chat();
  two.type(keys.up);
  await two.shows('│ say From the editor.');
});

test('--continue, --resume and /resume open sessions', async () => {
  await chat();
  open?.type('say Findable words.\r');
  await open?.sees('   Findable words.');
  open?.type('\u0004');
  await open?.end;
  const [newest] = await sessions();
  expect(open?.all().join('\n')).toContain(`Come back with: parley chat ${newest?.id}`);
  const again = await chat('--continue');
  await again.sees('   Findable words.');
  again.type('/resume\r');
  await again.shows('Open a session');
  again.type('at frame');
  await again.shows(/❯ .*at frame/i);
  again.type('\r');
  await again.sees('at frame 200 please');
  again.type('\u0004');
  await again.end;
  open = await openScreen(home, ['chat', '--resume']);
  await open.shows('Open a session');
  open.type('findable words');
  await open.shows('search: findable words');
  open.type('\r');
  await open.sees('   Findable words.');
});

test('the first line names the folder of the session and its branch, wherever the chat was started', async () => {
  const folder = join(home.dir, 'shop');
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/fix/cart-total\n');
  expect((await home.run('run', '--cwd', folder, 'say Elsewhere.').done).code).toBe(0);
  const [newest] = await sessions();
  const one = await chat(newest?.id ?? '');
  await one.sees(/^ Parley {2}shop · fix\/cart-total /m);
});

test('lists of sessions mark in red where everything runs unasked', async () => {
  const first = await chat('--mode', 'full');
  first.type('say Unasked.\r');
  await first.sees(/^ {3}Unasked\.$/m);
  await first.kill();
  const one = await chat();
  one.type('/resume\r');
  await one.shows(/say Unasked\. +full · now · /);
  // oxlint-disable-next-line no-control-regex -- that is what terminals get
  expect(one.sent()).toMatch(/\u001b\[31msay Unasked\./);
});

test('/fork copies a session, /export writes it to a file of its folder, and /resume WORD opens one', async () => {
  const one = await chat();
  one.type('/fork\r');
  await one.sees('There is nothing to fork yet.');
  one.type('say Copied words.\r');
  await one.sees('   Copied words.');
  one.type('/fork\r');
  await one.sees('Forked to ');
  const [, id = ''] = /Forked to ([\w-]+): /.exec(one.all().join(' ')) ?? [];
  one.type('/export ../outside.jsonl\r');
  await one.sees('The file must be in ');
  one.type('/export notes.txt\r');
  await one.sees('must end with .jsonl');
  one.type('/export kept.jsonl\r');
  await one.sees('Exported to ');
  one.type('/export kept.jsonl\r');
  await one.sees('exists already');
  const imported = await home.run('sessions', 'import', join(home.workspace, 'kept.jsonl')).done;
  expect(imported).toMatchObject({ code: 0, err: '' });
  one.type(`/resume ${id.slice(0, 8)}\r`);
  await one.sees(`session ${id.slice(0, 8)}`);
  const copy = await home.run('sessions', 'show', id).done;
  expect(copy.out).toContain('Copied words.');
  expect(copy.out).not.toContain('Forked to');
});

test('a transcript of 10,000 lines opens with its end alone', async () => {
  const first = await home.run('run', `say ${'A line.\n\n'.repeat(200)}`).done;
  expect(first.code).toBe(0);
  const text = Array.from({ length: 10_000 }, (_, at) => `Line ${at + 1}.`).join('\n\n');
  writeFileSync(join(home.workspace, 'long.txt'), `say ${text}`);
  const ran = home.run('run', '--cwd', home.workspace, '-');
  ran.child.stdin?.end(`say ${text}`);
  expect((await ran.done).code).toBe(0);
  const one = await chat('--continue');
  await one.shows('Line 10000.');
  expect(one.all().length).toBeLessThan(300);
  expect(one.all().join('\n')).toContain('what came before is not shown here');
  expect(one.sent().length).toBeLessThan(60_000);
});

test('without colours nothing but the cursor is controlled', async () => {
  open = await openScreen(home, ['chat'], { env: { NO_COLOR: '1' } });
  await open.shows('/ commands');
  open.type('say **Bold** words.\r');
  await open.sees('   Bold words.');
  const controls = open.sent().split('\u001b[').slice(1);
  expect(controls.filter((control) => /^\d+m/.test(control))).toEqual([]);
});

test('Ctrl-C twice leaves, the terminal is put back, and the work goes on', async () => {
  const one = await chat();
  one.type('hang\r');
  await one.shows('Working');
  one.type('\u0004');
  expect(await one.end).toEqual({ exitCode: 0 });
  await one.sees('Still running. Come back with: parley chat');
  expect(one.sent()).toContain('\u001b[?2004l');
  // Nothing is drawn after the last line.
  expect(
    one
      .all()
      .filter((line) => line.trim() !== '')
      .at(-1),
  ).toContain('Come back with: parley chat');
  open = undefined;
  const two = await chat();
  two.type('\u0003');
  await two.shows('Press Ctrl-C again to leave.');
  two.type('\u0003');
  expect(await two.end).toEqual({ exitCode: 0 });
  open = undefined;
});

test.runIf(process.platform === 'linux')(
  'a closed terminal ends the chat, and the work goes on',
  async () => {
    const node = await loadNodePty();
    if ('problem' in node) throw new Error(node.message);
    const pair = node.open({ cols: 100, rows: 30, encoding: null });
    for (const stream of [pair.master, pair.slave]) stream.on('error', () => {});
    const unseal = keepFromChildren(pair.fd);
    let text = '';
    pair.master.on('data', (bytes: Buffer) => (text += bytes.toString()));
    pair.slave.pause();
    // A new process session, so that the device becomes its controlling terminal.
    const child = spawn(
      'sh',
      ['-c', 'exec "$@" 0<>"$0" 1>&0 2>&0', pair.ptsName, process.execPath, home.program, 'chat'],
      {
        cwd: home.workspace,
        env: { ...home.env, TERM: 'xterm', PARLEY_SCRIPTED: '1' },
        detached: true,
        stdio: sealedStdio(['ignore', 'ignore', 'ignore']),
      },
    );
    const end = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    await expect.poll(() => text).toContain('/ commands');
    // Nobody else may read what is typed.
    pair.slave.destroy();
    pair.master.write('hang\r');
    await expect.poll(() => text).toContain('Working');
    unseal();
    pair.master.destroy();
    expect(await end).toEqual({ code: null, signal: 'SIGHUP' });
    expect((await sessions())[0]).toMatchObject({ status: 'running' });
  },
);

test('a host that dies is told, and the next message starts it and is answered', async () => {
  const one = await chat();
  one.type('say Before.\r');
  await one.sees('   Before.');
  one.type('hang\r');
  await one.shows('Working');
  await host.kill();
  await one.shows('Lost the connection to the host.');
  one.type(keys.escape);
  await one.shows('there is nothing to stop');
  one.type('say After.');
  await one.shows('│ say After.');
  await one.shows('Lost the connection to the host.');
  one.type('\r');
  await one.sees('   After.');
  await one.hides('Lost the connection to the host.');
  expect((await sessions())[0]?.chats).toMatchObject([{ turns: 3 }]);
});

test('a host that cannot be started is named, and what was sent waits for it', async () => {
  const one = await chat();
  await home.run('stop').done;
  await one.shows('Lost the connection to the host.');
  const alone = home.run('run', '--standalone', '--model', 'scripted/scripted', 'hang');
  await expect.poll(() => existsSync(join(String(home.env['PARLEY_HOME']), 'lock.json'))).toBe(true);
  one.type('say At last.\r');
  await one.shows('runs with --standalone');
  await one.shows('What you have sent');
  alone.child.kill('SIGKILL');
  await alone.done;
  one.type('say And more.\r');
  await one.sees('   At last.');
});

test('enter alone trusts no folder, however often it is pressed', async () => {
  const other = newHome();
  try {
    mkdirSync(join(other.workspace, '.parley'));
    const hooks = { before: { on: 'preRequest', command: 'touch ran' } };
    writeFileSync(join(other.workspace, '.parley', 'config.jsonc'), JSON.stringify({ hooks }));
    await other.serve();
    const one = await openScreen(other, ['chat']);
    open = one;
    await one.shows('/ commands');
    one.type('say Hello you.\r\r\r');
    await one.shows('Do you trust this folder?');
    expect(one.screen().join('\n')).toMatch(/^│ {3}1 {2}Trust/m);
    // Keys that come at once were meant for something else.
    await pause(600);
    one.type('\r');
    await one.shows('This question needs an answer.');
    one.type(keys.up);
    await one.shows('❯ 3  Never');
    one.type('\r');
    await one.sees(/^ {3}Hello you\.$/m);
    expect(existsSync(join(other.workspace, 'ran'))).toBe(false);
    expect((await other.run('trust', '--list').done).out).not.toMatch(/^trusted/m);
  } finally {
    await open?.kill();
    await other.dispose();
  }
});
