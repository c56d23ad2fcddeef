// The schema of the settings: every section with its type, meaning, example and default.
import * as z from 'zod';
import { agent, mode, prompts } from './agents.ts';
import { approvals } from './approvals.ts';
import { hook } from './hooks.ts';
import { commands, instructions, plugins, rules, skills } from './knowledge.ts';
import { limits } from './limits.ts';
import { network, notifications, retention, server, telemetry } from './machine.ts';
import { permissions, sandbox } from './permissions.ts';
import { provider, variant } from './providers.ts';
import { customTool, mcpServer, shell } from './tools.ts';
import { expression, name, setting, strings, word } from './values.ts';

/** Each section is checked separately, so a mistake in one does not disable the others. */
export const sections = {
  defaultModel: setting(word, 'Model of new sessions, as provider/model.', 'anthropic/claude-sonnet-4-5'),
  defaultAgent: setting(word, 'Agent of new sessions.', 'claude'),
  providers: setting(z.record(name, provider), 'Model providers by id.', {
    company: { api: 'openai-chat', url: 'https://models.example.com/v1', key: '${env:COMPANY_API_KEY}' },
  }),
  variants: setting(
    z.record(expression, variant),
    'Reasoning presets for models whose name matches a regular expression.',
    {
      'gpt-5.*': { ways: { high: { reasoning: { effort: 'high' } } } },
    },
  ),
  agents: setting(z.record(name, agent), 'External ACP agents by id.', {
    gemini: { command: 'gemini', args: ['--acp'] },
  }),
  modes: setting(
    z.record(name, mode),
    'Modes of the native agent: code, plan, explorer, general and your own.',
    { review: { inherit: 'plan', description: 'Reviews changes before they are committed.' } },
  ),
  approvals: setting(
    approvals,
    'Which tool calls run without approval, need approval, or never run. deny overrides ask, ask ' +
      'overrides allow; the lists of all settings files are combined.',
    { allow: ['$ npm test'], ask: ['$ git push *'], deny: ['write_file(secrets/**)'] },
  ),
  permissions: setting(permissions, 'Permission modes: what agents may do without asking.', {
    mode: 'edits',
    most: 'auto',
  }),
  sandbox: setting(
    sandbox,
    'The sandbox, in which commands run in the permission mode auto and with parley sandbox.',
    { network: 'on' },
  ),
  mcpServers: setting(
    z.record(name, mcpServer),
    'MCP servers by name: a local program (command) or a remote server (url).',
    {
      files: { command: 'npx', args: ['-y', 'some-mcp-server'] },
      docs: { url: 'https://mcp.example.com/mcp' },
    },
  ),
  disabledTools: setting(strings, 'Names of tools that agents do not get; * is a wildcard.', [
    'web_fetch',
    'docs__*',
  ]),
  customTools: setting(z.record(name, customTool), 'Tools that run a command line, by name.', {
    run_script: {
      description: 'Runs a script of package.json.',
      command: 'npm run {{script}}',
      schema: { properties: { script: { type: 'string' } }, required: ['script'] },
    },
  }),
  hooks: setting(z.record(name, hook), 'Commands that run on events, by name.', {
    format: { on: 'postToolCall', matcher: 'write_file|edit_file', command: 'npx prettier --write .' },
  }),
  rules: setting(rules, 'Additional rule files and folders.', [{ path: '~/rules/typescript.md' }]),
  commands: setting(commands, 'Additional command files and folders.', [{ path: '~/commands' }]),
  plugins: setting(
    plugins,
    'Plugins. The folder of a plugin contains the folders skills, agents, commands and rules.',
    [{ name: 'review', path: '~/plugins/review' }],
  ),
  skills: setting(skills, 'Additional skill folders.', [{ path: '~/skills' }]),
  instructions: setting(instructions, 'AGENTS.md files.', { parents: 'all' }),
  limits: setting(limits, 'Limits for agents and tools.', { steps: 50, money: 0.5 }),
  shell: setting(shell, 'How commands run and how they are shown.', { args: ['-l', '-c'] }),
  prompts: setting(prompts, 'Prompts that replace the built-in ones.', { titles: false }),
  retention: setting(retention, 'Retention of sessions.', { days: 30 }),
  notifications: setting(notifications, 'How the host tells you that a session needs you.', {
    webhook: 'https://ntfy.example/my-topic',
  }),
  telemetry: setting(telemetry, 'What the host tells about its work to your own monitoring.', {
    traces: 'http://127.0.0.1:4318',
  }),
  network: setting(
    network,
    'Connections to models and remote MCP servers. Set proxies in the environment: HTTP_PROXY, ' +
      'HTTPS_PROXY, ALL_PROXY, NO_PROXY.',
    { ca: '/etc/ssl/company-ca.pem' },
  ),
  server: setting(server, 'Address and encryption of the host.', { port: 8080 }),
} as const;

export type SectionName = keyof typeof sections;

/** The valid sections of one settings file. */
export type WrittenSettings = { readonly [K in SectionName]?: z.output<(typeof sections)[K]> };

/** What is in effect where no file says otherwise. A section that is not here may be absent. */
export const defaults = {
  providers: {},
  agents: {},
  modes: {},
  approvals: {},
  mcpServers: {},
  disabledTools: [],
  customTools: {},
  hooks: {},
  rules: [],
  commands: [],
  plugins: [],
  skills: [],
  instructions: { parents: 'repository' },
  limits: { steps: 100, outputLines: 2_000, outputBytes: 50_000, commandTimeout: 60_000, compactAt: 75 },
  retention: { days: 0 },
  server: { host: '127.0.0.1' },
} satisfies WrittenSettings;

export function isSection(key: string): key is SectionName {
  return Object.hasOwn(sections, key);
}

/** Sections that an untrusted folder may set: they can only add restrictions. */
export const strictSections: ReadonlySet<SectionName> = new Set(['approvals', 'disabledTools']);

/** Sections that belong to the host; no folder may set them. */
const hostSections: ReadonlySet<SectionName> = new Set([
  'server',
  'retention',
  'notifications',
  'telemetry',
  'network',
]);

/**
 * The host sections, those with which a folder could send conversations and keys elsewhere, and those that
 * decide what agents may do.
 */
export const userSections: ReadonlySet<SectionName> = new Set([
  ...hostSections,
  'providers',
  'variants',
  'permissions',
  'sandbox',
]);

/** The JSON Schema for editors. */
export function jsonSchema(): object {
  const whole = z.strictObject({ $schema: z.string().optional(), ...sections }).partial();
  return { title: 'Parley settings', ...z.toJSONSchema(whole, { unrepresentable: 'any', io: 'input' }) };
}
