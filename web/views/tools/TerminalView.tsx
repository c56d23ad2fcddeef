// A live terminal. The emulator alone acts on escape sequences; here they only pass through.
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef } from 'preact/hooks';
import type { TerminalState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { TerminalContentPart } from '../../../src/protocols/ahp/terminalContent.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { useMay } from '../../state/role.ts';
import { isDark, theme } from '../../state/theme.ts';
import { divertStyles } from './divertStyles.ts';

interface TerminalViewProps {
  readonly terminal: URI;
  readonly title: string;
}

export function TerminalView({ terminal: uri, title }: TerminalViewProps) {
  const client = useClient();
  const mayType = useMay('control');
  const channel = useChannel('terminal', uri);
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | undefined>(undefined);
  const state = channel.state.value;
  const condition = channel.condition.value;

  useEffect(() => {
    if (!box.current) return;
    screen.current = openScreen(box.current, {
      label: title,
      typed: (data) => mayType && void client.dispatch(channel, { type: 'terminal/input', data }),
      resized: (cols, rows) =>
        mayType && void client.dispatch(channel, { type: 'terminal/resized', cols, rows }),
    });
    return () => screen.current?.close();
  }, [channel, mayType]);

  useEffect(() => {
    if (state) screen.current?.show(state);
  }, [state, mayType]);

  if (condition.kind === 'gone') return <p class="hint">This terminal is closed.</p>;
  return (
    <div class="terminal">
      <div ref={box} role="group" aria-label={`Terminal: ${title}`} />
      {state?.lifecycle.status === 'exited' && (
        <p class="hint">
          Ended{state.lifecycle.exitCode === undefined ? '' : ` with ${state.lifecycle.exitCode}`}.
        </p>
      )}
    </div>
  );
}

interface Screen {
  show(state: TerminalState): void;
  close(): void;
}

interface Person {
  readonly label: string;
  readonly typed: (data: string) => void;
  readonly resized: (cols: number, rows: number) => void;
}

const lightColours = {
  background: '#ffffff',
  foreground: '#1c1f26',
  cursor: '#1c1f26',
  selectionBackground: '#b8cdf8',
};
const darkColours = {
  background: '#12151b',
  foreground: '#e4e7ee',
  cursor: '#e4e7ee',
  selectionBackground: '#33508f',
};

function coloursNow() {
  return isDark() ? darkColours : lightColours;
}

function openScreen(box: HTMLElement, { typed, resized }: Person): Screen {
  const endDiversion = divertStyles();
  const emulator = new Terminal({
    fontSize: 13,
    rows: 16,
    scrollback: 5000,
    convertEol: false,
    screenReaderMode: true,
    theme: coloursNow(),
    // A link in a terminal is text of a stranger; it is not followed from here.
    linkHandler: { activate: () => undefined },
  });
  const fit = new FitAddon();
  emulator.loadAddon(fit);
  emulator.open(box);
  const system = matchMedia('(prefers-color-scheme: dark)');
  const recolour = (): void => {
    emulator.options.theme = coloursNow();
  };
  const leaveTheme = theme.subscribe(recolour);
  system.addEventListener('change', recolour);
  let written = '';
  let interactive = false;
  emulator.onData((data) => interactive && typed(data));
  const observer = new ResizeObserver(() => {
    fit.fit();
    if (interactive) resized(emulator.cols, emulator.rows);
  });
  observer.observe(box);
  return {
    show: (state) => {
      interactive = state.isPty !== false && state.lifecycle.status === 'running';
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
      endDiversion();
    },
  };
}

function textOf(part: TerminalContentPart): string {
  return part.type === 'unclassified' ? part.value : part.output;
}
