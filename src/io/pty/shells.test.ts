// The shells themselves, in real terminals of the hub: what they run is told with its
// output, exit code and place.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rig } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import type { LiveTerminal } from '../../host/terminals/liveTerminal.ts';
import { isRefusal } from '../../host/terminals/terminal.ts';
import type { CommandOutput } from '../../host/terminals/terminalContent.ts';
import { TerminalHub } from '../../host/terminals/terminalHub.ts';
import { terminals } from './pty.ts';
import { eventually } from '../../../test/kit/patience.ts';

const owner = { kind: 'client', client: 'ada' } as const;

let bench: Rig;
let hub: TerminalHub;
let home = '';
beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'parley-shells-')));
  bench = await rig();
});
afterEach(async () => {
  await hub.close();
  await bench.close();
  rmSync(home, { recursive: true, force: true });
});

for (const shell of ['bash', 'zsh']) {
  describe(`the shell ${shell}`, () => {
    test('commands are told with line, output, exit code and place', async () => {
      const { type, commands, terminal } = await start(shell);
      mkdirSync(join(home, 'a b;c'));
      await type('echo one; echo two');
      await type('false');
      await type("cd 'a b;c'");
      await type('printf "%s\\n" "semi;colon" \'back\\slash\' "quo\\"te" ü🎉 | cat');
      await type('(exit 7)');
      await type('for each in 1 2; do echo $each; done');
      expect(commands()).toEqual([
        ['echo one; echo two', 'one\r\ntwo\r\n', 0],
        ['false', '', 1],
        ["cd 'a b;c'", '', 0],
        [
          'printf "%s\\n" "semi;colon" \'back\\slash\' "quo\\"te" ü🎉 | cat',
          'semi;colon\r\nback\\slash\r\nquo"te\r\nü🎉\r\n',
          0,
        ],
        ['(exit 7)', '', 7],
        ['for each in 1 2; do echo $each; done', '1\r\n2\r\n', 0],
      ]);
      expect([terminal.cwd, terminal.state.detected]).toEqual([join(home, 'a b;c'), true]);
      expect(terminal.text.text).not.toContain('633;');
    });

    test('nobody waits for the watcher that ends the terminal', async () => {
      const { type, commands } = await start(shell);
      await type('wait; jobs; echo waited');
      expect(commands()).toEqual([['wait; jobs; echo waited', 'waited\r\n', 0]]);
    });

    test('what is not run is no command', async () => {
      const { type, press, commands, until, prompts } = await start(shell, { rc: "PS1='next> '" });
      press('\r');
      await until(() => prompts() === 2);
      press('abandoned\u0003');
      await until(() => prompts() === 3);
      await type('echo done');
      expect(commands()).toEqual([['echo done', 'done\r\n', 0]]);
    });

    test('several lines and tabs are told as one command', async () => {
      const { type, commands } = await start(shell);
      await type("echo 'a\rb'");
      expect(commands().map(([line, , code]) => [line, code])).toEqual([["echo 'a\nb'", 0]]);
    });

    test('the same line again is told again', async () => {
      const { type, commands } = await start(shell, {
        rc: 'HISTCONTROL=ignoreboth\nsetopt histignoredups 2>/dev/null\n:',
      });
      await type('echo same');
      await type('echo same');
      expect(commands().map(([line]) => line)).toEqual(['echo same', 'echo same']);
    });

    test('a command that is stopped by a key ends', async () => {
      const { type, press, until, commands } = await start(shell);
      press('echo off; sh -c "echo ready; exec sleep 300"\r');
      await until(() => commands()[0]?.[1].includes('ready') ?? false);
      press('\u0003');
      await until(() => commands()[0]?.[2] !== undefined);
      await type('echo on');
      expect(commands().map(([line, , code]) => [line, code])).toEqual([
        ['echo off; sh -c "echo ready; exec sleep 300"', 130],
        ['echo on', 0],
      ]);
    });

    test('the settings of the user hold, and nothing of ours is left behind', async () => {
      const { type, commands, until } = await start(shell, {
        rc:
          `${shell === 'bash' ? 'PROMPT_COMMAND=hook' : 'precmd_functions+=(hook)'}; count=0; hook() { ` +
          "last=$?; count=$((count+1)); }; PS1='mine> '; alias greet='echo hello'",
      });
      await type('(exit 3)');
      await type('echo $last $((count > 1)) "$ZDOTDIR"');
      await type('greet');
      await until(() => hub.list()[0]?.text.text.includes('mine> ') ?? false);
      expect(commands()).toEqual([
        ['(exit 3)', '', 3],
        ['echo $last $((count > 1)) "$ZDOTDIR"', '3 1 \r\n', 0],
        ['greet', 'hello\r\n', 0],
      ]);
      expect(leftovers()).toEqual([]);
    });

    test('a program cannot speak for the shell', async () => {
      const { type, commands, terminal } = await start(shell);
      await type("printf '\\033]633;C;rm -rf /\\007\\033]633;D;0\\007\\033]633;x;C;evil\\007'");
      expect(commands().map(([line]) => line)).toHaveLength(1);
      expect(terminal.text.text).toContain('\u001b]633;C;rm -rf /\u0007');
    });

    test('no program finds our secret in its environment', async () => {
      const { type, commands } = await start(shell);
      await type('env | grep -c "__parley\\|633"');
      expect(commands()).toEqual([['env | grep -c "__parley\\|633"', '0\r\n', 1]]);
    });

    test('the shell ends with its exit code', async () => {
      const { press, terminal, commands } = await start(shell);
      press('exit 5\r');
      expect(await terminal.ended).toEqual({ exitCode: 5 });
      expect(commands().at(-1)?.[2]).toBe(5);
      expect(leftovers()).toEqual([]);
    });
  });
}

