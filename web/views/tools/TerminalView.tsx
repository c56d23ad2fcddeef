// A live terminal in the xterm.js emulator, which alone interprets escape sequences.
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef } from 'preact/hooks';
import type { TerminalState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { TerminalContentPart } from '../../../src/protocols/ahp/terminalContent.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { isDark, theme } from '../../state/theme.ts';
import { guardPaste, muteQueries } from './emulatorGuards.ts';
import { adoptEmulatorStyles } from './emulatorStyles.ts';

interface TerminalViewProps {
  readonly terminal: URI;
  readonly title: string;
}

export function TerminalView({ terminal: uri, title }: TerminalViewProps) {
  const client = useClient();
  const mayType = useHasRole('control');
  const channel = useChannel('terminal', uri);
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | undefined>(undefined);
  const state = channel.state.value;
  const status = channel.status.value;

  useEffect(() => {
    if (!box.current) return;
    screen.current = openScreen(box.current, {
      onInput: (data) => mayType && void client.dispatch(channel, { type: 'terminal/input', data }),
      onResize: (cols, rows) =>
        mayType && void client.dispatch(channel, { type: 'terminal/resized', cols, rows }),
    });
    return () => screen.current?.close();
  }, [channel, mayType]);

  useEffect(() => {
    if (state) screen.current?.show(state);
  }, [state, mayType]);

  if (status.kind === 'gone') return <p class="note">The terminal is closed.</p>;
  return (
    <div class="terminal">
      <div ref={box} role="group" aria-label={`Terminal: ${title}`} />
      {state?.lifecycle.status === 'exited' && (
        <p class="note">
          Exited{state.lifecycle.exitCode === undefined ? '' : ` with code ${state.lifecycle.exitCode}`}
        </p>
      )}
    </div>
  );
}

interface Screen {
  show(state: TerminalState): void;
  close(): void;
}

interface ScreenEvents {
  readonly onInput: (data: string) => void;
  readonly onResize: (cols: number, rows: number) => void;
}

/** As the box around it: `--sunken` and `--text`. */
const lightColours = {
  background: '#f5f5f2',
  foreground: '#1d1c19',
  cursor: '#1d1c19',
  selectionBackground: '#b8cdf8',
};
const darkColours = {
  background: '#111113',
  foreground: '#ededef',
  cursor: '#ededef',
  selectionBackground: '#33508f',
};

/** Fixed, so that a program keeps its screen while its text grows; the box shows the rows that are used. */
const rows = 16;

function currentColours() {
  return isDark() ? darkColours : lightColours;
}

function newEmulator(): Terminal {
  return new Terminal({
    fontSize: 13,
    rows,
    scrollback: 5000,
    convertEol: false,
    screenReaderMode: true,
    theme: currentColours(),
    // Links in a terminal are untrusted, so they do nothing.
    linkHandler: { activate: () => undefined },
  });
}

function openScreen(box: HTMLElement, { onInput, onResize }: ScreenEvents): Screen {
  const restoreStyles = adoptEmulatorStyles();
  const emulator = newEmulator();
  muteQueries(emulator);
  emulator.open(box);
  guardPaste(emulator, box);
  const system = matchMedia('(prefers-color-scheme: dark)');
  const recolour = (): void => {
    emulator.options.theme = currentColours();
  };
  const leaveTheme = theme.subscribe(recolour);
  system.addEventListener('change', recolour);
  let written = '';
  let interactive = false;
  /** What was typed before the terminal was known; nothing once it is. */
  let early: string | undefined = '';
  emulator.onData((data) => {
    if (early !== undefined) early += data;
    else if (interactive) onInput(data);
  });
  const fitColumns = columnFitter(emulator, box, onResize);
  const tellSize = (): void => fitColumns(interactive);
  emulator.onWriteParsed(() => showUsedRows(emulator, box));
  const observer = new ResizeObserver(tellSize);
  observer.observe(box);
  return {
    show: (state) => {
      const wasInteractive = interactive;
      interactive = state.isPty !== false && state.lifecycle.status === 'running';
      emulator.options.disableStdin = !interactive;
      // The box may have been measured before there was anybody to tell.
      if (interactive && !wasInteractive) tellSize();
      if (interactive && early) onInput(early);
      early = undefined;
      emulator.options.convertEol = state.isPty === false;
      const text = state.content.map(textOf).join('');
      if (!text.startsWith(written)) {
        emulator.reset();
        written = '';
      }
      emulator.write(text.slice(written.length));
      written = text;
    },
    close: () => {
      observer.disconnect();
      leaveTheme();
      system.removeEventListener('change', recolour);
      emulator.dispose();
      restoreStyles();
    },
  };
}

/** Fits the columns to the box, and tells them, once each, where a program runs that can use them. */
function columnFitter(
  emulator: Terminal,
  box: HTMLElement,
  onResize: ScreenEvents['onResize'],
): (interactive: boolean) => void {
  const fit = new FitAddon();
  emulator.loadAddon(fit);
  let told: number | undefined;
  return (interactive) => {
    const { cols = emulator.cols } = fit.proposeDimensions() ?? {};
    // Not a number as long as the box is not laid out.
    if (Number.isInteger(cols)) emulator.resize(cols, rows);
    showUsedRows(emulator, box);
    if (!interactive) told = undefined;
    // The box also grows with its text.
    if (!interactive || told === emulator.cols) return;
    told = emulator.cols;
    onResize(emulator.cols, emulator.rows);
  };
}

/** Cuts the empty rows below the text and the cursor off: the box is as tall as its text. */
function showUsedRows(emulator: Terminal, box: HTMLElement): void {
  const screen = box.querySelector<HTMLElement>('.xterm-screen');
  if (screen && screen.offsetHeight > 0)
    box.style.blockSize = `${(screen.offsetHeight / emulator.rows) * usedRows(emulator)}px`;
}

function usedRows({ rows: all, options, buffer: { active } }: Terminal): number {
  // A program with a screen of its own, and text that has scrolled, fill all rows.
  if (active.type === 'alternate' || active.baseY > 0) return all;
  // Where nobody types, the line of the cursor is only the end of the one before.
  const least = options.disableStdin === true ? 0 : active.cursorY;
  for (let row = all - 1; row > least; row -= 1)
    if (active.getLine(row)?.translateToString(true) !== '') return row + 1;
  return least + 1;
}

function textOf(part: TerminalContentPart): string {
  return part.type === 'unclassified' ? part.value : part.output;
}
