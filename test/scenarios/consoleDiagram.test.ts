// Diagrams of a message: drawn, broken and hostile ones, at desk and phone size, light and dark. A scripted
// host, a real browser.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { agentTurn, chat, hostWith, pageOf } from './console/rig.ts';
import { serve } from './console/served.ts';

const browsing = useBrowser();

const desk = { viewport: { width: 1200, height: 800 } };
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

const looks = [
  ['a desk, light', { ...desk, colorScheme: 'light' }],
  ['a desk, dark', { ...desk, colorScheme: 'dark' }],
  ['a phone, light', { ...phone, colorScheme: 'light' }],
  ['a phone, dark', { ...phone, colorScheme: 'dark' }],
] as const;

const flow = `flowchart LR
  accTitle: How an order is paid
  Cart -->|total| Checkout --> Pay{Paid?}
  Pay -->|yes| Ship & Receipt
  Pay -->|no| Cart`;

const sequence = `sequenceDiagram
  participant Page
  participant Host
  Page->>Host: prompt
  Note over Host: thinks
  Host-->>Page: answer`;

const broken = 'flowchart LR\n  A --> --> B';

const fenced = (...codes: readonly string[]) =>
  codes.map((code) => `\`\`\`mermaid\n${code}\n\`\`\``).join('\n\n');

const pageWith = (content: string) => hostWith([{ kind: 'markdown', id: 'm', content }]);

/** Whether the browser could draw the picture, and how large. */
const pictures = `Promise.all([...document.querySelectorAll('.diagram img')].map(async (image) => {
  await image.decode();
  return { alt: image.alt, isDrawn: image.naturalWidth > 50 && image.naturalHeight > 50 };
}))`;

test.each(looks)('diagrams are drawn, on %s', async (_, options) => {
  const { address } = await serve(pageWith(`A plan:\n\n${fenced(flow, sequence)}\n\nDone.`));
  const { page, complaints } = await browsing.open(pageOf(address), options);
  await page.locator('.diagram img').nth(1).waitFor();
  expect(await page.evaluate(pictures)).toEqual([
    { alt: 'How an order is paid', isDrawn: true },
    { alt: 'Diagram: sequenceDiagram', isDrawn: true },
  ]);
  await expectNoOverflow(page);
  await expectAccessible(page);

  // Its code can be seen and copied.
  const figure = page.locator('figure').first();
  await figure.getByRole('button', { name: 'Show code' }).click();
  expect(await figure.locator('pre').innerText()).toBe(flow);
  await figure.getByRole('button', { name: 'Copy code' }).waitFor();
  await figure.getByRole('button', { name: 'Show diagram' }).click();
  await figure.getByRole('img').waitFor();
  expect(complaints).toEqual([]);
});

test.each(looks)('diagrams in lists, quotes and folded parts are drawn, on %s', async (_, options) => {
  const indented = (code: string) => fenced(code).replaceAll(/^/gm, '   ');
  const folded = `<details><summary>More</summary>\n\n${fenced(flow)}\n\n</details>`;
  const quoted = fenced('flowchart LR\n  Quoted --> B').replaceAll(/^/gm, '> ');
  const text = `1. First:\n\n${indented(sequence)}\n\n   Then this.\n2. Broken:\n\n${indented(broken)}`;
  const { address } = await serve(pageWith([text, quoted, folded].join('\n\n')));
  const { page, complaints } = await browsing.open(pageOf(address), options);
  await page.locator('.prose summary').click();
  await page.locator('details .diagram img').waitFor();
  await page.locator('blockquote .diagram img').waitFor();
  await page.locator('li', { hasText: 'Broken:' }).getByText('The diagram cannot be drawn.').waitFor();
  expect(await page.evaluate(pictures)).toEqual([
    { alt: 'Diagram: sequenceDiagram', isDrawn: true },
    { alt: 'Diagram: flowchart', isDrawn: true },
    { alt: 'How an order is paid', isDrawn: true },
  ]);
  await expectNoOverflow(page);
  await expectAccessible(page);
  const figure = page.locator('li figure').first();
  await figure.getByRole('button', { name: 'Show code' }).click();
  expect(await figure.locator('pre').innerText()).toBe(sequence);
  expect(complaints).toEqual([]);
});

