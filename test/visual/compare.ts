// Compares a screenshot with the stored picture inside the browser, which decodes both.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const stored = join(import.meta.dirname, 'pictures');
const seen = 'artifacts/visual';

/** `npm run pictures` sets it: the pictures are written anew instead of compared. */
const isUpdate = process.env['PARLEY_PICTURES'] === 'update';

/**
 * A pixel differs if one of its channels is off by more than 20 of 255. The browser draws the same page the
 * same way each time, to the last pixel; what is allowed is for another version of it, which may smooth the
 * edge of a letter here and there. A component that moves changes many pixels beside each other, so they are
 * counted in squares: with 4 of 256 a shift of two pixels is found, also that of a thin grey line.
 */
const channelTolerance = 20;
const square = 16;
const mostInSquare = 4;
const tolerance = 0.003;

/** Without the font of the stored pictures only the layout can be compared: all letters have other shapes. */
const toleranceWithoutFont = 0.12;

export interface Shot {
  readonly page: Page;
  readonly name: string;
}

/** In milliseconds: how long a busy machine may take to draw the last piece of a page. */
const longestDrawing = 20_000;

export async function expectPicture({ page, name }: Shot): Promise<void> {
  const file = join(stored, `${name}.png`);
  if (isUpdate) {
    mkdirSync(stored, { recursive: true });
    return writeFileSync(file, await steadyPicture(page));
  }
  expect(existsSync(file), `${file} is missing; npm run pictures makes it`).toBe(true);
  mkdirSync(seen, { recursive: true });
  const isSameFont = await hasFont(page);
  const most = isSameFont ? tolerance : toleranceWithoutFont;
  const hint = `see ${seen}/${name}.png, npm run pictures stores it`;
  await expect
    .poll(
      async () => {
        const picture = await page.screenshot(shot);
        writeFileSync(join(seen, `${name}.png`), picture);
        const { share, sizes, worst } = await differenceOf(page, picture, readFileSync(file));
        return [
          ...(sizes[0] === sizes[1] ? [] : [`is ${sizes[0]} and not ${sizes[1]}`]),
          ...(share <= most ? [] : [`${share} of its pixels changed, and ${most} may`]),
          ...(isSameFont && worst.changed > mostInSquare
            ? [`${worst.changed} pixels changed in the square at ${worst.at.join(', ')}`]
            : []),
        ];
      },
      { message: `${name}: ${hint}`, timeout: longestDrawing, interval: 500 },
    )
    .toEqual([]);
}

const shot = { animations: 'disabled', caret: 'hide', scale: 'device' } as const;

/** The page as it is when nothing is drawn any more. */
async function steadyPicture(page: Page): Promise<Buffer> {
  let before = await page.screenshot(shot);
  for (;;) {
    await page.waitForTimeout(500);
    const now = await page.screenshot(shot);
    if (now.equals(before)) return now;
    before = now;
  }
}

/** Whether the page no longer looks as its stored picture does. */
export async function differs({ page, name }: Shot): Promise<boolean> {
  const picture = await page.screenshot(shot);
  const { worst } = await differenceOf(page, picture, readFileSync(join(stored, `${name}.png`)));
  return worst.changed > mostInSquare;
}

interface Difference {
  readonly share: number;
  /** The square with the most changed pixels, and where it is. */
  readonly worst: { readonly changed: number; readonly at: readonly [x: number, y: number] };
  readonly sizes: readonly [string, string];
}

async function differenceOf(page: Page, now: Buffer, before: Buffer): Promise<Difference> {
  const blank = await page.context().newPage();
  try {
    return (await blank.evaluate(
      `(${compareInBrowser})(${JSON.stringify([now, before].map((each) => each.toString('base64')))}, ${channelTolerance}, ${square})`,
    )) as Difference;
  } finally {
    await blank.close();
  }
}

/** Runs in the browser, so it is a text. */
const compareInBrowser = `async (pictures, most, square) => {
  const [a, b] = await Promise.all(pictures.map(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  const sizes = [a, b].map(({ width, height }) => width + ' x ' + height);
  let worst = { changed: 0, at: [0, 0] };
  if (sizes[0] !== sizes[1]) return { share: 1, sizes, worst };
  let changed = 0;
  const across = Math.ceil(a.width / square);
  const squares = new Uint32Array(across * Math.ceil(a.height / square));
  for (let at = 0; at < a.data.length; at += 4) {
    if (![0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > most)) continue;
    changed += 1;
    const [x, y] = [(at / 4) % a.width, Math.floor(at / 4 / a.width)];
    const index = Math.floor(y / square) * across + Math.floor(x / square);
    squares[index] += 1;
    if (squares[index] > worst.changed) worst = { changed: squares[index], at: [x, y] };
  }
  return { share: changed / (a.data.length / 4), sizes, worst };
}`;

/** Whether the font that the pictures were made with is installed. */
async function hasFont(page: Page): Promise<boolean> {
  const widths = await page.evaluate(`['"DejaVu Sans", monospace', 'monospace'].map((family) => {
    const context = document.createElement('canvas').getContext('2d');
    context.font = '40px ' + family;
    return context.measureText('mmmmiiii').width;
  })`);
  const [named, fallback] = widths as readonly number[];
  return named !== fallback;
}
