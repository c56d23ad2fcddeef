// A scripted host with the same sessions and settings every time, for pictures.
import { addSession, startedAt } from '../scenarios/console/rig.ts';
import { ScriptedHost } from '../scenarios/console/scriptedHost.ts';
import { chatState, chatUri, rootState, sessionState, turnOf } from '../scenarios/console/states.ts';
import type { ChatInputRequest } from '../../src/protocols/ahp/v1_0/message.ts';
import type {
  ChangesetState,
  ResponsePart,
  SessionInputRequest,
} from '../../src/protocols/ahp/v1_0/state.ts';
import type { PendingToolCall } from '../../src/protocols/ahp/v1_0/toolCall.ts';

export const doneSession = 'ahp-session:/done';
export const approvalSession = 'ahp-session:/approval';
const doneChanges = 'ahp-changeset:/done';
export const questionSession = 'ahp-session:/question';

const answer: readonly ResponsePart[] = [
  {
    kind: 'markdown',
    id: 'm1',
    content:
      'In `src/cart.js` the function **total** adds prices without the quantity.\n\n' +
      '| Item | Price |\n|:--|--:|\n| Tea | 3 |\n| Milk | 1 |\n\n1. Multiply\n2. Round once',
  },
  {
    kind: 'toolCall',
    toolCall: {
      toolCallId: 'c0',
      toolName: 'shell_command',
      displayName: 'Run command',
      status: 'completed',
      confirmed: 'setting',
      invocationMessage: '$ npm test',
      pastTenseMessage: '$ npm test',
      success: true,
      content: [{ type: 'text', text: '12 tests passed' }],
    },
  },
];

export function visualHost(): ScriptedHost {
  const host = new ScriptedHost(rootState());
  addSession(host, doneSession, { title: 'Fix the cart total', status: 33 });
  host.place(
    'session',
    doneSession,
    sessionState(doneSession, {
      title: 'Fix the cart total',
      changesets: [
        { label: 'Changes', uriTemplate: doneChanges, changeKind: 'session', capabilities: { review: {} } },
      ],
    }),
  );
  host.place('changeset', doneChanges, changes);
  host.place(
    'chat',
    chatUri(doneSession),
    chatState(chatUri(doneSession), {
      title: 'Fix the cart total',
      turns: [turnOf('t0', 'Where is the total calculated?', { responseParts: answer })],
    }),
  );
  waiting(host, 'Commit the fix', {
    ...{ kind: 'toolConfirmation', turnId: 't1', id: 'need-1', chat: chatUri(approvalSession) },
    toolCall: pendingCommit,
  });
  waiting(host, 'Set up the database', {
    ...{ kind: 'chatInput', id: 'need-2', chat: chatUri(questionSession), request: question },
  });
  answerExtensions(host);
  return host;
}

const pendingCommit: PendingToolCall = {
  toolCallId: 'c1',
  toolName: 'shell_command',
  displayName: 'Run command',
  status: 'pending-confirmation',
  invocationMessage: '$ git commit -am "Fix the total"',
  toolInput: '{"command":"git commit -am \\"Fix the total\\""}',
  _meta: { kind: 'execute', sandbox: { confined: true, network: 'off' } },
  editable: true,
  options: [
    { id: 'once', label: 'Allow once', kind: 'approve' },
    { id: 'session', label: 'Allow in this session', kind: 'approve' },
    { id: 'no', label: 'Deny', kind: 'deny' },
  ],
};

const question: ChatInputRequest = {
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
};

/** A session whose agent needs a person. */
function waiting(host: ScriptedHost, title: string, need: SessionInputRequest): void {
  const uri = need.chat.replace('ahp-chat:', 'ahp-session:');
  const part: ResponsePart =
    need.kind === 'chatInput'
      ? { kind: 'inputRequest', request: need.request }
      : { kind: 'toolCall', toolCall: pendingCommit };
  addSession(host, uri, { title, status: 24 });
  host.place('session', uri, sessionState(uri, { title, status: 24, inputNeeded: [need] }));
  host.place(
    'chat',
    need.chat,
    chatState(need.chat, {
      status: 24,
      activeTurn: {
        id: 't1',
        startedAt,
        message: { text: 'Do it', origin: { kind: 'user' } },
        responseParts: [{ kind: 'markdown', id: 'm', content: 'I need you for this.' }, part],
      },
    }),
  );
}

