// The session "Fix the cart total" of the gallery: its chats, sub-agents, jobs, terminals and changes.
import type {
  ChangesetState,
  ChannelStates,
  ChatState,
  SessionState,
  TerminalState,
} from '../../../src/protocols/ahp/v1_0/state.ts';
import type { ChannelKind } from '../../../client/connection/channel.ts';
import type { BackgroundJob, ChatUsage, GitState } from '../../../client/connection/extensions.ts';
import { choices } from './agents.ts';
import { shop, shopChat } from './sessions.ts';
import { galleryTime, minutesAgo } from './time.ts';
import { manyTurns } from './moreTurns.ts';
import { activeTurn, chatWith, edited, ended, turns, usage } from './turns.ts';
import { fileEdit, folder } from './files.ts';

const waitingCall = activeTurn.responseParts.flatMap((part) =>
  part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation' ? [part.toolCall] : [],
);

const session: SessionState = {
  ...{ provider: 'parley', title: 'Fix the cart total', status: 24, lifecycle: 'ready' },
  workingDirectories: [folder],
  defaultChat: shopChat,
  activeClients: [
    { clientId: 'gallery', displayName: 'Firefox on Linux', tools: [] },
    { clientId: 'editor', displayName: 'Emacs', tools: [{ name: 'open_buffer' }] },
  ],
  serverTools: [{ name: 'read_file', title: 'Read file' }, { name: 'shell_command' }],
  chats: [
    { resource: shopChat, title: 'Fix the cart total', status: 24, modifiedAt: minutesAgo(1) },
    { resource: 'ahp-chat:/fork', title: 'اشرح لي هذا المشروع', status: 33, modifiedAt: minutesAgo(9) },
    {
      ...{ resource: 'ahp-chat:/audit', title: 'general: audit the cart', status: 8 },
      ...{ modifiedAt: minutesAgo(1), activity: 'Reading cart.test.js', interactivity: 'hidden' },
      origin: { kind: 'tool', chat: shopChat, toolCallId: 'c7' },
    },
    {
      ...{ resource: 'ahp-chat:/search', title: 'explore: find the callers', status: 33 },
      ...{ modifiedAt: minutesAgo(5), interactivity: 'hidden' },
      origin: { kind: 'tool', chat: shopChat, toolCallId: 'c8' },
    },
  ],
  config: { schema: { type: 'object', properties: choices }, values: { mode: 'plan', permissions: 'full' } },
  changesets: [
    {
      ...{ label: 'All changes', uriTemplate: 'ahp-changeset:/shop', changeKind: 'session' },
      capabilities: { review: {} },
    },
  ],
  inputNeeded: waitingCall.map((toolCall) => ({
    ...{ kind: 'toolConfirmation', id: 'need', chat: shopChat, turnId: activeTurn.id, toolCall },
  })),
};

const markdownTurn = turns.flatMap(({ title, turn }) =>
  title === 'Markdown' && 'state' in turn ? [turn] : [],
);

const chat: ChatState = chatWith({
  ...{ resource: shopChat, title: session.title, status: 24, activeTurn },
  turns: markdownTurn,
  queuedMessages: [{ id: 'next', message: { text: 'Then update the changelog', origin: { kind: 'user' } } }],
});

/** The chat of the sub-agent at work. */
const audit: ChatState = chatWith({
  ...{ resource: 'ahp-chat:/audit', title: 'general: audit the cart', status: 8, activity: 'Reading' },
  activeTurn: {
    ...activeTurn,
    id: 'audit',
    responseParts: [{ kind: 'markdown', id: 'a', content: 'I read the tests.' }],
  },
  steeringMessage: { id: 's', message: { text: 'Look at refunds, too', origin: { kind: 'user' } } },
});

/** The chat of the sub-agent that was stopped. */
const search: ChatState = chatWith({
  ...{ resource: 'ahp-chat:/search', title: 'explore: find the callers', status: 33 },
  turns: [{ ...ended('search', 'Find the callers', []), state: 'cancelled' }],
});

function terminal(title: string, value: string, isOver: boolean): TerminalState {
  return {
    ...{ title, cols: 80, rows: 16, content: [{ type: 'unclassified', value }] },
    lifecycle: isOver ? { status: 'exited', exitCode: 1 } : { status: 'running' },
    claim: { kind: 'session', session: shop, chat: shopChat },
  };
}

