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
 * The share of pixels that may differ. A pixel differs if one of its channels is off by more than 48 of 255:
 * another version of the browser or of its font rasteriser smooths edges a little differently and stays below
 * that. A composer that moves by 40 pixels changes between 0.4 and 4 percent of a page on a phone.
 */
const tolerance = 0.003;
const channelTolerance = 48;

/** Without the font of the stored pictures only the layout can be compared: all letters have other shapes. */
const toleranceWithoutFont = 0.12;

export interface Shot {
  readonly page: Page;
  readonly name: string;
  readonly fullPage?: boolean;
}

export async function expectPicture({ page, name, fullPage = false }: Shot): Promise<void> {
  const picture = await page.screenshot({ fullPage, animations: 'disabled', caret: 'hide', scale: 'device' });
  mkdirSync(seen, { recursive: true });
  writeFileSync(join(seen, `${name}.png`), picture);
  const file = join(stored, `${name}.png`);
  if (isUpdate) {
    mkdirSync(stored, { recursive: true });
    writeFileSync(file, picture);
    return;
  }
  expect(existsSync(file), `${file} is missing; npm run pictures makes it`).toBe(true);
  const { share, sizes } = await differenceOf(page, picture, readFileSync(file));
  const most = (await hasFont(page)) ? tolerance : toleranceWithoutFont;
  expect(sizes[0], `${name}: size; see ${seen}/${name}.png, npm run pictures stores it`).toBe(sizes[1]);
  expect(share, `${name}: share of changed pixels; see ${seen}/${name}.png`).toBeLessThanOrEqual(most);
}

interface Difference {
  readonly share: number;
  readonly sizes: readonly [string, string];
}

async function differenceOf(page: Page, now: Buffer, before: Buffer): Promise<Difference> {
  const blank = await page.context().newPage();
  try {
    return (await blank.evaluate(
      `(${compareInBrowser})(${JSON.stringify([now, before].map((each) => each.toString('base64')))}, ${channelTolerance})`,
    )) as Difference;
  } finally {
    await blank.close();
  }
}

/** Runs in the browser, so it is a text. */
const compareInBrowser = `async (pictures, most) => {
  const [a, b] = await Promise.all(pictures.map(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  const sizes = [a, b].map(({ width, height }) => width + ' x ' + height);
  if (sizes[0] !== sizes[1]) return { share: 1, sizes };
  let changed = 0;
  for (let at = 0; at < a.data.length; at += 4)
    if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > most)) changed += 1;
  return { share: changed / (a.data.length / 4), sizes };
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
