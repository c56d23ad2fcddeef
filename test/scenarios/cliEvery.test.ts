// Every command of the program, and every word it takes, with a run that works and one that does not. A
// command without both is a failure of this test.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cliCommands } from '../../src/cli/commands.ts';
import { authorizationServer } from '../kit/authorizationServer.ts';
import type { AuthorizationServer } from '../kit/authorizationServer.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { listenMcp } from '../kit/mcpServer.ts';
import type { Listening } from '../kit/mcpServer.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Ran } from '../kit/parley.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let home: Home;
let vendor: AuthorizationServer;
let remote: Listening;
let agent: Bundle;
/** Serves the program of an agent. */
let downloads: Server;
/** The one session there is, and the one device. */
let session: string;
let device: string;

beforeAll(async () => {
  home = newHome();
  mkdirSync(join(home.workspace, '.parley'));
  writeFileSync(join(home.workspace, '.parley', 'config.jsonc'), '{ "limits": { "steps": 7 } }\n');
  for (const name of Object.keys(home.env)) if (/_API_(?:KEY|URL)$/.test(name)) delete home.env[name];
  Object.assign(home.env, { BROWSER: 'none', PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
  [vendor, agent] = await Promise.all([
    authorizationServer(),
    bundle(join(import.meta.dirname, '../kit/sdkAgent.ts')),
  ]);
  remote = await listenMcp((request, base) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource'))
      return { status: 200, body: { resource: `${base}/mcp`, authorization_servers: [vendor.url] } };
    if (vendor.isValid(request.headers.authorization?.replace(/^Bearer /, ''))) return undefined;
    return {
      status: 401,
      headers: {
        'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
      },
    };
  });
});
beforeAll(async () => {
  downloads = createServer((_, response) => response.end('#!/bin/sh\n'));
  await new Promise<void>((resolve) => downloads.listen(0, '127.0.0.1', resolve));
  const { port } = downloads.address() as AddressInfo;
  const program = { archive: `http://127.0.0.1:${port}/tiny`, cmd: './tiny' };
  const systems = ['linux', 'darwin'].flatMap((system) => [`${system}-x86_64`, `${system}-aarch64`]);
  const binary = Object.fromEntries(systems.map((system) => [system, program]));
  const tiny = { id: 'tiny', name: 'Tiny', version: '1.0.0', description: '', distribution: { binary } };
  writeFileSync(registry(), JSON.stringify({ agents: [tiny] }));
});
const registry = () => join(home.dir, 'registry.json');
afterAll(async () => {
  downloads.close();
  await home.dispose();
  await Promise.all([vendor.close(), remote.close()]);
  agent.dispose();
});

const folderUrl = (name: string) => pathToFileURL(join(home.dir, name)).href;

interface Form {
  readonly args: readonly string[] | (() => readonly string[]);
  /** What is typed or piped in. */
  readonly input?: string;
  readonly code?: number;
  /** What it prints; for JSON, that it is some. */
  readonly out?: RegExp | 'json' | 'lines of json';
  readonly err?: RegExp;
  /** Does something while it runs, and looks at what it left. */
  readonly meanwhile?: (ran: Ran) => Promise<void>;
  readonly after?: (out: string) => void | Promise<void>;
}

interface Forms {
  readonly works: readonly Form[];
  readonly fails: readonly Form[];
}

const initialize = (params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
const eca = initialize({ processId: null, capabilities: {}, workspaceFolders: [] });
const ecaFrame = `Content-Length: ${Buffer.byteLength(eca)}\r\n\r\n${eca}`;

/** In an order in which each finds what it needs. */
const forms: { readonly [command: string]: Forms | undefined } = {
  '': {
    works: [
      {
        args: ['--no-open'],
        out: /this one-time link:\n\n {2}http:\/\/127\.0\.0\.1:\d+\/sign-in\?code=\S+\n[^]*Agents: [^]*API keys: [^]*Local models: [^]*Reachable: +from this machine\.[^]*parley stop/,
        after: signIn,
      },
    ],
    fails: [{ args: ['--nonsense'], code: 2, err: /nonsense/ }],
  },
  serve: {
    works: [
      {
        args: () => [
          'serve',
          '--port',
          '0',
          '--no-open',
          '--data',
          'other',
          '--store',
          pathToFileURL(join(home.dir, 'stored')).href,
        ],
        out: /is listening on http[^]*Open the console once with http/,
        meanwhile: stopListening,
        after: () =>
          expect(
            existsSync(join(home.dir, 'stored', 'log.db')) && !existsSync(join(home.dir, 'other', 'log.db')),
          ).toBe(true),
      },
    ],
    fails: [
      { args: ['serve'], code: 3, err: /already running on this data directory \(pid \d+\)/ },
      { args: ['serve', '--port', '70000'], code: 2, err: /Invalid port/ },
      {
        args: ['serve', '--data', 'other', '--store', 'mysql://db/parley'],
        code: 2,
        err: /not supported/,
      },
      {
        args: ['serve', '--data', 'other', '--store', 'postgres://ada:secret@127.0.0.1:1/x'],
        code: 1,
        err: /Opening the store failed: cannot reach the database postgres:\/\/ada@127\.0\.0\.1:1\/x: (?!.*secret)/,
      },
      { args: ['serve', '--data', 'other', '--store', 'here'], code: 2, err: /is not a store URL/ },
      {
        args: ['serve', '--data', 'other', '--host', '0.0.0.0', '--cert', 'x'],
        code: 2,
        err: /must be used together/,
      },
    ],
  },
  server: {
    works: [
      {
        args: ['server'],
        input: ecaFrame,
        out: /Content-Length: \d+\r\n\r\n\{"jsonrpc":"2.0","id":1,"result":/,
      },
    ],
    fails: [
      { args: ['server', 'now'], code: 2, err: /now/ },
      { args: ['server', '--log-level', 'silly'], code: 2, err: /error, warn, info, debug/ },
    ],
  },
  acp: {
    works: [{ args: ['acp'], input: `${initialize({ protocolVersion: 1 })}\n`, out: /"protocolVersion":1/ }],
    fails: [{ args: ['acp', 'now'], code: 2, err: /now/ }],
  },
  ahp: {
    works: [
      {
        args: ['ahp'],
        input: `${initialize({ channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId: 'every' })}\n`,
        out: /"protocolVersion":"1.0.0"/,
      },
    ],
    fails: [{ args: ['ahp', 'now'], code: 2, err: /now/ }],
  },
  run: {
    works: [
      { args: ['run', 'say Hello.'], out: /^Hello\.\n$/ },
      { args: ['run', '--json', 'say Hello.'], out: 'lines of json' },
    ],
    fails: [
      { args: ['run', '--standalone', 'say Hello.'], code: 3, err: /already running/ },
      { args: ['run'], code: 2, err: /Missing prompt/ },
      { args: ['run', '--model', 'no/such', 'x'], code: 2, err: /no\/such/ },
      { args: ['run', 'tool shell_command {"command":"date"}'], code: 4 },
    ],
  },
  chat: {
    works: [{ args: ['chat'], input: 'say Good day.\n', out: /Good day\./ }],
    fails: [{ args: ['chat', 'nobody'], code: 1, err: /nobody/ }],
  },
  sessions: {
    works: [
      { args: ['sessions'], out: /^ID / },
      {
        args: ['sessions', '--json'],
        out: 'json',
        after: (out) => void (session = (JSON.parse(out) as { id: string }[])[0]?.id ?? ''),
      },
    ],
    fails: [{ args: ['sessions', 'dance'], code: 2, err: /dance/ }],
  },
  'read-chat': {
    works: [{ args: () => ['read-chat', '--workspace', home.dir], out: 'lines of json' }],
    fails: [
      { args: ['read-chat'], code: 2, err: /--workspace DIR/ },
      { args: ['read-chat', '--workspace', '.', '--chat-id', 'none'], code: 1, err: /Chat "none" not found/ },
    ],
  },
  'sessions list': {
    works: [{ args: ['sessions', 'list', '--all', '--json'], out: 'json' }],
    fails: [{ args: ['sessions', 'list', 'x'], code: 2, err: /x/ }],
  },
  'sessions show': {
    works: [
      { args: () => ['sessions', 'show', session], out: /Good day\.|Hello\./ },
      { args: () => ['sessions', 'show', session, '--json'], out: 'json' },
    ],
    fails: [{ args: ['sessions', 'show', 'none'], code: 1, err: /none/ }],
  },
  'sessions search': {
    works: [
      { args: ['sessions', 'search', 'good', 'day'], out: /good day/i },
      { args: ['sessions', 'search', 'hello', '--json'], out: 'json' },
    ],
    fails: [
      { args: ['sessions', 'search', 'quagga'], code: 1 },
      { args: ['sessions', 'search'], code: 2, err: /./ },
    ],
  },
  'sessions export': {
    works: [
      { args: () => ['sessions', 'export', session], out: 'lines of json' },
      { args: () => ['sessions', 'export', session, 'kept.jsonl'] },
    ],
    fails: [
      { args: () => ['sessions', 'export', session, 'kept.jsonl'], code: 1, err: /already|exists/ },
      { args: ['sessions', 'export', 'none'], code: 1, err: /none/ },
    ],
  },
  'sessions import': {
    works: [{ args: () => ['sessions', 'import', 'kept.jsonl'], out: /./ }],
    fails: [{ args: ['sessions', 'import', 'nothing.jsonl'], code: 1, err: /nothing\.jsonl/ }],
  },
  'sessions rename': {
    works: [{ args: () => ['sessions', 'rename', session, 'Another'] }],
    fails: [
      { args: ['sessions', 'rename', 'none', 'x'], code: 1, err: /none/ },
      { args: ['sessions', 'rename'], code: 2, err: /./ },
    ],
  },
  'sessions archive': {
    works: [{ args: () => ['sessions', 'archive', session] }],
    fails: [{ args: ['sessions', 'archive', 'none'], code: 1, err: /none/ }],
  },
  'sessions unarchive': {
    works: [{ args: () => ['sessions', 'unarchive', session] }],
    fails: [{ args: ['sessions', 'unarchive', 'none'], code: 1, err: /none/ }],
  },
  'sessions delete': {
    works: [{ args: () => ['sessions', 'delete', session, '--yes'] }],
    fails: [{ args: () => ['sessions', 'delete', session, '--yes'], code: 1, err: /./ }],
  },
  store: {
    works: [
      {
        args: () => ['store', 'copy', folderUrl('stored'), folderUrl('copied')],
        out: /^(\d+) of \1 sessions are complete in the target; [1-9]\d* entries and 0 long outputs were copied and compared\.\n$/,
      },
      {
        args: () => ['store', 'copy', folderUrl('stored'), folderUrl('copied')],
        out: /; 0 entries and 0 long outputs were copied/,
      },
      {
        args: () => ['store', 'compact', folderUrl('copied')],
        out: /log\.db had \d+\.\d MB and has \d+\.\d MB now\.\n$/,
      },
    ],
    fails: [
      { args: () => ['store', 'compact', folderUrl('none')], code: 2, err: /There are no sessions/ },
      { args: ['store', 'compact', 'postgres://db/parley'], code: 2, err: /Only a folder can be compacted/ },
      { args: () => ['store', 'compact', folderUrl('home')], code: 3, err: /A host uses/ },
      { args: () => ['store', 'compact', folderUrl('stored'), 'x'], code: 2, err: /x/ },
      { args: ['store'], code: 2, err: /parley store copy FROM TO/ },
      { args: ['store', 'copy', 'file:///x'], code: 2, err: /Name two stores/ },
      {
        args: () => ['store', 'copy', folderUrl('none'), folderUrl('c')],
        code: 2,
        err: /There are no sessions/,
      },
      { args: () => ['store', 'copy', folderUrl('stored'), folderUrl('stored')], code: 2, err: /the same/ },
      { args: () => ['store', 'copy', folderUrl('home'), folderUrl('c')], code: 3, err: /A host uses/ },
    ],
  },
  'sessions verify': {
    works: [
      { args: ['sessions', 'verify'], out: /./ },
      { args: ['sessions', 'verify', '--json'], out: 'json' },
    ],
    fails: [{ args: ['sessions', 'verify', 'x'], code: 2, err: /x/ }],
  },
  agents: {
    works: [{ args: ['agents'], out: /Not installed:/ }],
    fails: [{ args: ['agents', 'dance'], code: 2, err: /dance/ }],
  },
  'agents list': {
    works: [{ args: ['agents', 'list', '--json'], out: 'json' }],
    fails: [{ args: ['agents', 'list', 'x'], code: 2, err: /x/ }],
  },
  'agents search': {
    works: [
      { args: () => ['agents', 'search', '--registry', registry()], out: /^tiny/ },
      { args: () => ['agents', 'search', 'tiny', '--json', '--registry', registry()], out: 'json' },
    ],
    fails: [{ args: ['agents', 'search', '--registry', 'none.json'], code: 1, err: /none\.json/ }],
  },
  'agents install': {
    works: [
      { args: () => ['agents', 'install', 'tiny', '--registry', registry()], out: /^Installed Tiny 1\.0\.0/ },
    ],
    fails: [
      { args: ['agents', 'install'], code: 2, err: /Missing agent ID/ },
      {
        args: () => ['agents', 'install', 'tine', '--registry', registry()],
        code: 1,
        err: /Did you mean tiny\?/,
      },
    ],
  },
  'agents update': {
    works: [{ args: ['agents', 'update'], out: /^tiny 1\.0\.0 is the newest version/ }],
    fails: [{ args: ['agents', 'update', 'none'], code: 1, err: /"none" is not installed/ }],
  },
  'agents add': {
    works: [
      {
        args: () => ['agents', 'add', 'kit', '--name', 'Kit', '--', process.execPath, agent.path],
        out: /^Added kit to /,
      },
      { args: ['agents', 'add', 'kit', '--name', 'Kit'], out: /^Changed kit in / },
    ],
    fails: [
      { args: ['agents', 'add', 'kit'], code: 2, err: /"kit" already exists/ },
      { args: ['agents', 'add', 'other'], code: 2, err: /Missing command for other/ },
      { args: ['agents', 'add', 'kit', '--sandbox', 'x'], code: 2, err: /on, auto or off, not x/ },
    ],
  },
  'agents test': {
    works: [
      { args: ['agents', 'test', 'kit'], out: /./ },
      { args: ['agents', 'test', 'kit', '--json'], out: 'json' },
    ],
    fails: [{ args: ['agents', 'test', 'nobody'], code: 1, err: /nobody/ }],
  },
  'agents remove': {
    works: [
      { args: ['agents', 'remove', 'kit'], out: /^Removed kit from / },
      { args: ['agents', 'remove', 'tiny'], out: /^Removed the installation of tiny\./ },
    ],
    fails: [
      { args: ['agents', 'remove', 'kit'], code: 1, err: /"kit" is neither installed by Parley nor in/ },
    ],
  },
  login: {
    works: [{ args: ['login', 'anthropic', '--key-stdin'], input: 'sk-every\n', out: /anthropic/i }],
    fails: [
      { args: ['login', 'nobody'], code: 2, err: /Unknown provider "nobody"/ },
      { args: ['login', 'anthropic', '--key-stdin'], input: '\n', code: 1, err: /key/ },
    ],
  },
  models: {
    works: [
      { args: ['models'], out: /anthropic/ },
      { args: ['models', '--json'], out: 'json' },
    ],
    fails: [{ args: ['models', 'all'], code: 2, err: /all/ }],
  },
  logout: {
    works: [{ args: ['logout', 'anthropic'], out: /anthropic/i }],
    fails: [{ args: ['logout', 'nobody'], code: 2, err: /nobody/ }],
  },
  mcp: { works: [{ args: ['mcp'], out: /./ }], fails: [{ args: ['mcp', 'dance'], code: 2, err: /dance/ }] },
  'mcp add': {
    works: [
      { args: () => ['mcp', 'add', 'kit', '--url', remote.url], out: /^Added kit to / },
      { args: () => ['mcp', 'add', 'kit', '--url', remote.url], out: /^Replaced kit in / },
    ],
    fails: [
      { args: ['mcp', 'add', 'kit'], code: 2, err: /either a command or a URL/ },
      { args: ['mcp', 'add', '__proto__', '--', 'x'], code: 2, err: /cannot be named "__proto__"/ },
      { args: ['mcp', 'add', 'my server', '--', 'x'], code: 2, err: /cannot be named "my server"\. Use/ },
    ],
  },
  'mcp list': {
    works: [
      { args: ['mcp', 'list'], out: /kit/ },
      { args: ['mcp', 'list', '--json'], out: 'json' },
    ],
    fails: [{ args: ['mcp', 'list', 'x'], code: 2, err: /x/ }],
  },
  'mcp login': {
    works: [{ args: ['mcp', 'login', 'kit'], out: /Signed in to kit\./, meanwhile: visit }],
    fails: [{ args: ['mcp', 'login', 'nobody'], code: 1, err: /Unknown MCP server "nobody"/ }],
  },
  'mcp logout': {
    works: [{ args: ['mcp', 'logout', 'kit'], out: /Signed out of kit\./ }],
    fails: [{ args: ['mcp', 'logout', 'nobody'], code: 1, err: /Unknown MCP server "nobody"/ }],
  },
  'mcp remove': {
    works: [{ args: ['mcp', 'remove', 'kit'], out: /^Removed kit from / }],
    fails: [{ args: ['mcp', 'remove', 'kit'], code: 1, err: /has no MCP server "kit"/ }],
  },
  setup: {
    works: [
      { args: ['setup', 'zed', '--print'], out: /agent_servers/ },
      { args: ['setup', 'zed', '--yes'], out: /Tested \S+ acp \(\d+ ms\)/ },
    ],
    fails: [{ args: ['setup', 'ed'], code: 2, err: /emacs/ }],
  },
  doctor: {
    works: [
      { args: ['doctor'], out: /running \(pid \d+\)/ },
      { args: ['doctor', '--json'], out: 'json' },
    ],
    fails: [{ args: ['doctor', 'who'], code: 2, err: /who/ }],
  },
  config: {
    works: [{ args: ['config'], out: /limits/ }],
    fails: [{ args: ['config', 'dance'], code: 2, err: /dance/ }],
  },
  'config show': {
    works: [{ args: ['config', 'show', '--json'], out: 'json' }],
    fails: [{ args: ['config', 'show', 'x'], code: 2, err: /x/ }],
  },
  'config path': {
    works: [{ args: ['config', 'path'], out: /config\.jsonc/ }],
    fails: [{ args: ['config', 'path', 'x'], code: 2, err: /x/ }],
  },
  'config schema': {
    works: [{ args: ['config', 'schema'], out: 'json' }],
    fails: [{ args: ['config', 'schema', 'x'], code: 2, err: /x/ }],
  },
  trust: {
    works: [{ args: ['trust', 'workspace', '--yes'], out: /workspace/ }],
    fails: [
      { args: ['trust', 'no-such-folder'], code: 1, err: /no-such-folder/ },
      { args: ['trust', 'a', 'b'], code: 2, err: /one folder/ },
    ],
  },
  untrust: {
    works: [{ args: ['untrust', 'workspace'], out: /workspace/ }],
    fails: [{ args: ['untrust', 'a', 'b'], code: 2, err: /one folder/ }],
  },
  permissions: {
    works: [{ args: ['permissions'], out: /No answers are remembered/ }],
    fails: [{ args: ['permissions', 'dance'], code: 2, err: /dance/ }],
  },
  'permissions list': {
    works: [{ args: ['permissions', 'list', '--json'], out: 'json' }],
    fails: [{ args: ['permissions', 'list', 'x'], code: 2, err: /x/ }],
  },
  'permissions revoke': {
    works: [{ args: ['permissions', 'revoke', '--all'], out: /No answers are remembered/ }],
    fails: [
      { args: ['permissions', 'revoke', 'none'], code: 1, err: /Unknown answer "none"/ },
      { args: ['permissions', 'revoke'], code: 2, err: /Give the ID/ },
    ],
  },
  'permissions confirm': {
    works: [{ args: ['permissions', 'confirm', '--all'], out: /Nothing waits/ }],
    fails: [{ args: ['permissions', 'confirm', 'none'], code: 1, err: /Unknown answer "none"/ }],
  },
  devices: {
    works: [{ args: ['devices'], out: /control/ }],
    fails: [{ args: ['devices', 'dance'], code: 2, err: /dance/ }],
  },
  'devices list': {
    works: [
      {
        args: ['devices', 'list', '--json'],
        out: 'json',
        after: (out) => void (device = (JSON.parse(out) as { id: string }[])[0]?.id ?? ''),
      },
    ],
    fails: [{ args: ['devices', 'list', 'x'], code: 2, err: /x/ }],
  },
  'devices add': {
    works: [
      {
        args: ['devices', 'add', '--role', 'observe'],
        out: /^http\S+sign-in\?code=[^]*Only browsers on this machine/,
      },
    ],
    fails: [{ args: ['devices', 'add', '--role', 'king'], code: 2, err: /king/ }],
  },
  'devices role': {
    works: [{ args: () => ['devices', 'role', device, 'observe'], out: /may now view/ }],
    fails: [{ args: ['devices', 'role', 'none', 'observe'], code: 1, err: /none/ }],
  },
  'devices revoke': {
    works: [{ args: () => ['devices', 'revoke', device], out: /is signed out/ }],
    fails: [{ args: () => ['devices', 'revoke', device], code: 1, err: /Unknown device/ }],
  },
  token: {
    works: [{ args: ['token'], out: /^[\w-]{43}\n$/ }],
    fails: [{ args: ['token', 'dance'], code: 2, err: /dance/ }],
  },
  'token show': {
    works: [{ args: ['token', 'show'], out: /^[\w-]{43}\n$/ }],
    fails: [{ args: ['token', 'show', 'x'], code: 2, err: /x/ }],
  },
  'token rotate': {
    works: [{ args: ['token', 'rotate'], out: /^[\w-]{43}\n$/ }],
    fails: [{ args: ['token', 'rotate', 'x'], code: 2, err: /x/ }],
  },
  service: {
    // The service manager of this machine is left alone; test/scenarios/cliSetup.test.ts uses one of its own.
    works: [{ args: ['service', '--help'], out: /^Usage: parley service/ }],
    fails: [{ args: ['service', 'dance'], code: 2, err: /dance/ }],
  },
  'service install': {
    works: [{ args: ['service', 'install', '--print'], out: /"serve" "--no-open"|<string>serve</ }],
    fails: [{ args: ['service', 'install', 'x'], code: 2, err: /x/ }],
  },
  'service remove': {
    works: [{ args: ['service', 'remove'], out: /not installed/ }],
    fails: [{ args: ['service', 'remove', 'x'], code: 2, err: /x/ }],
  },
  'service status': {
    works: [{ args: ['service', 'status', '--help'], out: /^Usage: parley service/ }],
    fails: [{ args: ['service', 'status', 'x'], code: 2, err: /x/ }],
  },
  sandbox: {
    // Not every machine can confine programs, so only its words are tried here.
    works: [{ args: ['sandbox', '--help'], out: /^Usage: parley sandbox/ }],
    fails: [{ args: ['sandbox'], code: 2, err: /./ }],
  },
  completion: {
    works: [{ args: ['completion', 'bash'], out: /complete -o default -F _parley parley/ }],
    fails: [{ args: ['completion', 'tcsh'], code: 2, err: /bash, zsh or fish/ }],
  },
  'completion bash': {
    works: [{ args: ['completion', 'bash'], out: /sessions\) words="list show/ }],
    fails: [{ args: ['completion', 'bash', 'x'], code: 2, err: /x/ }],
  },
  'completion zsh': {
    works: [{ args: ['completion', 'zsh'], out: /^#compdef parley/ }],
    fails: [{ args: ['completion', 'zsh', 'x'], code: 2, err: /x/ }],
  },
  'completion fish': {
    works: [{ args: ['completion', 'fish'], out: /^complete -c parley/m }],
    fails: [{ args: ['completion', 'fish', 'x'], code: 2, err: /x/ }],
  },
  demo: { works: [{ args: ['demo'], out: /./ }], fails: [{ args: ['demo', 'now'], code: 2, err: /now/ }] },
  stop: {
    works: [
      { args: ['stop'], out: /The host has stopped\./ },
      { args: ['stop'], out: /./ },
    ],
    fails: [{ args: ['stop', 'now'], code: 2, err: /now/ }],
  },
};

/** Each command, and each word of a list in its usage. */
const wanted = Object.entries(cliCommands).flatMap(([name, { usage }]) => [
  name,
  ...(/\[((?:\w+, )+\w+)\]/.exec(usage)?.[1]?.split(', ') ?? []).map((word) => `${name} ${word}`),
]);

test('each has a form that works and one that fails', () => {
  expect(wanted.filter((name) => !forms[name]?.works.length || !forms[name]?.fails.length)).toEqual([]);
  expect(Object.keys(forms).filter((name) => !wanted.includes(name))).toEqual([]);
  const json = Object.entries(cliCommands)
    .filter(([, { usage, options }]) => JSON.stringify([usage, options]).includes('--json'))
    .map(([name]) => name);
  expect(
    json.filter(
      (name) =>
        !Object.entries(forms).some(
          ([key, form]) =>
            key.split(' ')[0] === name &&
            form?.works.some(({ out }) => out === 'json' || out === 'lines of json'),
        ),
    ),
  ).toEqual([]);
});

describe.each(Object.entries(forms))('parley %s', (_name, both) => {
  test.each(
    [...(both?.works ?? []), ...(both?.fails ?? [])].map(
      (form) => [typeof form.args === 'function' ? '…' : form.args.join(' '), form] as const,
    ),
  )('%s', async (_words, form) => {
    await check(form);
  });
});

async function check({ args, input, code = 0, out, err, meanwhile, after }: Form): Promise<void> {
  const ran = home.run(...(typeof args === 'function' ? args() : args));
  // A pipe that ends at once would be closed before it could answer.
  ran.child.stdin?.write(input ?? '');
  if (/^\{|^Content-Length/.test(input ?? '')) await answered(ran);
  ran.child.stdin?.end();
  await meanwhile?.(ran);
  const done = await ran.done;
  expect(done.code, done.err || done.out).toBe(code);
  // What went wrong is said in one sentence or two, and nothing else is.
  expect(done.err).toMatch(
    code === 0 ? /^(?:Wrote [^\n]+\n)?$/ : err ? /^parley: [^\n]+(?:\n[^\n]+)?\n$/ : /^/,
  );
  expect(done.err).toMatch(err ?? /^/);
  expect(done.out).toMatch(code === 2 ? /^$/ : out instanceof RegExp ? out : /^/);
  const json = out === 'json' ? [done.out] : out === 'lines of json' ? done.out.trimEnd().split('\n') : [];
  json.forEach((text) => void JSON.parse(text));
  // Colours are for terminals.
  expect(done.out + done.err).not.toContain('\u001b[');
  await after?.(done.out);
}

function answered({ child }: Ran): Promise<unknown> {
  return new Promise((resolve) => child.stdout?.once('data', resolve));
}

async function signIn(out: string): Promise<void> {
  const link = /http\S+code=\S+/.exec(out)?.[0] ?? '';
  const redeemed = await fetch(new URL('/sign-in', link), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: new URL(link).searchParams.get('code') }),
  });
  expect(redeemed.status).toBe(200);
  expect(readFileSync(join(home.dir, 'home', 'devices.json'), 'utf8')).toContain('control');
}

async function stopListening(ran: Ran): Promise<void> {
  await saying(ran, /Open the console once/);
  ran.child.kill('SIGTERM');
}

async function visit(ran: Ran): Promise<void> {
  await vendor.visit((await saying(ran, /^ {2}http\S+$/m)).trim());
}

/** Waits for words on standard output. */
function saying({ child }: Ran, words: RegExp): Promise<string> {
  let said = '';
  return new Promise((resolve) =>
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = words.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    }),
  );
}
