// Formulas, folded parts and footnotes of a message, at desk and phone size. A scripted host, a real browser.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { agentTurn, chat, hostWith, pageOf } from './console/rig.ts';
import { serve } from './console/served.ts';

const browsing = useBrowser();

const sizes = [
  ['a desk', { viewport: { width: 1200, height: 800 } }],
  ['a phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
] as const;

const turned = "getComputedStyle(document.querySelector('.prose summary'), '::before').rotate";
const focused = "document.activeElement?.getAttribute('aria-label')";

const wide = Array.from({ length: 40 }, (_, index) => `x_{${index}}`).join(' + ');

const markdown = String.raw`- [x] measured
- [ ] written down

The root is $\frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$, and \(e^{i\pi} = -1\).

$$
\begin{aligned} a &= b \\ - c &= \mathscr{L} \end{aligned}
$$

\[ ${wide} = 0 \]

It costs $5 and $6, or 7$ at US$8.

A wrong one: $\frac{1$ and \(\nocommand\).

A bad one: $\href{https://evil.example}{press}$ and $\kern-3000px\text{Allow}$.

<details>
<summary>How it was **found**</summary>

- first $x$

</details>

A claim[^1].

[^1]: The *source*.`;

const written = [
  '# Tea &amp; milk',
  'One **bold**\nline &lt;here&gt; with `code  x` and a [link](https://example.com).',
  '```py\n  if a &amp; b:\n      go()\n```',
  '- one\n  - two\n- [x] three',
  '3. third\n4. fourth',
  '| a | b |\n|--|--|\n| 1 | 2 |',
].join('\n\n');

const readable = [
  'Tea & milk',
  'One bold line <here> with code  x and a link.',
  '  if a &amp; b:\n      go()',
  '- one\n  - two\n- [x] three',
  '3. third\n4. fourth',
  'a\tb\n1\t2',
].join('\n\n');

test('an answer is copied as markdown, or as the text that is read', async () => {
  const host = hostWith([{ kind: 'markdown', id: 'm', content: written }]);
  const { address } = await serve(host);
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page, complaints } = await browsing.open(pageOf(address), { permissions });
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Copy answer', exact: true }).click();
  await expect.poll(copied).toBe(written);
  await page.getByRole('button', { name: 'Copy answer without markdown' }).click();
  await expect.poll(copied).toBe(readable);
  expect(complaints).toEqual([]);
});

test.each(sizes)('formulas, folded parts and footnotes, on %s', async (_, options) => {
  const host = hostWith([{ kind: 'markdown', id: 'm', content: markdown }]);
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address), options);
  const prose = page.locator('.prose').first();
  await prose.locator('math').nth(3).waitFor();

  expect(await prose.locator('mfrac > mrow').count()).toBeGreaterThan(0);
  expect(await prose.locator('msqrt').count()).toBe(1);
  expect(await prose.locator('mtable mtr').count()).toBe(2);
  // Prices stay words; a formula that is wrong or not allowed stays its source.
  await prose.getByText('It costs $5 and $6, or 7$ at US$8.').waitFor();
  expect(await prose.locator('code.maths').allInnerTexts()).toEqual([
    String.raw`$\frac{1$`,
    String.raw`\(\nocommand\)`,
    String.raw`$\href{https://evil.example}{press}$`,
  ]);
  expect(await prose.locator('code.maths').first().getAttribute('title')).not.toBe('');
  expect(await prose.locator('a[href]').count()).toBe(0);

  // A wide formula scrolls in its own frame, and nothing of a formula is painted outside it.
  const frames =
    await page.evaluate(`[...document.querySelectorAll('.prose .maths:not(code)')].map((node) => ({
    scrolls: node.role === 'group' && node.scrollWidth > node.clientWidth,
    overflow: getComputedStyle(node).overflowX,
  }))`);
  expect(frames).toContainEqual({ scrolls: true, overflow: 'auto' });
  expect(frames).not.toContainEqual(expect.objectContaining({ overflow: 'visible' }));
  for (const name of ['Done', 'Not done'])
    expect(await prose.getByRole('checkbox', { name, exact: true }).count()).toBe(1);
  await expectNoOverflow(page);
  await expectAccessible(page);

  const fold = prose.locator('details');
  expect(await fold.locator('summary').innerText()).toBe('How it was found');
  expect(await fold.locator('li math').isVisible()).toBe(false);
  await fold.locator('summary').click();
  await fold.locator('li math').waitFor();
  expect(await prose.locator('sup.footnote-mark').innerText()).toBe('1');
  expect(await prose.locator('.footnote').innerText()).toBe('1 The source.');

  // A fold has a mark that points down or aside; the mark of a footnote leads to its note, and back.
  await expect.poll(() => page.evaluate(turned)).toBe('135deg');
  await fold.locator('summary').click();
  await expect.poll(() => page.evaluate(turned)).toBe('45deg');
  await prose.getByRole('button', { name: 'Footnote 1', exact: true }).click();
  expect(await page.evaluate(focused)).toBe('Back to the mark of footnote 1');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(focused)).toBe('Footnote 1');
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

