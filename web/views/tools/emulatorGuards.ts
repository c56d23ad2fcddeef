// Keeps the emulator from typing what its user did not type: answers to a program's questions, and control
// characters in pasted text.
import type { Terminal } from '@xterm/xterm';

/** Device attributes, device status and modes. */
const queries = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
] as const;

/** Turns on reports of the focus; the first report comes at once. */
const focusReports = 1004;

/** Operating system commands that set a colour, or ask for it with a question mark. */
const colours = [4, 10, 11, 12] as const;

/**
 * Takes questions out of the output. Every page that shows the terminal would answer, and answer again
 * whenever it shows old output.
 */
export function muteQueries({ parser }: Terminal): void {
  for (const query of queries) parser.registerCsiHandler(query, () => true);
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, (modes) => modes.includes(focusReports));
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true);
  for (const colour of colours) parser.registerOscHandler(colour, (data) => data.includes('?'));
}

/** Pasted text cannot end the brackets that tell the program that it is pasted. */
export function guardPaste(emulator: Terminal, box: HTMLElement): void {
  const paste = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    emulator.paste(text.replaceAll(/[^\P{Cc}\t\r\n]/gu, ''));
  };
  box.addEventListener('paste', paste, { capture: true });
}
