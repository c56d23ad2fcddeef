// Draws diagrams. What draws them is large and reads what others wrote, so it runs in a frame of its own
// without an origin and without network. The frame is there for one drawing; its answer is shown as a
// picture, which runs and loads nothing.
import { isRecord } from '../../src/base/isRecord.ts';
import type { DiagramColour, DiagramLook, DiagramRequest } from './messages.ts';

export type Drawing =
  | { readonly address: string; readonly width: number; readonly height: number }
  | { readonly problem: string };

export interface Drawer {
  /** What was drawn before: the page must not jump when a part of a long transcript is shown again. */
  known(code: string, isDark: boolean): Drawing | undefined;
  /** One after the other. Nothing for a drawing that nobody wants any more when its turn comes. */
  draw(code: string, isDark: boolean, isWanted: () => boolean): Promise<Drawing | undefined>;
}

/** In characters. A longer one is no diagram that a person reads, and would hold up the page. */
const maxCode = 20_000;
const maxPicture = 2_000_000;
/** In pixels. */
const maxSide = 8_000;
/** In milliseconds, with the time to load what draws. */
const patience = 60_000;
const tooLong = { problem: 'It takes too long.' };
const maxKept = 50;

export const drawer = createDrawer();

function createDrawer(): Drawer {
  const kept = new Map<string, Drawing>();
  const keep = (key: string, drawing: Drawing): void => {
    kept.set(key, drawing);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  };
  const keyOf = (code: string, isDark: boolean) => `${isDark} ${code}`;
  let before: Promise<unknown> = Promise.resolve();
  return {
    known: (code, isDark) => kept.get(keyOf(code, isDark)),
    draw: (code, isDark, isWanted) => {
      const turn = before.then(async () => {
        const key = keyOf(code, isDark);
        const known = kept.get(key);
        if (known || !isWanted()) return known;
        const drawing = await drawNow({ code, look: currentLook(isDark) });
        // The next time may be quicker.
        if (drawing !== tooLong) keep(key, drawing);
        return drawing;
      });
      before = turn;
      return turn;
    },
  };
}

async function drawNow(request: DiagramRequest): Promise<Drawing> {
  if (request.code.length > maxCode) return { problem: 'It is too long.' };
  const frame = document.createElement('iframe');
  const { port1: port, port2: theirs } = new MessageChannel();
  try {
    return await new Promise((resolve) => {
      port.addEventListener('message', ({ data }) => resolve(readAnswer(data)));
      port.start();
      setTimeout(() => resolve(tooLong), patience);
      // A frame without an origin cannot be addressed by one.
      const ask = () => frame.contentWindow?.postMessage(request, '*', [theirs]);
      frame.addEventListener('load', ask, { once: true });
      frame.className = 'drawing-frame';
      frame.title = 'Draws diagrams';
      frame.ariaHidden = 'true';
      frame.tabIndex = -1;
      frame.sandbox.add('allow-scripts');
      frame.src = './diagram.html';
      document.body.append(frame);
    });
  } finally {
    frame.remove();
    port.close();
  }
}

/** The frame has run what others wrote: its answer is data, and within bounds. */
function readAnswer(answer: unknown): Drawing {
  if (!isRecord(answer)) return { problem: '' };
  const { svg, width, height, problem } = answer;
  if (typeof problem === 'string') return { problem: problem.slice(0, 1_000) };
  if (typeof svg !== 'string' || !isSide(width) || !isSide(height)) return { problem: 'It is too large.' };
  if (svg.length > maxPicture) return { problem: 'It is too large.' };
  return { address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, width, height };
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= maxSide;
}

const tokens: Readonly<Record<DiagramColour, string>> = {
  text: '--text',
  line: '--text-3',
  ground: '--surface',
  box: '--accent-soft',
  boxLine: '--accent-line',
  part: '--sunken',
  partLine: '--line-strong',
};

/** The page's font and colours, as the style sheet has them now. */
function currentLook(isDark: boolean): DiagramLook {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colourOf = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(Object.entries(tokens).map(([name, token]) => [name, colourOf(token)]));
  const font = getComputedStyle(probe).fontFamily;
  probe.remove();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of `tokens`
  return { isDark, font, colours: colours as DiagramLook['colours'] };
}