const run = "window.pwned=1;alert('x')";

const attacks = [
  String.raw`$\href{javascript:alert(1)}{x}$ $\class{app ask}{x}$ $\style{position:fixed;inset:0}{x}$`,
  String.raw`$\includegraphics{https://evil.example/a.png}$ $\data{a=1}{x}$ $\id{app}{x}$ $\url{javascript:alert(1)}$`,
  String.raw`$\text{<img src=x onerror=alert(1)>}$ $\def\a{\a\a}\a$ $\rule{99999em}{99999em}$`,
  `$${'{'.repeat(2000)}$ ${'$x'.repeat(5000)} ${'\\('.repeat(5000)} ${'\\['.repeat(5000)}`,
  '$$\n\n'.repeat(1000),
  `<details onclick="${run}"><summary>a</summary>x</details>`,
  `<details>\n<summary><img src=x onerror="${run}"></summary>\n<script>${run}</script>\n</details>`,
  '<details>\n'.repeat(3000),
];

test('hostile formulas and folded parts run nothing and load nothing', async () => {
  // The first ones come last: only the end of a long transcript is rendered.
  const parts = attacks.map((content, index) => ({ kind: 'markdown' as const, id: `m${index}`, content }));
  const { address } = await serve(hostWith(parts.toReversed()));
  const { page, complaints } = await browsing.open(pageOf(address));
  await page.locator('.prose mtext').first().waitFor();
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(
    await page.evaluate(
      "document.querySelectorAll('.prose :is(a, img, script, [onclick], [id], .app)').length",
    ),
  ).toBe(0);
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});

test('the typesetter is loaded with the first formula, also while an answer arrives', async () => {
  const host = hostWith([{ kind: 'markdown', id: 'm', content: 'Plain, $5 and $6.' }]);
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.getByText('Plain, $5 and $6.').waitFor();
  const [chunk = ''] = readdirSync('dist/web/assets').filter((name) => /^typesetter-.*\.js$/.test(name));
  expect(chunk).not.toBe('');
  expect(
    await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)'),
  ).not.toContain(`${address}assets/${chunk}`);

  agentTurn(host, [
    { type: 'chat/responsePart', turnId: 't1', part: { kind: 'markdown', id: 'live', content: '' } },
  ]);
  for (const content of ['$', '$\n', 'a = ', 'b\n', '- c\n', '$', '$', '\n\nand $', 'x$', ' grows'])
    host.emit(chat, { type: 'chat/delta', turnId: 't1', partId: 'live', content });
  await page.locator('.prose math').first().waitFor();
  // The last block may still grow, so it shows its source.
  await page.getByText('$x$', { exact: true }).waitFor();
  host.emit(chat, { type: 'chat/turnComplete', turnId: 't1', duration: 5 });
  await page.locator('.prose math').nth(1).waitFor();
  expect(asked).toContain(`${address}assets/${chunk}`);
  expect(complaints).toEqual([]);
});