describe('bash', () => {
  test('a line that the history shall not know is told as a command without words', async () => {
    const { type, commands } = await start('bash', { rc: 'HISTCONTROL=ignoreboth' });
    await type('echo first');
    await type(' echo hidden');
    await type('echo last');
    expect(commands()).toEqual([
      ['echo first', 'first\r\n', 0],
      ['', 'hidden\r\n', 0],
      ['echo last', 'last\r\n', 0],
    ]);
  });

  test('prompt commands in a list are kept', async () => {
    const { type, commands } = await start('bash', { rc: "PROMPT_COMMAND=('a=1' 'b=2')" });
    await type('echo $a$b');
    expect(commands()).toEqual([['echo $a$b', '12\r\n', 0]]);
  });

  test('strict settings do no harm', async () => {
    const { type, commands } = await start('bash', { rc: 'set -u' });
    await type('echo fine');
    await type('set -o posix');
    await type('echo still');
    expect(commands().map(([line]) => line)).toEqual(['echo fine', 'set -o posix', 'echo still']);
  });
});

describe('zsh', () => {
  for (const { mark, shown } of [
    { mark: '', shown: '\u001b[1m\u001b[7m#\u001b[27m\u001b[1m\u001b[0m' },
    { mark: "PROMPT_EOL_MARK='%S⏎%s'", shown: '\u001b[7m⏎\u001b[27m' },
  ]) {
    test(`an unfinished line is marked, but not as the output of a command: ${mark}`, async () => {
      const { type, commands, terminal } = await start('zsh', { rc: mark });
      await type('printf half');
      await type('echo whole');
      expect(commands()).toEqual([
        ['printf half', 'half', 0],
        ['echo whole', 'whole\r\n', 0],
      ]);
      const after = terminal.state.content.find(
        (part, at, parts) => part.type === 'plain' && parts[at - 1]?.type === 'command',
      );
      expect(after).toMatchObject({
        text: expect.stringContaining(`${shown}${' '.repeat(79)}\r \r`) as unknown,
      });
    });
  }

  test('files in another directory are found, and the history stays where it belongs', async () => {
    mkdirSync(join(home, 'z'));
    writeFileSync(join(home, '.zshenv'), `ZDOTDIR=${join(home, 'z')}\n`);
    writeFileSync(join(home, 'z', '.zshrc'), 'mine=yes; HISTFILE=$ZDOTDIR/.history\n');
    const { type, commands } = await start('zsh');
    await type('echo $mine $ZDOTDIR $HISTFILE');
    expect(commands()[0]?.[1]).toBe(`yes ${join(home, 'z')} ${join(home, 'z', '.history')}\r\n`);
  });
});

test('another shell is a plain terminal', async () => {
  const terminal = await open('sh');
  terminal.write('echo hi; exit 2\r', owner);
  expect(await terminal.ended).toEqual({ exitCode: 2 });
  expect([terminal.state.detected, terminal.title, terminal.text.text.includes('hi\r\n')]).toEqual([
    false,
    'sh',
    true,
  ]);
});

async function open(shell: string): Promise<LiveTerminal> {
  const path = `/bin/${shell}`;
  mkdirSync(join(home, 'tmp'));
  if (!existsSync(path)) throw new Error(`The tests need ${path}.`);
  hub = new TerminalHub(
    bench.host,
    terminals({
      env: { PATH: process.env['PATH'], HOME: home, SHELL: path, LANG: 'C.UTF-8', TMPDIR: join(home, 'tmp') },
      grace: 300,
    }),
  );
  const terminal = await hub.open({ cwd: home, owner });
  if (isRefusal(terminal)) throw new Error(terminal.message);
  return terminal;
}

async function start(shell: string, { rc = '' }: { rc?: string } = {}) {
  if (shell === 'bash') writeFileSync(join(home, '.bashrc'), `${rc}\n`);
  else if (!existsSync(join(home, '.zshenv'))) writeFileSync(join(home, '.zshrc'), `${rc}\n`);
  const terminal = await open(shell);
  const parts = () => terminal.state.content.filter((part): part is CommandOutput => part.type === 'command');
  const until = (holds: () => boolean) => eventually(holds, holds.toString());
  await until(() => terminal.state.detected);
  return {
    terminal,
    until,
    /** How many prompts of the name `next` were shown. */
    prompts: () => terminal.text.text.split('next> ').length - 1,
    press: (keys: string) => void terminal.write(keys, owner),
    commands: () =>
      parts().map(({ commandLine, output, finished }) => [commandLine, output, finished?.exitCode] as const),
    /** Types a line and waits until it has run. */
    type: async (line: string): Promise<void> => {
      const before = parts().filter(({ finished }) => finished).length;
      terminal.write(`${line}\r`, owner);
      await until(() => parts().filter(({ finished }) => finished).length > before);
    },
  };
}

function leftovers(): readonly string[] {
  return readdirSync(join(home, 'tmp'));
}
