// Right-to-left text and text with joiners is laid out right, at desk and phone size. Judged by the boxes of
// the glyphs, not by a picture. A scripted host and a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { addSession, hostWith, pageOf, session } from './console/rig.ts';
import { serve } from './console/served.ts';

const browsing = useBrowser();

const hebrew = 'שלום עולם, זה משפט בעברית.';
const persian = 'می\u200cخواهم';
const family = '👨\u200d👩\u200d👧';
const markdown = `${hebrew}

Plain English comes after it.

- פריט ראשון
- פריט שני

\`\`\`js
const שם = 1;
\`\`\`

- פריט שלישי

  המשך הפריט.

> ציטוט ישן

| שם ראשון | מחיר |
| --- | --- |
| תה | 3 |

\`npm\` מריץ בדיקות

${persian} ${family} done`;

const sizes = [
  ['a desk', { viewport: { width: 1200, height: 800 } }],
  ['a phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
] as const;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly width: number;
}

/** The box of a piece of text, and the one of the block around it. */
function boxesOf(page: Page, text: string): Promise<{ readonly text: Box; readonly block: Box }> {
  return page.evaluate(
    `(() => {
      const wanted = ${JSON.stringify(text)};
      const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.data.indexOf(wanted);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        const plain = ({ left, right, width }) => ({ left, right, width });
        const block = node.parentElement.closest('p, li, pre, h1, .msg-user');
        const style = getComputedStyle(block);
        const outer = block.getBoundingClientRect();
        return {
          text: plain(range.getBoundingClientRect()),
          block: {
            left: outer.left + parseFloat(style.paddingLeft),
            right: outer.right - parseFloat(style.paddingRight),
            width: outer.width,
          },
        };
      }
      throw new Error('This text is not on the page: ' + wanted);
    })()`,
  );
}

test.each(sizes)('text of both directions starts at its own edge, on %s', async (_, options) => {
  const host = hostWith([{ kind: 'markdown', id: 'm', content: markdown }]);
  addSession(host, 'ahp-session:/rtl', { title: hebrew });
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address), options);
  await page.getByText('Plain English').waitFor();

  const right = await boxesOf(page, hebrew);
  expect(right.text.right).toBeCloseTo(right.block.right, 0);
  expect(right.text.left).toBeGreaterThan(right.block.left + 20);
  const left = await boxesOf(page, 'Plain English comes after it.');
  expect(left.text.left).toBeCloseTo(left.block.left, 0);
  // The first letter of a right-to-left sentence is right of its last one, and its full stop is at the left.
  const [first, last, stop] = await Promise.all(
    ['שלום', 'בעברית', 'בעברית.'].map((word) => boxesOf(page, word)),
  );
  expect(first?.text.left).toBeGreaterThan(last?.text.right ?? Infinity);
  expect(stop?.text.left).toBeLessThan(last?.text.left ?? 0);
  const item = await boxesOf(page, 'פריט ראשון');
  expect(item.text.right).toBeCloseTo(item.block.right, 0);
  // What stands beside a quote, a list with paragraphs and the first column is at the right, too.
  const rightOf = async (outer: string, inner: string) => {
    const [around, within] = await Promise.all(
      [outer, inner].map((each) => page.locator(each).last().boundingBox()),
    );
    return (around?.x ?? 0) + (around?.width ?? 0) - (within?.x ?? 0) - (within?.width ?? 0);
  };
  expect(await rightOf('.prose blockquote', '.prose blockquote p')).toBeGreaterThan(10);
  expect(await rightOf('.prose ul', '.prose ul li p')).toBeGreaterThan(10);
  expect(await rightOf('.prose thead tr', '.prose th:first-child')).toBeLessThan(2);
  expect(await rightOf('.prose', '.prose table')).toBeLessThan(2);
  // A sentence has the direction of its words, also where it begins with code.
  const command = await boxesOf(page, 'npm');
  const words = await boxesOf(page, 'מריץ בדיקות');
  expect(command.text.left).toBeGreaterThan(words.text.right);
  // Code reads from the left, whatever letters are in it.
  const code = await boxesOf(page, 'const');
  const name = await boxesOf(page, 'שם');
  expect(code.text.left).toBeCloseTo(code.block.left, 0);
  expect(name.text.left).toBeGreaterThan(code.text.right);

  // Joiners are kept and take no room: no more than the letters or pictures alone.
  const joined = await boxesOf(page, family);
  const alone = await boxesOf(page, '👨');
  expect(joined.text.width).toBeLessThanOrEqual(alone.text.width * 3 + 1);
  expect(await page.locator('.prose').last().innerText()).toContain(`${persian} ${family}`);
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.goto(pageOf(address, 'ahp-session:/rtl'));
  await page.getByRole('heading', { name: hebrew }).waitFor();
  await expectNoOverflow(page);
  // In a list all names begin at the same edge.
  await page.goto(`${address}#/`);
  await page.locator('.list-row', { hasText: hebrew }).waitFor();
  expect(
    await page.evaluate("getComputedStyle(document.querySelector('.list-row .truncate')).textAlign"),
  ).toBe('left');
  await page.goto(pageOf(address, session));
  expect(complaints).toEqual([]);
});
