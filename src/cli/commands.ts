// The commands by name: what each does. Help, completion and suggestions are made of it.
import type { commandFiles } from './commandFiles.ts';

/** The headings of `parley --help`, in their order. */
export const commandGroups = {
  work: 'Work',
  agents: 'Agents and models',
  editors: 'Editors',
  settings: 'Settings',
  host: 'Host',
} as const;

export type CommandGroup = keyof typeof commandGroups;

export interface CliCommand {
  /** The arguments after `parley`. */
  readonly usage: string;
  /** At most 55 characters, so that the list of commands fits a terminal of 80 columns. */
  readonly summary: string;
  readonly group: CommandGroup;
  /** What can stand after the name, where the usage does not list it. */
  readonly words?: readonly string[];
  /** The values of options that take one of a few. */
  readonly values?: { readonly [flag: string]: readonly string[] };
  readonly options: readonly (readonly [flag: string, meaning: string])[];
}

const standalone = ['--standalone', 'run without the background host'] as const;
const json = ['--json', 'print JSON'] as const;
const modes = ['plan', 'ask', 'edits', 'auto', 'full'];

/** The compiler demands that every command is here, and no other. */
const described: { readonly [Name in keyof typeof commandFiles]: CliCommand } = {
  '': {
    usage: 'parley [--no-open]',
    summary: 'start Parley and open the console',
    group: 'work',
    options: [['--no-open', 'only print the link']],
  },
  serve: {
    usage:
      'parley serve [--host H] [--port N] [--data DIR] [--store URL] [--no-open] [--tls] [--cert FILE ' +
      '--key FILE] [--insecure] [--trace]',
    summary: 'run the host in the foreground',
    group: 'host',
    options: [
      [
        '--host H',
        'address to listen on (default: the settings, else 127.0.0.1); other addresses ' +
          'than loopback are encrypted',
      ],
      ['--port N', 'port to listen on (default: 4517, or a free one if it is in use; 0: any free port)'],
      ['--data DIR', "data directory (default: $PARLEY_HOME, else the platform's)"],
      [
        '--store URL',
        'where the sessions are: a folder such as file:///var/lib/parley, or PostgreSQL such as ' +
          'postgres://parley@db/parley (default: $PARLEY_STORE, else the data directory)',
      ],
      ['--no-open', 'do not open a browser'],
      ['--tls', 'encrypt on loopback, too, with a self-signed certificate'],
      ['--cert FILE, --key FILE', 'use this certificate and key (PEM) instead of the self-signed one'],
      ['--insecure', 'do not encrypt: anyone on the network can read the connections and take over'],
      ['--trace', 'write every message of every connection to the traces folder of the data directory'],
    ],
  },
  store: {
    usage: 'parley store copy FROM TO | compact [STORE]',
    summary: 'copy all sessions to another store, or compact a log',
    words: ['copy', 'compact'],
    group: 'host',
    options: [
      [
        'copy FROM TO',
        'two stores as for parley serve --store, which no host uses; a copy that was interrupted goes on ' +
          'when it is started again, and everything is compared in the end',
      ],
      [
        'compact [STORE]',
        'pack all sessions and write the log of a folder anew, without the space of what was deleted ' +
          '(default: the data directory); a running host does most of this itself',
      ],
    ],
  },
  server: {
    usage: 'parley server [--log-level L] [--verbose] [--config-file FILE] [--standalone]',
    summary: 'ECA server on stdio',
    values: { '--log-level': ['error', 'warn', 'info', 'debug'] },
    group: 'editors',
    options: [
      ['--log-level L', "print the host's log to standard error: error, warn, info or debug"],
      ['--verbose', 'also print every message of this connection, without secrets'],
      ['--config-file FILE', "use this ECA configuration instead of the user's and the project's"],
      standalone,
    ],
  },
  'read-chat': {
    usage:
      'parley read-chat [--workspace DIR]... [--db-cache-path DIR] [--chat-id ID] [--role ROLE] ' +
      '[--since TIME] [--until TIME]',
    summary: 'print chats or messages as JSON lines, as ECA does',
    group: 'editors',
    options: [
      ['--workspace DIR', 'the chats of this folder; can be repeated'],
      ['--db-cache-path DIR', 'all chats of this data directory, as hooks receive it'],
      ['--chat-id ID', 'print the messages of this chat instead of the list of chats'],
      [
        '--role ROLE',
        'only messages with this role: user, assistant, reason, tool_call, tool_call_output, flag, ' +
          'compact_marker, ...',
      ],
      [
        '--since TIME, --until TIME',
        'only from, or before, this time: 30m, 2h or 1d ago, a date, or a time such as 2026-01-31T12:00:00Z',
      ],
    ],
  },
  acp: {
    usage: 'parley acp [--agent ID] [--login] [--standalone]',
    summary: 'ACP agent on stdio',
    group: 'editors',
    options: [
      ['--agent ID', 'the agent of new sessions'],
      ['--login', 'sign in to a model provider on this terminal instead'],
      standalone,
    ],
  },
  ahp: {
    usage: 'parley ahp [--standalone]',
    summary: 'AHP on stdio, one JSON message per line',
    group: 'editors',
    options: [standalone],
  },
  agents: {
    usage: 'parley agents [list, search, install, update, add, remove, test] [ID] [-- COMMAND ARGS...]',
    summary: 'manage external agents',
    values: { '--sandbox': ['on', 'auto', 'off'] },
    group: 'agents',
    options: [
      ['list', 'configured, installed, detected and known agents (default); --json prints JSON'],
      ['search [WORDS]', 'agents of the public ACP registry; --json prints JSON'],
      [
        'install ID',
        'install an agent of the registry into the data directory; --sha256 HEX checks a download; --json',
      ],
      ['update [ID]', 'install the newest versions of what was installed so; --json'],
      ['--registry FILE|URL', 'use another registry for search, install, update or add'],
      [
        'add ID -- COMMAND ARGS...',
        'add an agent; --name NAME, --mode MODE, --env NAME=VALUE, --inherit NAME, --sandbox on|auto|off, ' +
          'or --registry FILE|URL to start its package with npx or uvx each time',
      ],
      ['remove ID', 'remove its installation and its settings'],
      ['test ID', 'start it and print what it can do and how long it took; --json prints JSON'],
    ],
  },
  models: {
    usage: 'parley models [--json] [--refresh]',
    summary: 'list models, and what the others lack',
    group: 'agents',
    options: [
      ['--json', 'print a JSON array of providers'],
      ['--refresh', 'fetch the lists of vendors again, even if they are less than a day old'],
    ],
  },
  login: {
    usage: 'parley login PROVIDER [--method METHOD] [--key-stdin]',
    summary: 'sign in to a model provider, or save its API key',
    values: { '--method': ['api-key', 'device', 'pro', 'max', 'console'] },
    group: 'agents',
    options: [
      ['--method METHOD', 'api-key; or device (github-copilot), pro (openai), max or console (anthropic)'],
      ['--key-stdin', 'read the key from standard input'],
    ],
  },
  logout: {
    usage: 'parley logout PROVIDER',
    summary: 'remove the API key of a model provider',
    group: 'agents',
    options: [],
  },
  run: {
    usage:
      'parley run [--continue] [--session ID] [--cwd DIR] [--agent ID] [--model M] [--mode MODE] ' +
      '[--auto] [--full] ' +
      '[--effort E] [--allow RULE]... [--timeout T] [--max-cost USD] [--output FORMAT] [--json] ' +
      '[--standalone] [PROMPT] [-]',
    summary: 'run one prompt non-interactively',
    values: { '--mode': modes, '--output': ['text', 'json', 'stream-json'] },
    group: 'work',
    options: [
      ['--agent ID', 'the agent to use'],
      ['--model M', 'the model to use'],
      ['--mode MODE', 'a permission mode (plan, ask, edits, auto or full), or a mode of the agent'],
      ['--auto', 'edits, and commands inside the sandbox, run unasked; ends if there is no sandbox'],
      ['--full', 'everything runs unasked with your rights; not in folders that you do not trust'],
      ['--effort E', 'how much the model thinks, such as low or high'],
      ['--continue', 'continue the newest session of this folder'],
      ['--session ID', 'continue this session; the ID can be shortened to a unique prefix'],
      ['--cwd DIR', 'work in this folder instead of the current one'],
      ['--timeout T', 'stop after this time, such as 90s, 10m or 1h'],
      ['--max-cost USD', 'stop when the run has cost more than this, such as 0.50'],
      [
        '--output FORMAT',
        'text (default), json (one result) or stream-json (one line per event); see docs/run.md',
      ],
      ['--json', 'short for --output stream-json'],
      [
        '--allow RULE',
        'allow a tool, such as write_file or write_file(src/**), a command, such as "$ npm test", or * for ' +
          'everything in the workspace; what else needs approval is denied',
      ],
      ['PROMPT', 'what to do; without it, or with -, standard input is read, too'],
      [
        'exit codes',
        '0 done, 1 failed, 2 wrong usage or name, 3 no host, 4 stopped or denied, 5 steps, 6 budget, ' +
          '7 refusal, 8 time, 9 length: the answer is cut off',
      ],
      standalone,
    ],
  },
  chat: {
    usage: 'parley chat [SESSION] [--continue] [--resume] [--agent ID] [--model M] [--mode MODE] [--plain]',
    summary: 'chat in the terminal (new session, or SESSION)',
    values: { '--mode': modes },
    group: 'work',
    options: [
      ['SESSION', 'the ID of a session; it can be shortened to a unique prefix'],
      ['--continue', 'open the newest session of this folder'],
      ['--resume', 'choose a session from a list'],
      ['--agent ID', 'the agent of a new session'],
      ['--model M', 'the model for messages from this terminal'],
      ['--mode MODE', 'the permission mode of the session: plan, ask, edits, auto or full'],
      ['--plain', 'print line after line and redraw nothing, for screen readers'],
      [
        'a key',
        'Enter sends, or queues while the agent works; Alt+Enter begins a new line; Esc stops the turn; ' +
          'Shift+Tab changes the permission mode; ? lists all keys',
      ],
      [
        'a line',
        'with --plain or from a pipe: a message, or an answer: y once, s this session, f this folder, ' +
          'a everywhere, n or n REASON; at the end of a pipe, what was sent is finished first',
      ],
      ['!TEXT', 'steer the current turn'],
      ['/stop, /queue, /drop N, /quit', 'stop the turn, list queued messages, remove one, leave'],
    ],
  },
  demo: {
    usage: 'parley demo',
    summary: 'watch a sample session; works offline, no API key',
    group: 'work',
    options: [],
  },
  sessions: {
    usage:
      'parley sessions [list, show, search, export, import, rename, archive, unarchive, ' +
      'delete, verify] [--json]',
    summary: 'list, show, search, export, archive and verify sessions',
    group: 'work',
    options: [
      ['list', 'newest first (default); --all includes archived sessions'],
      ['show ID', 'print the transcript; an ID can be shortened to a unique prefix'],
      [
        'search WORDS',
        'sessions that contain every word; put phrases in double quotes; --limit N (default 20); exits ' +
          'with 1 if nothing is found',
      ],
      ['export ID [FILE]', 'write one JSON line per entry to FILE or standard output'],
      ['import FILE', 'import an exported session into this folder, without its rules and options'],
      ['rename ID TITLE', 'change the title'],
      ['archive ID, unarchive ID', 'hide it from the list, or show it again'],
      ['delete ID', 'delete it permanently; --yes does not ask'],
      ['verify', 'verify everything that is stored; exits with 1 if there is damage'],
      json,
    ],
  },
  mcp: {
    usage: 'parley mcp [list, add, remove, login, logout] [NAME] [-- COMMAND ARGS...]',
    summary: 'manage MCP servers',
    group: 'agents',
    options: [
      ['list', 'the servers for this folder (default); --json prints JSON'],
      [
        'add NAME -- COMMAND ARGS...',
        'add a local program; --env NAME=VALUE, where ${env:NAME} is replaced by a variable',
      ],
      ['add NAME --url URL', 'add a remote server; --header NAME=VALUE'],
      ['remove NAME', 'remove it from your settings'],
      ['login NAME, logout NAME', 'sign in to a remote server with your browser, or sign out'],
    ],
  },
  sandbox: {
    group: 'work',
    usage: 'parley sandbox [--network off|ask|on] -- COMMAND ARGS...',
    summary: 'run a command as the commands of agents run',
    values: { '--network': ['off', 'ask', 'on'] },
    options: [
      [
        '--network off, ask, on',
        'what it reaches: nothing, names in sandbox.hosts, or everything (default: the settings, else ask)',
      ],
      [
        'COMMAND',
        'it writes only in this folder and in a temporary one, and sees no keys and no other processes; ' +
          'the exit code is its own',
      ],
    ],
  },
  setup: {
    usage: 'parley setup EDITOR [--print] [--yes] [--remove]',
    summary: 'connect an editor to Parley',
    words: ['emacs', 'nvim', 'vscode', 'zed', 'jetbrains'],
    group: 'editors',
    options: [
      ['EDITOR', 'emacs, nvim, vscode, zed or jetbrains'],
      ['--print', 'only print the change, and the settings for other plugins of that editor'],
      ['--yes', 'write without asking; a backup is kept'],
      ['--remove', 'take the change back; everything else in the file stays as it is'],
    ],
  },
  doctor: {
    usage: 'parley doctor [--json] [--bundle]',
    summary: 'check the installation and suggest fixes',
    group: 'host',
    options: [
      json,
      ['--bundle', 'also write a bug report to this folder, without secrets and conversations'],
    ],
  },
  config: {
    usage: 'parley config [show, path, schema] [--json] [--markdown]',
    summary: 'print the effective settings and their sources',
    group: 'settings',
    options: [
      ['show', 'every value with its source; secrets are hidden (default)'],
      ['path', 'the settings files'],
      ['schema', 'the JSON Schema of a settings file; --markdown prints its documentation'],
      json,
    ],
  },
  trust: {
    usage: 'parley trust [DIR] [--yes], parley trust --list',
    summary: "show and trust this folder's settings",
    group: 'settings',
    options: [
      ['DIR', 'the folder (default: this one)'],
      ['--yes', 'do not ask'],
      ['--list', 'the folders that you trust, never trust, or did not decide about'],
    ],
  },
  untrust: {
    usage: 'parley untrust [DIR]',
    summary: "stop trusting this folder's settings",
    group: 'settings',
    options: [['DIR', 'the folder (default: this one)']],
  },
  permissions: {
    usage: 'parley permissions [list, revoke, confirm] [ID] [--json]',
    summary: 'list and revoke answers that were remembered',
    group: 'settings',
    options: [
      [
        'list',
        'what is not asked about again: where, who said so, when and from where (default); ' +
          '--json prints JSON',
      ],
      ['revoke ID', 'ask again; an ID can be shortened to a unique prefix; --all revokes every answer'],
      ['confirm ID', 'let an answer of an earlier version count again; --all confirms every one'],
      json,
    ],
  },
  devices: {
    usage: 'parley devices [list, add, role, revoke] [ID] [--role ROLE] [--most MODE] [--json]',
    summary: 'manage signed-in browsers and phones',
    values: { '--role': ['observe', 'approve', 'control'], '--most': modes },
    group: 'host',
    options: [
      ['list', 'devices with their role and connections (default); --json prints JSON'],
      ['add [--role ROLE]', 'create a sign-in link and QR code for one device (default role: approve)'],
      ['role ID ROLE', 'change the role; an ID can be shortened to a unique prefix'],
      ['revoke ID', 'sign it out and end its connections'],
      ['ROLE', 'observe (read-only), approve or control'],
      ['--most MODE', 'with add or role: the permission mode with most freedom that it may choose'],
    ],
  },
  token: {
    usage: 'parley token [show, rotate]',
    summary: "print or replace the owner's token",
    group: 'host',
    options: [
      ['show', 'print the token with which any client has full control (default)'],
      ['rotate', 'replace it: the old one and its connections end immediately; devices stay signed in'],
    ],
  },
  service: {
    usage: 'parley service [install, remove, status] [--print]',
    summary: 'start the host with your session',
    group: 'host',
    options: [
      ['install', 'start the host now and with every session of yours (systemd, launchd)'],
      ['remove', 'stop it, and start it only when a command needs it, as before'],
      ['status', 'whether it is installed and runs (default)'],
      ['--print', 'with install: only print the file that would be written'],
    ],
  },
  completion: {
    usage: 'parley completion [bash, zsh, fish]',
    summary: 'print a script that completes commands in a shell',
    group: 'settings',
    options: [
      ['bash', 'put its output in ~/.local/share/bash-completion/completions/parley'],
      ['zsh', 'put its output in a file _parley in a folder of your $fpath'],
      ['fish', 'put its output in ~/.config/fish/completions/parley.fish'],
    ],
  },
  stop: {
    usage: 'parley stop',
    summary: 'stop the background host',
    group: 'host',
    options: [],
  },
};

export const cliCommands: { readonly [name: string]: CliCommand } = described;
