// What the gallery shows: turns with every kind of part, a plan, the parts of a context.
import type { ActiveTurn, ChatState, ResponsePart, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { ToolCallState } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import type { ChatUsage } from '../../../client/connection/extensions.ts';
import type { Completion } from '../../views/compose/completion.ts';

const startedAt = '2026-01-02T03:04:05.000Z';

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

export const edited = {
  before: 'export function total(items) {\n  return items.reduce((s, i) => s + i.price, 0);\n}\n',
  after:
    'export function total(items) {\n  const sum = items.reduce((s, i) => s + i.price * i.quantity, 0);\n' +
    '  return Math.round(sum);\n}\n',
};

export const completions: readonly Completion[] = [
  completion('/compact', 'Summarise the conversation to free context'),
  completion('/undo', 'Take back what the last turn that changed files has done to them'),
  completion('@cart.js', 'src/'),
];

function completion(insertText: string, description: string): Completion {
  return { insertText, attachment: { type: 'simple', label: insertText, _meta: { description } } };
}

export function chatWith(changes: Partial<ChatState>): ChatState {
  return {
    ...{ resource: 'ahp-chat:/gallery', title: 'Gallery', status: 1, modifiedAt: startedAt, turns: [] },
    ...changes,
  };
}

export function ended(id: string, text: string, responseParts: readonly ResponsePart[]): Turn {
  return {
    id,
    startedAt,
    duration: 4100,
    message: { text, origin: { kind: 'user' } },
    responseParts,
    usage: {
      ...{ inputTokens: 9000, outputTokens: 212, cacheReadTokens: 7000 },
      _meta: { cost: 0.03, context: { used: 120_000, size: 200_000 } },
    },
    state: 'complete',
  };
}

export function running(id: string, text: string, responseParts: readonly ResponsePart[]): ActiveTurn {
  return { id, startedAt, message: { text, origin: { kind: 'user' } }, responseParts };
}

export function call(toolCall: ToolCallState): ResponsePart {
  return { kind: 'toolCall', toolCall };
}

export const shell = { toolName: 'shell_command', displayName: 'Run command' } as const;
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

/** The turn whose approval waits. */
export const activeTurn: ActiveTurn = running('t0', 'Commit it', [
  call({
    ...shell,
    toolCallId: 'waiting',
    ...{ status: 'pending-confirmation', invocationMessage: '$ git commit -am "Fix the total"' },
    toolInput: '{"command":"git commit -am \\"Fix the total\\""}',
    _meta: { kind: 'execute', sandbox: { confined: true, network: 'off' } },
    editable: true,
    options: [
      scope('once', 'Allow once', 'allow'),
      scope('session', 'Allow in this session', 'allow-session'),
      scope('folder', 'Allow in this folder', 'allow-folder'),
      scope('always', 'Always allow', 'allow-always'),
      { id: 'no', label: 'Deny', kind: 'deny' },
    ],
  }),
]);

function scope(id: string, label: string, effect: string) {
  return { id, label, kind: 'approve' as const, _meta: { effect } };
}

export interface ShownTurn {
  readonly title: string;
  readonly turn: Turn | ActiveTurn;
  /** The lines that are unfolded. */
  readonly presses?: readonly string[];
}

export const turns: readonly ShownTurn[] = [
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
      call({
        ...shell,
        toolCallId: 'c5',
        ...{ status: 'completed', confirmed: 'user-action', success: true },
        invocationMessage: '$ npm test -- cart',
        pastTenseMessage: '$ npm test -- cart',
        _meta: { editedBy: 'emacs', duration: 4100, sandbox: { confined: true, network: 'off' } },
      }),
      call({
        ...shell,
        toolCallId: 'c6',
        ...{ status: 'completed', confirmed: 'user-action', success: true },
        invocationMessage: '$ git push',
        pastTenseMessage: '$ git push',
        _meta: { duration: 900, sandbox: { confined: false, allowedBy: 'phone' } },
      }),
      ...['cart.js', 'cart.test.js', 'index.js'].map((name) =>
        call({
          ...{ toolName: 'read_file', displayName: 'Read file', toolCallId: name, status: 'completed' },
          ...{ confirmed: 'not-needed', success: true, _meta: { duration: 100 } },
          ...{ invocationMessage: `Reading ${name}`, pastTenseMessage: `Read ${name}` },
        }),
      ),
      {
        kind: 'toolCall',
        toolCall: {
          ...{ toolName: 'spawn_agent', displayName: 'Sub-agent', toolCallId: 'c7', status: 'completed' },
          ...{ confirmed: 'not-needed', success: true },
          ...{ invocationMessage: 'general: audit', pastTenseMessage: 'general: audit' },
          content: [{ type: 'subagent', resource: 'ahp-chat:/audit', title: 'general: audit' }],
        },
      },
      { kind: 'systemNotification', content: 'The conversation was summarised.' },
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
    title: 'Approval of an edit',
    turn: running('t4b', 'Fix it', [
      call({
        ...edit,
        toolCallId: 'c8',
        status: 'pending-confirmation',
        invocationMessage: 'Editing cart.js',
        toolInput: JSON.stringify({ path: 'cart.js', oldText: edited.before, newText: edited.after }),
        riskAssessment: { kind: 'judge', status: 'complete', safety: 0.4, reason: 'It changes prices.' },
      }),
    ]),
  },
  {
    title: 'Result to confirm',
    turn: running('t4c', 'Look it up', [
      call({
        ...{
          toolName: 'fetch',
          displayName: 'Fetch',
          toolCallId: 'c9',
          status: 'pending-result-confirmation',
        },
        ...{ confirmed: 'user-action', success: true },
        ...{ invocationMessage: 'Fetching example.com', pastTenseMessage: 'Fetched example.com' },
        content: [{ type: 'text', text: 'Example Domain' }],
      }),
    ]),
  },
  {
    title: 'Questions of every kind',
    turn: running('t5b', 'Set it up', [
      {
        kind: 'inputRequest',
        request: {
          id: 'q2',
          message: 'Before I start',
          questions: [
            { kind: 'text', id: 'name', message: 'What is its name?', required: true },
            { kind: 'number', id: 'port', message: 'Which port?', min: 1, defaultValue: 8080 },
            { kind: 'boolean', id: 'tls', message: 'With TLS?' },
            {
              kind: 'multi-select',
              id: 'parts',
              message: 'Which parts?',
              options: [
                { id: 'a', label: 'Cart', recommended: true },
                { id: 'b', label: 'Orders' },
              ],
            },
          ],
        },
      },
    ]),
  },
  {
    title: 'Answered and stopped',
    turn: {
      ...ended('t5c', 'Go on', [
        {
          kind: 'inputRequest',
          response: 'accept',
          request: {
            id: 'q3',
            message: 'Which port?',
            questions: [{ kind: 'number', id: 'port', message: 'Which port?' }],
            answers: { port: { state: 'submitted', value: { kind: 'number', value: 8080 } } },
          },
        },
        { kind: 'inputRequest', response: 'decline', request: { id: 'q4', message: 'With TLS?' } },
      ]),
      state: 'cancelled',
    },
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
