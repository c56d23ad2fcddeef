// What the gallery shows: turns with every kind of part, a plan, the parts of a context.
import type { ActiveTurn, ResponsePart, Turn } from '../../src/protocols/ahp/v1_0/state.ts';
import type { ToolCallState } from '../../src/protocols/ahp/v1_0/toolCall.ts';
import type { ChatUsage } from '../../client/connection/extensions.ts';

export const colours = [
  ...['bg-side', 'bg', 'surface', 'surface-raised', 'sunken', 'selected', 'line', 'line-strong'],
  ...['line-input', 'text', 'text-2', 'text-3', 'accent', 'accent-soft', 'wait', 'wait-soft'],
  ...['wait-solid', 'ok', 'ok-soft', 'bad', 'bad-soft', 'add', 'add-word', 'del'],
] as const;

export const buttonStates = [
  { kind: '', label: 'Default' },
  { kind: 'primary', label: 'Primary' },
  { kind: 'ghost', label: 'Ghost' },
  { kind: 'danger', label: 'Danger' },
] as const;

export const plan = [
  { text: 'Read the cart', status: 'done' },
  { text: 'Multiply by the quantity', status: 'active' },
  { text: 'Run the tests', status: 'pending' },
] as const;

export const usage: ChatUsage = {
  context: {
    used: 120_000,
    size: 200_000,
    parts: [
      { part: 'system', tokens: 4_000 },
      { part: 'tools', tokens: 12_000 },
      { part: 'files', tokens: 40_000 },
      { part: 'calls', tokens: 24_000 },
      { part: 'conversation', tokens: 40_000 },
    ],
  },
  canCompact: true,
  chat: {},
  session: {},
  turns: [],
};

const startedAt = '2026-01-02T03:04:05.000Z';

function ended(id: string, text: string, responseParts: readonly ResponsePart[]): Turn {
  return {
    id,
    startedAt,
    duration: 4100,
    message: { text, origin: { kind: 'user' } },
    responseParts,
    usage: { inputTokens: 9000, outputTokens: 212, _meta: { cost: 0.03 } },
    state: 'complete',
  };
}

function running(id: string, text: string, responseParts: readonly ResponsePart[]): ActiveTurn {
  return { id, startedAt, message: { text, origin: { kind: 'user' } }, responseParts };
}

function call(toolCall: ToolCallState): ResponsePart {
  return { kind: 'toolCall', toolCall };
}

const shell = { toolName: 'shell_command', displayName: 'Run command' } as const;
const edit = { toolName: 'edit_file', displayName: 'Edit file' } as const;

const markdown = `In \`src/cart.js\` the function **total** adds prices.

| Item | Price |
|:-----|------:|
| Tea  |     3 |
| Milk |     1 |

- one
- two

\`\`\`js
const sum = items.reduce((s, i) => s + i.price, 0); // cents
\`\`\`

> A quote, and a [link](https://example.com).`;

const diagrams = `\`\`\`mermaid
flowchart LR
  accTitle: How an order is paid
  Cart -->|total| Checkout --> Pay{Paid?}
  Pay -->|yes| Ship
  Pay -->|no| Cart
\`\`\`

\`\`\`mermaid
flowchart LR
  A --> --> B
\`\`\``;

export const turns: readonly { readonly title: string; readonly turn: Turn | ActiveTurn }[] = [
  {
    title: 'Markdown',
    turn: ended('t1', 'Where is the total calculated?', [
      { kind: 'reasoning', id: 'r', content: 'I look for it.' },
      { kind: 'markdown', id: 'm', content: markdown },
    ]),
  },
  {
    title: 'Diagrams',
    turn: ended('t1d', 'How is an order paid?', [{ kind: 'markdown', id: 'd', content: diagrams }]),
  },
  {
    title: 'Tool calls',
    turn: ended('t2', 'Run the tests', [
      call({
        ...shell,
        toolCallId: 'c1',
        status: 'completed',
        confirmed: 'setting',
        invocationMessage: '$ npm test',
        pastTenseMessage: '$ npm test',
        success: true,
        content: [{ type: 'text', text: '12 tests passed' }],
      }),
      call({
        ...shell,
        toolCallId: 'c2',
        status: 'completed',
        confirmed: 'setting',
        invocationMessage: '$ npm run lint',
        pastTenseMessage: '$ npm run lint',
        success: false,
        error: { message: 'The command ended with exit code 1.' },
        content: [{ type: 'text', text: 'cart.js: 1 error' }],
      }),
      call({
        ...shell,
        toolCallId: 'c3',
        status: 'cancelled',
        reason: 'denied',
        reasonMessage: 'Not now.',
        invocationMessage: '$ git push',
      }),
      call({
        ...shell,
        toolCallId: 'c4',
        status: 'cancelled',
        reason: 'skipped',
        invocationMessage: '$ make',
      }),
    ]),
  },
  {
    title: 'At work',
    turn: running('t3', 'Build it', [
      call({
        ...shell,
        toolCallId: 'c5',
        status: 'running',
        confirmed: 'setting',
        invocationMessage: '$ npm run build',
        content: [{ type: 'text', text: 'building…' }],
      }),
    ]),
  },
  {
    title: 'Approval',
    turn: running('t4', 'Commit it', [
      call({
        ...shell,
        toolCallId: 'c6',
        status: 'pending-confirmation',
        invocationMessage: '$ git commit -am "Fix the total"',
        toolInput: '{"command":"git commit -am \\"Fix the total\\""}',
        editable: true,
        options: [
          { id: 'once', label: 'Allow once', kind: 'approve' },
          { id: 'session', label: 'Allow in this session', kind: 'approve' },
          { id: 'no', label: 'Deny', kind: 'deny' },
        ],
      }),
      call({ ...edit, toolCallId: 'c7', status: 'streaming', invocationMessage: 'Editing cart.js' }),
    ]),
  },
  {
    title: 'Question',
    turn: running('t5', 'Set it up', [
      {
        kind: 'inputRequest',
        request: {
          id: 'q1',
          message: 'Which database?',
          questions: [
            {
              kind: 'single-select',
              id: 'db',
              message: 'Which database?',
              options: [
                { id: 'pg', label: 'PostgreSQL', description: 'For several hosts' },
                { id: 'sqlite', label: 'SQLite', description: 'One file' },
              ],
            },
          ],
        },
      },
    ]),
  },
  {
    title: 'Error',
    turn: {
      ...ended('t6', 'Go on', [
        {
          kind: 'error',
          error: { errorType: 'provider', message: 'The provider rejected the key.' },
          resumable: true,
        },
      ]),
      state: 'error',
    },
  },
];
