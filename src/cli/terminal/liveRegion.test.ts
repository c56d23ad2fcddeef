// What terminals keep of a region that was drawn before they became narrower or wider.
import { afterEach, expect, test, vi } from 'vitest';
import { LiveRegion } from './liveRegion.ts';

// oxlint-disable-next-line no-control-regex -- that is what terminals get
const written = /\u001b\[\??(\d*)([A-Za-z])|([^\u001b])/gu;

interface Row {
  text: string;
  /** The terminal has broken the line after this row. */
  isBroken: boolean;
}

/** Wraps all rows as tmux does, also empty ones. The last ones are the screen. */
class WrappingTerminal {
  columns: number;
  readonly rows: number;
  #all: Row[];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.#all = Array.from({ length: rows }, () => ({ text: '', isBroken: false }));
  }

  /** With what has scrolled away. */
  get all(): string {
    return this.#all.map(({ text, isBroken }) => (isBroken ? text : `${text.trimEnd()}\n`)).join('');
  }

  write(output: string): void {
    for (const [, count = '', code = '', text = ''] of output.matchAll(written)) {
      if (text === '\n') this.#down();
      else if (text === '') this.#control(code, Number(count || 1));
      else this.#put(text);
    }
  }

  resize(columns: number): void {
    const wrapped: Row[] = [];
    let line = '';
    let cursor = -1;
    const [row, column] = [this.#row, this.#column];
    for (const [at, { text, isBroken }] of this.#all.entries()) {
      if (at === row) cursor = line.length + column;
      line += text;
      if (isBroken) continue;
      if (cursor >= 0) {
        this.#row = wrapped.length + Math.floor(cursor / columns);
        this.#column = cursor % columns;
      }
      wrapped.push(...rowsOf(line, columns));
      [line, cursor] = ['', -1];
    }
    while (wrapped.length < this.rows) wrapped.push({ text: '', isBroken: false });
    this.#all = wrapped;
    this.columns = columns;
  }

  #down(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#all.length) this.#all.push({ text: '', isBroken: false });
  }

  #put(text: string): void {
    if (this.#column === this.columns) {
      this.#here.isBroken = true;
      this.#down();
    }
    const row = this.#here;
    row.text = row.text.padEnd(this.#column).slice(0, this.#column) + text + row.text.slice(this.#column + 1);
    this.#column += 1;
  }

  #control(code: string, count: number): void {
    const top = this.#all.length - this.rows;
    if (code === 'A') this.#row = Math.max(top, this.#row - count);
    if (code === 'G') this.#column = count - 1;
    if (code === 'H') [this.#row, this.#column] = [top, 0];
    if (code === 'K' || code === 'J') {
      this.#here.text = this.#here.text.slice(0, this.#column);
      this.#here.isBroken = false;
    }
    if (code === 'J')
      for (const row of this.#all.slice(this.#row + 1)) Object.assign(row, { text: '', isBroken: false });
  }

  get #here(): Row {
    return this.#all[this.#row] ?? { text: '', isBroken: false };
  }
}

function rowsOf(line: string, columns: number): readonly Row[] {
  const count = Math.max(1, Math.ceil(line.length / columns));
  return Array.from({ length: count }, (_, at) => ({
    text: line.slice(at * columns, (at + 1) * columns),
    isBroken: at < count - 1,
  }));
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function regionOn(terminal: WrappingTerminal): LiveRegion {
  vi.stubEnv('TMUX', '/tmp/tmux-0/default,1,0');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    terminal.write(String(text));
    return true;
  });
  return new LiveRegion(() => terminal);
}

/** As wide as a line may be. */
function content(terminal: WrappingTerminal, words: string) {
  const width = terminal.columns - 1;
  const lines = [
    '',
    `╭${'─'.repeat(width - 2)}╮`,
    `│ ${words.padEnd(width - 4)} │`,
    `╰${'─'.repeat(width - 2)}╯`,
    ' status'.padEnd(width - 4, '.'),
  ];
  return { lines, caret: { row: 2, column: 2 + words.length } };
}

const sizes = [100, 60, 100, 75, 61, 60, 100];

function printedLines(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `printed ${at + 1} ${'words '.repeat(14)}end ${at + 1}.`);
}

test.each([12, 25, 40])(
  'in tmux %i printed lines stay as they are, with nothing of an older region',
  (count) => {
    const terminal = new WrappingTerminal(100, 30);
    const region = regionOn(terminal);
    const printed = printedLines(count);
    // A higher region leaves empty rows below the next one.
    region.draw({ lines: ['', 'offer', 'offer', 'offer', 'offer', 'offer'] }, printed);
    for (const columns of sizes) {
      terminal.resize(columns);
      region.draw(content(terminal, 'typed'));
      const expected = [...printed, ...content(terminal, 'typed').lines].join('\n');
      expect([columns, terminal.all.trimEnd()]).toEqual([columns, expected]);
    }
  },
);

test.each([1, 5])(
  'in tmux %i lines on an empty screen stay once, though rows move to its scroll-back',
  (count) => {
    const terminal = new WrappingTerminal(100, 30);
    const region = regionOn(terminal);
    const printed = printedLines(count);
    region.draw(content(terminal, 'typed'), printed);
    for (const columns of sizes) {
      terminal.resize(columns);
      region.draw(content(terminal, 'typed'));
      const kept = terminal.all.split('\n').filter((line) => line.startsWith('printed'));
      expect([columns, kept]).toEqual([columns, printed]);
    }
  },
);
