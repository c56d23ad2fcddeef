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

/** Fixed: the box is as high as its terminal, so its height says nothing about the rows. */
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
  const fit = new FitAddon();
  emulator.loadAddon(fit);
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
  const tellSize = (): void => {
    const { cols = emulator.cols } = fit.proposeDimensions() ?? {};
    // Not a number as long as the box is not laid out.
    if (Number.isInteger(cols)) emulator.resize(cols, rows);
    if (interactive) onResize(emulator.cols, emulator.rows);
  };
  const observer = new ResizeObserver(tellSize);
  observer.observe(box);
  return {
    show: (state) => {
      const wasInteractive = interactive;
      interactive = state.isPty !== false && state.lifecycle.status === 'running';
      // The box may have been measured before there was anybody to tell.
      if (interactive && !wasInteractive) tellSize();
      if (interactive && early) onInput(early);
      early = undefined;
      emulator.options.disableStdin = !interactive;
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

function textOf(part: TerminalContentPart): string {
  return part.type === 'unclassified' ? part.value : part.output;
}