export const jobs: readonly BackgroundJob[] = [
  {
    ...{ id: 'server', chat: 'shop', label: 'Dev server', command: 'npm run dev', status: 'running' },
    ...{ startedAt: galleryTime - 180_000, takesInput: true },
  },
  {
    ...{ id: 'types', chat: 'shop', label: 'Types', command: 'npx tsc', status: 'failed', exitCode: 2 },
    ...{ startedAt: galleryTime - 90_000, endedAt: galleryTime - 78_000 },
  },
  {
    ...{ id: 'quiet', chat: 'shop', label: 'Watch', command: 'make watch', status: 'killed' },
    ...{ startedAt: galleryTime - 600_000, endedAt: galleryTime - 540_000 },
  },
];

export const jobOutput: Readonly<Record<string, string>> = {
  server: '> shop@2.1.0 dev\n> vite\n\n  Local: http://localhost:5173/\n',
  types: "src/cart.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
};

const test = "test('the total', () => {\n  expect(total([{ price: 3, quantity: 2 }])).toBe(6);\n});\n";

const changes: ChangesetState = {
  status: 'ready',
  files: [
    {
      ...{ id: 'cart', edit: fileEdit('src/cart.js', edited.before, edited.after) },
      _meta: { undone: { uri: `data:text/plain,${encodeURIComponent(`${edited.after}// end\n`)}` } },
    },
    { id: 'test', edit: fileEdit('test/unit/cart.test.js', undefined, test) },
    { id: 'old', edit: fileEdit('src/sum.js', 'export const sum = 0;\n'), reviewed: true },
  ],
  operations: [
    { id: 'undo', label: 'Undo', scopes: ['changeset', 'resource', 'range'], status: 'idle' },
    { id: `redo:/home/ada/code/shop/README.md`, label: 'Redo', scopes: ['changeset'], status: 'idle' },
  ],
};

export const git: GitState = {
  ...{ folder: '/home/ada/code/shop', branch: 'fix/cart-total', upstream: 'origin/main', ahead: 2 },
  ...{ staged: ['notes.md'], changed: ['src/cart.js', 'test/unit/cart.test.js', 'src/sum.js'] },
};

export const chatUsage: ChatUsage = {
  ...usage,
  chat: { input: 118_000, output: 5_400, cost: 0.42 },
  session: { input: 164_000, output: 7_900, cost: 0.61 },
  turns: [
    {
      ...{ id: 't2', startedAt: galleryTime - 60_000, text: 'Commit it', model: 'anthropic/sonnet' },
      ...{ input: 64_000, output: 900, cost: 0.21 },
    },
    {
      ...{ id: 't1', startedAt: galleryTime - 300_000, text: 'اشرح لي هذا المشروع', model: 'lab/unknown' },
      ...{ input: 54_000, output: 4_500 },
    },
  ],
};

/** A session on a host of another make: no changesets, and work that the host only names. */
const otherChat = chatWith({
  ...{ resource: 'ahp-chat:/other', turnsNextCursor: 'more', turns: manyTurns },
  backgroundWork: [
    {
      ...{ id: 'work', kind: 'shell', label: 'Watch the tests', command: 'make watch' },
      ...{ startedAt: minutesAgo(12), terminal: 'ahp-terminal:/server' },
    },
  ],
});

const others = {
  'ahp-session:/other': {
    ...session,
    ...{ title: 'A session of another host', changesets: [], defaultChat: 'ahp-chat:/other' },
    chats: [{ resource: 'ahp-chat:/other', title: '', status: 33, modifiedAt: minutesAgo(3) }],
  },
  'ahp-chat:/other': otherChat,
};

export const shopStates: Readonly<Record<string, ChannelStates[ChannelKind] | string>> = {
  [shop]: session,
  [shopChat]: chat,
  'ahp-chat:/audit': audit,
  'ahp-chat:/search': search,
  'ahp-terminal:/server': terminal(
    'npm run dev',
    '$ npm run dev\r\n\r\n  \u001b[32mready\u001b[0m in 320 ms\r\n',
    false,
  ),
  'ahp-terminal:/checks': terminal('npm test', '$ npm test\r\n1 failed\r\n', true),
  'ahp-changeset:/shop': changes,
  ...others,
  'ahp-session:/gone': 'There is no such session.',
};
