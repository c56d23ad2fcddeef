// What the settings of the gallery show: providers, servers, agents, permissions, devices, spending, rules.
import type {
  AgentRow,
  Device,
  ListeningState,
  ProviderRow,
  RegistryAgent,
  RememberedAnswer,
  RunningAgent,
  ServerRow,
  SpendingRow,
} from '../../../client/connection/extensions.ts';
import type { Settings } from '../../views/settings/SettingField.tsx';
import { galleryTime } from './time.ts';

const day = 86_400_000;

function provider(id: string, label: string, more: Partial<ProviderRow> = {}): ProviderRow {
  return {
    ...{ id, label, configured: false, auth: { status: 'unauthenticated' }, models: [] },
    login: { methods: [{ key: 'key', label: 'API key' }] },
    ...more,
  };
}

export const providers: readonly ProviderRow[] = [
  provider('anthropic', 'Anthropic', {
    auth: { status: 'authenticated', source: 'login' },
    models: [{ id: 'sonnet' }, { id: 'opus' }, { id: 'haiku' }],
  }),
  provider('openai', 'OpenAI', {
    auth: { status: 'authenticated', source: 'env', envVar: 'OPENAI_API_KEY' },
    models: [{ id: 'large' }],
  }),
  provider('google', 'Google'),
  provider('ollama', 'Ollama', { auth: { status: 'not-running' } }),
];

function server(name: string, status: string, more: Partial<ServerRow> = {}): ServerRow {
  return {
    ...{ name, status, signedIn: false, env: {}, headers: {}, tools: [] },
    ...{ reach: { url: `https://${name}.example.com/mcp` }, source: '/home/ada/.config/parley/config.jsonc' },
    ...more,
  };
}

export const servers: readonly ServerRow[] = [
  server('docs', 'running', {
    reach: { command: 'npx', args: ['-y', '@example/docs-server', '--root', '/home/ada/code/guide'] },
    env: { DOCS_TOKEN: '••••' },
    tools: [{ name: 'search', description: 'Searches the guide' }],
  }),
  server('tickets', 'failed', { problem: 'fetch failed: getaddrinfo ENOTFOUND tickets.example.com' }),
  server('calendar', 'requires-auth'),
  server('browser', 'starting'),
  server('old', 'disabled'),
];

function agent(id: string, name: string, path: string | undefined): AgentRow {
  const row = { id, name, description: '', source: 'found', disabled: false, install: `npm i -g ${id}` };
  return path === undefined ? row : { ...row, path };
}

export const agentRows: readonly AgentRow[] = [
  agent('claude', 'Claude Code', '/usr/local/bin/claude'),
  { ...agent('mine', 'My agent', '/home/ada/bin/my-agent'), source: 'configured' },
  agent('goose', 'Goose', undefined),
];

export const runningAgents: readonly RunningAgent[] = [
  {
    ...{ agent: 'claude', name: 'Claude Code', cwd: '/home/ada/code/shop', pid: 4711, sessions: 2 },
    ...{ busy: true, age: 840_000, idle: 0, memory: 212_000_000 },
  },
];

export const registry: readonly RegistryAgent[] = [
  {
    ...{ id: 'gemini', registryId: 'gemini', name: 'Gemini', description: 'By Google', version: '1.2.0' },
    kinds: ['npm'],
  },
  {
    ...{ id: 'kimi', registryId: 'kimi', name: 'Kimi', description: 'By Moonshot', version: '0.9.1' },
    ...{ kinds: ['npm'], installed: '0.9.0' },
  },
  {
    ...{ id: 'codex', registryId: 'codex', name: 'Codex', description: 'By OpenAI', version: '3.0.0' },
    ...{ kinds: ['npm'], job: { text: 'Downloading…', part: 0.4 } },
  },
  {
    ...{ id: 'amp', registryId: 'amp', name: 'Amp', description: 'By Sourcegraph', version: '2.0.0' },
    ...{ kinds: ['npm'], job: { problem: 'The download failed: the network is not reachable.' } },
  },
];

const by = { kind: 'client', name: 'Firefox on Linux' };

export const answers: readonly RememberedAnswer[] = [
  {
    ...{ id: 'a', effect: 'allow', rule: 'commands like “npm test”', scope: 'folder', confirmed: true },
    ...{ folders: ['/home/ada/code/shop'], by, at: galleryTime - 300_000 },
  },
  {
    ...{ id: 'b', effect: 'deny', rule: 'writing to dist/**', scope: 'everywhere', confirmed: true },
    ...{ by: { ...by, device: 'phone' }, at: galleryTime - 3 * day },
  },
  { id: 'c', effect: 'allow', rule: 'git push', scope: 'everywhere', confirmed: false },
  {
    ...{ id: 'd', effect: 'ask', rule: 'reaching example.com', scope: 'session', confirmed: true },
    ...{ session: { id: 'shop', title: 'Fix the cart total' }, by },
  },
];

export const devices: readonly Device[] = [
  {
    ...{ id: 'this', name: 'Firefox on Linux', role: 'control', connections: 2 },
    since: galleryTime - 5 * day,
  },
  {
    ...{ id: 'phone', name: 'Safari on iPhone', role: 'control', most: 'edits', connections: 0 },
    since: galleryTime - day,
  },
  { id: 'tv', name: 'Browser in the hall', role: 'observe', connections: 1, since: galleryTime - 40 * day },
];

export const listening: ListeningState = { onNetwork: false, port: 4518 };

export const listeningOpen: ListeningState = {
  ...listening,
  devices: {
    urls: ['https://192.168.1.4:4518/', 'https://10.8.0.2:4518/'],
    port: 4518,
    fingerprint:
      'AB:12:CD:34:EF:56:78:90:AB:12:CD:34:EF:56:78:90:AB:12:CD:34:EF:56:78:90:AB:12:CD:34:EF:56:78:90',
  },
};

export const spending: readonly SpendingRow[] = [
  ['2026-01-02', 'anthropic/sonnet', 'Fix the cart total', 1.25] as const,
  ['2026-01-01', 'anthropic/opus', 'اشرح لي هذا المشروع', 0.5] as const,
  [
    '2025-12-31',
    'ollama/local',
    'Explain why the nightly job sends the same invoice twice',
    undefined,
  ] as const,
].map(([on, model, title, cost]) => ({
  ...{ day: on, model, title, session: title, agent: 'parley', turns: 3, input: 120_000, output: 4_000 },
  ...(cost === undefined ? {} : { cost }),
}));

const file = '/home/ada/.config/parley/config.jsonc';

export const settings: Settings = {
  file,
  text: '{\n  // A comment\n  "defaultModel": "anthropic/sonnet"\n}\n',
  problems: ['limits.steps: expected a number, got "many". The last good settings hold.'],
  rules: {
    allow: ['$ npm test *', 'read_file(src/**)'],
    ask: ['$ git push *'],
    deny: ['write_file(dist/**)'],
  },
  values: [
    { key: 'defaultModel', value: 'anthropic/sonnet', source: file },
    { key: 'permissions.mode', value: 'ask', source: 'built-in' },
    { key: 'limits.steps', value: 100, source: '/home/ada/code/shop/.parley/config.jsonc' },
    { key: 'limits.turnCost', value: 5, source: file },
  ],
};
