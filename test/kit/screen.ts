// A program on a real terminal, with an emulator that shows what a person would see.
import { createRequire } from 'node:module';
import { expect } from 'vitest';
import { screenControls } from '../../src/cli/output.ts';
import { terminals } from '../../src/io/pty/pty.ts';
import type { PtyEnd } from '../../src/host/terminals/pty.ts';
import { run } from '../contracts/terminals.ts';
import type { Home } from './parley.ts';

export interface Screen {
  /** Sends keys as a terminal would. */
  type(keys: string): void;
  /** The lines on the screen, without those that have scrolled away. */
  screen(): readonly string[];
  /** Everything with what has scrolled away. */
  all(): readonly string[];
  /** The line with the cursor, and the column of the cursor. */
  cursor(): readonly [line: string, column: number];
  /** Resolves when the words are on the screen or have scrolled away. */
  sees(words: string | RegExp): Promise<void>;
  /** Resolves when the words are on the screen now. */
  shows(words: string | RegExp): Promise<void>;
  /** Resolves when the words are not on the screen any more. */
  hides(words: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  /** What the program has sent. */
  sent(): string;
  readonly end: Promise<PtyEnd>;
  /** Ends the program without asking it. */
  kill(): Promise<unknown>;
}

interface ScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: { readonly [name: string]: string };
}

/** What we use of it; its own types bring those of browsers into every file. */
interface Emulator {
  readonly buffer: {
    readonly active: {
      readonly length: number;
      readonly baseY: number;
      readonly cursorX: number;
      readonly cursorY: number;
      getLine(at: number): { translateToString(trim: boolean): string } | undefined;
    };
  };
  write(text: string): void;
  resize(columns: number, rows: number): void;
}

/** The emulator is made for browsers and looks for a window when it is loaded. */
function emulator(cols: number, rows: number): Emulator {
  const scope = globalThis as { window?: unknown; self?: unknown };
  scope.window ??= globalThis;
  scope.self ??= globalThis;
  const { Terminal } = createRequire(import.meta.url)('@xterm/xterm') as {
    Terminal: new (options: object) => Emulator;
  };
  return new Terminal({ cols, rows, scrollback: 20_000, allowProposedApi: true });
}

/**
 * Gives an emulator whole frames alone, as terminals do that know synchronised output: a poll between two
 * pieces of a frame would miss what stands below.
 */
function wholeFrames(write: (text: string) => void): (text: string) => void {
  let held = '';
  return (text) => {
    held += text;
    const [begun, ended] = [screenControls.beginFrame, screenControls.endFrame].map((mark) =>
      held.lastIndexOf(mark),
    );
    // oxlint-disable-next-line no-control-regex -- that is what terminals get
    const partOfMark = held.search(/\u001b(?:\[[?\d]*)?$/);
    const end = (begun ?? -1) > (ended ?? -1) ? begun : partOfMark;
    const whole = end === undefined || end < 0 ? held.length : end;
    write(held.slice(0, whole));
    held = held.slice(whole);
  };
}

export async function openScreen(
  home: Home,
  args: readonly string[],
  { columns = 100, rows = 30, env = {} }: ScreenOptions = {},
): Promise<Screen> {
  const view = emulator(columns, rows);
  const show = wholeFrames((text) => view.write(text));
  let bytes = '';
  const ran = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [home.program, ...args] },
    {
      cwd: home.workspace,
      env: {
        PARLEY_HOME: String(home.env['PARLEY_HOME']),
        PARLEY_SCRIPTED: '1',
        HOME: home.dir,
        // Whose emulator this is.
        TERM_PROGRAM: 'vscode',
        EDITOR: `sh ${home.dir}/editor.sh`,
        ...env,
      },
      cols: columns,
      rows,
      data: (text) => {
        bytes += text;
        show(text);
      },
    },
  );
  const lines = (from: number) => {
    const { active } = view.buffer;
    return Array.from({ length: active.length - from }, (_, at) =>
      (active.getLine(from + at)?.translateToString(true) ?? '').trimEnd(),
    );
  };
  const screen = () => lines(view.buffer.active.baseY);
  const has = (words: string | RegExp, where: readonly string[]) => {
    const text = where.join('\n');
    return typeof words === 'string' ? text.includes(words) : words.test(text);
  };
  const until = async (words: string | RegExp, where: () => readonly string[], wanted: boolean) => {
    await expect
      .poll(() => has(words, where()) === wanted || where().join('\n'), {
        message: `${wanted ? 'shows' : 'hides'} ${String(words)}`,
      })
      .toBe(true);
  };
  return {
    type: (keys) => void ran.pty.write(keys),
    screen,
    all: () => lines(0),
    cursor: () => {
      const { cursorY, cursorX } = view.buffer.active;
      return [screen()[cursorY] ?? '', cursorX];
    },
    sees: (words) => until(words, () => lines(0), true),
    shows: (words) => until(words, screen, true),
    hides: (words) => until(words, screen, false),
    resize: (wide, high) => {
      view.resize(wide, high);
      ran.pty.resize(wide, high);
    },
    sent: () => bytes,
    end: ran.end,
    kill: () => {
      ran.pty.kill();
      return ran.end;
    },
  };
}