function side(path: string, text: string) {
  return {
    uri: `file:///home/user/project/${path}`,
    content: { uri: `data:text/plain,${encodeURIComponent(text)}` },
  };
}

const changes: ChangesetState = {
  status: 'ready',
  files: [
    {
      id: 'cart',
      edit: {
        before: side(
          'src/cart.js',
          'export function total(items) {\n  return sum(items, (i) => i.price);\n}\n',
        ),
        after: side(
          'src/cart.js',
          'export function total(items) {\n  return sum(items, (i) => i.price * i.quantity);\n}\n',
        ),
        diff: { added: 1, removed: 1 },
      },
    },
    {
      id: 'test',
      edit: {
        after: side(
          'test/unit/cart.test.js',
          "test('the total', () => {\n  expect(total([])).toBe(0);\n});\n",
        ),
        diff: { added: 3, removed: 0 },
      },
    },
    {
      id: 'old',
      edit: { before: side('src/sum.js', 'export const sum = 0;\n'), diff: { added: 0, removed: 1 } },
      reviewed: true,
    },
  ],
  operations: [{ id: 'undo', label: 'Undo', scopes: ['changeset', 'resource', 'range'], status: 'idle' }],
};

function answerExtensions(host: ScriptedHost): void {
  const answers: Readonly<Record<string, unknown>> = {
    me: { role: 'control', home: '/home/user' },
    'console/folder': '/home/user/project',
    'console/folders': { folder: '/home/user/project', parent: '/home/user', folders: [], branch: 'main' },
    'jobs/list': [],
    'git/state': {
      ...{ folder: '/home/user/project', branch: 'main', upstream: 'origin/main', ahead: 1, staged: [] },
      changed: ['src/cart.js', 'test/unit/cart.test.js', 'src/sum.js'],
    },
    'providers/list': [
      provider({ id: 'anthropic', label: 'Anthropic', status: 'authenticated', models: ['sonnet', 'opus'] }),
      provider({ id: 'openai', label: 'OpenAI', status: 'unauthenticated', models: [] }),
      provider({ id: 'google', label: 'Google', status: 'unauthenticated', models: [] }),
    ],
    'mcp/list': [
      {
        ...{ name: 'docs', status: 'running', signedIn: false, env: {}, headers: {}, tools: [] },
        ...{ reach: { command: 'npx', args: ['-y', 'docs-server'] }, source: '/home/user/config.jsonc' },
      },
      {
        ...{ name: 'tickets', status: 'failed', signedIn: false, env: {}, headers: {}, tools: [] },
        ...{ reach: { url: 'https://mcp.example.com' }, problem: 'fetch failed: getaddrinfo ENOTFOUND' },
      },
    ],
    'settings/read': {
      ...{ file: '/home/user/config.jsonc', text: '', problems: [], rules: {} },
      values: [{ key: 'limits.steps', value: 100, source: 'built-in' }],
    },
    'usage/totals': [
      spent('2026-01-02', 'anthropic/sonnet', 1.25),
      spent('2026-01-01', 'anthropic/sonnet', 0.5),
    ],
  };
  for (const [method, result] of Object.entries(answers))
    host.answers.set(`x-parley/${method}`, () => result);
}

function provider({
  id,
  label,
  status,
  models,
}: Readonly<Record<'id' | 'label' | 'status', string>> & { readonly models: readonly string[] }) {
  return {
    ...{ id, label, configured: true, auth: { status, source: 'login' } },
    ...{
      login: { methods: [{ key: 'key', label: 'API key' }] },
      models: models.map((model) => ({ id: model })),
    },
  };
}

function spent(day: string, model: string, cost: number) {
  return {
    ...{ day, model, cost, session: 's', title: 'Fix the cart total', agent: 'demo' },
    ...{ turns: 3, input: 120_000, output: 4_000 },
  };
}