test.each([
  ['a desk', desk],
  ['a phone', phone],
])('a broken diagram shows its code and says why, on %s', async (_, options) => {
  const long = `flowchart LR\n${'A --> B\n'.repeat(4_000)}`;
  const { address } = await serve(pageWith(fenced(long, 'mystery\n  A', broken)));
  const { page, complaints } = await browsing.open(pageOf(address), options);
  await page.getByText('The diagram cannot be drawn. Parse error on line 2.').waitFor();
  expect(await page.locator('figure pre').last().innerText()).toBe(broken);
  await page.getByText('The diagram cannot be drawn. No diagram type detected').waitFor();
  await page.locator('figure').first().scrollIntoViewIfNeeded();
  await page.getByText('The diagram cannot be drawn. It is too long.').waitFor();
  expect(await page.locator('.diagram').count()).toBe(0);
  await expectNoOverflow(page);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

let lure: Server | undefined;
afterEach(() => lure?.close());

/** A server that others would like to be asked, and what it was asked for. */
async function setLure(): Promise<{ readonly base: string; readonly asked: string[] }> {
  const asked: string[] = [];
  lure = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => lure?.listen(0, '127.0.0.1', resolve));
  return { base: `http://127.0.0.1:${(lure.address() as AddressInfo).port}`, asked };
}

const run = 'parent.pwned=1;top.pwned=1;window.pwned=1';

const attacks: readonly (readonly [what: string, code: (base: string) => string])[] = [
  [
    'a directive, pictures and links',
    (base) => `%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%
flowchart LR
  A["<img src=${base}/label onerror='${run}'>"] --> B["<iframe src='${base}/frame'></iframe>"]
  click A href "javascript:${run}" _self
  click B call alert()`,
  ],
  [
    'front matter and scripts',
    (base) => `---
config:
  securityLevel: loose
  htmlLabels: true
  secure: []
---
flowchart LR
  A["<svg onload='${run}'><image href='${base}/svg'/></svg>"] --> B["<script>${run}</script>"]
  click A href "${base}/click"`,
  ],
  [
    'a box that is a picture',
    (base) => `flowchart LR\n  A@{ img: "${base}/shape", label: "x", h: 60 } --> B`,
  ],
  [
    'styles',
    (base) => `%%{init: {"themeCSS": "@import url(${base}/import); * { background: url(${base}/css) }"}}%%
flowchart LR
  A --> B`,
  ],
  [
    'styles of boxes',
    (base) => `flowchart LR
  A --> B
  style A fill:url(${base}/fill),background-image:url(${base}/back)
  classDef c fill:url(${base}/class)
  class B c`,
  ],
  [
    'a sequence',
    (base) => `sequenceDiagram
  participant A as <img src='${base}/actor'>
  link A: Open @ ${base}/link
  A->>A: <img src='${base}/message' onerror='top.pwned=1'>`,
  ],
  [
    'classes',
    (base) => `classDiagram
  class A["<img src='${base}/class-label'>"]
  link A "${base}/class-link"
  callback A "alert"`,
  ],
];

test.each(attacks)('a hostile diagram runs nothing and reaches nothing: %s', async (_, code) => {
  const { base, asked } = await setLure();
  const { address } = await serve(pageWith(fenced(code(base))));
  const { page, complaints } = await browsing.open(pageOf(address));
  // Drawn, or given up.
  await page.locator('figure').locator('.diagram img, [role=status]').waitFor();
  expect(asked).toEqual([]);
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(await page.locator('figure :is(a, iframe, svg image, script)').count()).toBe(0);
  // A drawn one is a picture: a press on it leads nowhere.
  for (const image of await page.locator('.diagram img').all()) await image.click();
  expect(asked).toEqual([]);
  expect(page.url()).toBe(pageOf(address));
  await expectNoOverflow(page);
  // The frame may say what it was not allowed to do, and the browser names a request before it stops it; the
  // server knows whether it came.
  const own = complaints.filter((each) => !/^console: .*Content Security Policy/.test(each));
  expect(own.filter((each) => !each.startsWith(`request: ${base}/`))).toEqual([]);
  expect(asked).toEqual([]);
});

test('the page that draws has no origin and no network, also alone', async () => {
  const { base, asked } = await setLure();
  const { address } = await serve(hostWith());
  const { page } = await browsing.open(`${address}diagram.html`);
  expect(await page.evaluate('[origin, typeof mermaid.render]')).toEqual(['null', 'function']);
  const reached = `(async () => {
    const tries = [
      fetch('${base}/fetch', { mode: 'no-cors' }),
      fetch('/healthz', { mode: 'no-cors' }),
      new Promise((resolve, reject) => {
        const image = new Image();
        Object.assign(image, { onload: resolve, onerror: reject, src: '${base}/image' });
      }),
    ];
    const script = document.createElement('script');
    script.textContent = 'window.pwned = 1';
    document.body.append(script);
    const link = document.createElement('a');
    link.href = 'javascript:window.pwned=1';
    document.body.append(link);
    link.click();
    const button = document.createElement('button');
    button.setAttribute('onclick', 'window.pwned = 1');
    button.click();
    const ended = await Promise.allSettled(tries);
    return [...ended.map(({ status }) => status), typeof window.pwned];
  })()`;
  expect(await page.evaluate(reached)).toEqual(['rejected', 'rejected', 'rejected', 'undefined']);
  expect(asked).toEqual([]);
});

test('what draws is loaded with the first whole diagram, and a known one is shown at once', async () => {
  const host = pageWith('Plain.');
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address), { colorScheme: 'light' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.getByText('Plain.').waitFor();
  agentTurn(host, [
    { type: 'chat/responsePart', turnId: 't1', part: { kind: 'markdown', id: 'live', content: '' } },
  ]);
  for (const content of ['```mermaid\n', 'flowchart LR\n', '  A --> B', '\n```\n'])
    host.emit(chat, { type: 'chat/delta', turnId: 't1', partId: 'live', content });
  await page.getByText('A --> B').waitFor();
  // It may still grow.
  expect(await page.locator('.diagram, .diagram-note').count()).toBe(0);
  expect(asked).not.toContain('/diagram.html');
  host.emit(chat, { type: 'chat/turnComplete', turnId: 't1', duration: 5 });
  const image = page.locator('.diagram img');
  await image.waitFor();
  expect(asked.filter((path) => path === '/diagram.html')).toHaveLength(1);
  // The frame is gone when its drawing is there.
  expect(await page.locator('iframe').count()).toBe(0);

  // In another theme the picture stays until there is a new one.
  const light = await image.getAttribute('src');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => image.getAttribute('src')).not.toBe(light);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => image.getAttribute('src')).toBe(light);
  expect(asked.filter((path) => path === '/diagram.html')).toHaveLength(2);
  expect(complaints).toEqual([]);
});
