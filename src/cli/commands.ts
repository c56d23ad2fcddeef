// The commands by name: what each is for, and where its code is. Nothing is loaded before it is needed.

export interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly (readonly [flag: string, meaning: string])[];
  load(): Promise<{ run(args: readonly string[]): Promise<number> }>;
}

const standalone = ['--standalone', 'keep everything in this one process instead of using the host'] as const;

export const commands: { readonly [name: string]: Command } = {
  '': {
    usage: 'parley [--no-open]',
    summary: 'find or start the host, print and open the console',
    options: [['--no-open', 'only print the link']],
    load: () => import('./start/home.ts'),
  },
  serve: {
    usage:
      'parley serve [--host H] [--port N] [--data DIR] [--store URL] [--no-open] [--tls] [--cert FILE --key FILE] [--insecure] [--trace]',
    summary: 'run the host in the foreground',
    options: [
      [
        '--host H',
        'address to listen on (default: the settings, else 127.0.0.1); beyond loopback everything is encrypted',
      ],
      ['--port N', 'port to listen on (default 4517, or a free one when it is taken; 0 takes a free one)'],
      ['--data DIR', "data directory (default $PARLEY_HOME, else the platform's)"],
      [
        '--store URL',
        'the folder that holds the sessions, such as file:///var/lib/parley (default: the data directory)',
      ],
      ['--no-open', 'open no browser'],
      ['--tls', 'encrypt on loopback, too, with a certificate of our own that is kept in the data directory'],
      ['--cert FILE, --key FILE', 'a certificate and its key in PEM to show instead of our own'],
      [
        '--insecure',
        'listen beyond loopback without encryption: everybody on the way can read along and take over',
      ],
      ['--trace', 'write every message of every connection to the traces folder of the data directory'],
    ],
    load: () => import('./start/serve.ts'),
  },
  server: {
    usage: 'parley server [--log-level L] [--verbose] [--config-file FILE] [--standalone]',
    summary: 'ECA server on stdio',
    options: [
      [
        '--log-level L',
        'show what the host logs from now on, from this level on: error, warn, info or debug',
      ],
      ['--verbose', 'show that and every message of this connection, without secrets'],
      ['--config-file FILE', "an ECA configuration in place of the user's and those of the folders"],
      standalone,
    ],
    load: () => import('./stdio/server.ts'),
  },
  'read-chat': {
    usage:
      'parley read-chat [--workspace DIR]... [--db-cache-path DIR] [--chat-id ID] [--role ROLE] [--since TIME] [--until TIME]',
    summary:
      'chats and their messages as lines of JSON, as ECA prints them; needs no running host and changes nothing',
    options: [
      ['--workspace DIR', 'the chats of a folder; may be given several times'],
      ['--db-cache-path DIR', 'all chats of a data directory, as hooks are told it'],
      ['--chat-id ID', 'the messages of this chat instead of the list of chats'],
      [
        '--role ROLE',
        'only messages of this role: user, assistant, reason, tool_call, tool_call_output, flag, compact_marker, ...',
      ],
      [
        '--since TIME, --until TIME',
        'only what is as new, or older: 30m, 2h or 1d ago, a date, or a moment such as 2026-01-31T12:00:00Z',
      ],
    ],
    load: () => import('./sessions/readChat.ts'),
  },
  acp: {
    usage: 'parley acp [--agent ID] [--login] [--standalone]',
    summary: 'ACP agent on stdio',
    options: [
      ['--agent ID', 'the agent that new sessions use'],
      ['--login', 'sign in with a model provider on this terminal instead'],
      standalone,
    ],
    load: () => import('./stdio/acp.ts'),
  },
  ahp: {
    usage: 'parley ahp [--standalone]',
    summary: 'AHP on stdio, one JSON message a line',
    options: [standalone],
    load: () => import('./stdio/ahp.ts'),
  },
  agents: {
    usage: 'parley agents [list, add, remove, test] [ID] [-- COMMAND ARGS...]',
    summary: 'external ACP agents: found, set up, tried',
    options: [
      [
        'list',
        'those that are set up or were found, and those that could be installed (the default); --json prints JSON',
      ],
      [
        'add ID -- COMMAND ARGS...',
        'set one up; --name NAME, --mode MODE, --env NAME=VALUE, --inherit NAME, or --registry FILE to take it from a registry file',
      ],
      ['remove ID', 'take it out of the settings'],
      ['test ID', 'start it, shake hands, and print what it can do and how long it took; --json prints JSON'],
    ],
    load: () => import('./accounts/agents.ts'),
  },
  models: {
    usage: 'parley models [--json] [--refresh]',
    summary: 'list the models that can be used, and why the others cannot',
    options: [
      ['--json', 'print one JSON array with a provider each'],
      ['--refresh', 'ask vendors for their lists again, though they were asked within a day'],
    ],
    load: () => import('./accounts/listModels.ts'),
  },
  login: {
    usage: 'parley login PROVIDER [--method WAY] [--key-stdin]',
    summary: 'sign in to a model provider, or store its key',
    options: [
      ['--method WAY', 'api-key; or device (github-copilot), pro (openai), max or console (anthropic)'],
      ['--key-stdin', 'read the key from standard input instead of asking for it'],
    ],
    load: () => import('./accounts/login.ts'),
  },
  logout: {
    usage: 'parley logout PROVIDER',
    summary: 'forget the key of a model provider',
    options: [],
    load: () => import('./accounts/logout.ts'),
  },
  run: {
    usage: 'parley run [--agent ID] [--model M] [--json] [--allow RULE]... PROMPT',
    summary: 'one prompt in this folder with nobody to ask; the exit code says how it ended',
    options: [
      ['--agent ID', 'the agent that works on it'],
      ['--model M', 'the model that answers'],
      ['--json', 'print one event a line'],
      [
        '--allow RULE',
        'let something run: a tool such as write_file, write_file(src/**), or a command such as "$ npm test"; all else that would be asked is refused',
      ],
      ['PROMPT', 'what to do; - reads it from standard input'],
      standalone,
    ],
    load: () => import('./chat/run.ts'),
  },
  chat: {
    usage: 'parley chat [SESSION] [--agent ID] [--model M]',
    summary: 'a terminal at a new session in this folder, or at one that is there',
    options: [
      ['SESSION', 'the id of a session, or any beginning of it that fits one alone'],
      ['--agent ID', 'the agent of a new session'],
      ['--model M', 'the model that answers what is typed here'],
      [
        'a line',
        'a prompt, which waits while another is worked on; where something waits for you: y once, s for this session, a always, n or n WHY',
      ],
      ['!WORDS', 'steer the running turn'],
      [
        '/stop, /queue, /drop N, /quit',
        'stop the turn, show what waits, take one of it back, leave; or Ctrl-C to stop the turn and Ctrl-D to leave; through a pipe, the end of the input waits for the work',
      ],
    ],
    load: () => import('./chat/chat.ts'),
  },
  demo: {
    usage: 'parley demo',
    summary:
      'watch a session with tools, approvals and a diff in a temporary folder; needs no key and no network',
    options: [],
    load: () => import('./start/demo.ts'),
  },
  sessions: {
    usage:
      'parley sessions [list, show, search, export, import, rename, archive, unarchive, delete, verify] [--json]',
    summary: 'the catalogue: list, read, find, carry elsewhere, put away and check sessions',
    options: [
      ['list', 'newest first (the default); --all shows archived ones, too'],
      ['show ID', 'the transcript; any beginning of an id that fits one session will do, here and below'],
      [
        'search WORDS',
        'sessions in whose title or transcript every word occurs; "two words" between double quotes beside each other; --limit N (default 20); ends with 1 where there is none',
      ],
      ['export ID [FILE]', 'one line of JSON per entry, to the file or to standard output'],
      [
        'import FILE',
        'take in an exported session, to go on in this folder; rules and options of the file are left behind',
      ],
      ['rename ID TITLE', 'give it another title'],
      ['archive ID, unarchive ID', 'take it out of the list, or back in'],
      ['delete ID', 'forget it for good; asks unless --yes'],
      ['verify', 'look at every byte that is stored; ends with 1 where something is wrong'],
      ['--json', 'print JSON'],
    ],
    load: () => import('./sessions/sessions.ts'),
  },
  mcp: {
    usage: 'parley mcp [list, add, remove, login, logout] [NAME] [-- COMMAND ARGS...]',
    summary: 'the MCP servers of your settings',
    options: [
      ['list', 'those that hold in this folder (the default); --json prints JSON'],
      [
        'add NAME -- COMMAND ARGS...',
        'one that is a program; --env NAME=VALUE, where ${env:NAME} stands for a variable',
      ],
      ['add NAME --url URL', 'one at an address; --header NAME=VALUE'],
      ['remove NAME', 'take it out of your settings'],
      ['login NAME, logout NAME', 'sign in to one at an address with your browser, or out again'],
    ],
    load: () => import('./accounts/mcp.ts'),
  },
  setup: {
    usage: 'parley setup EDITOR [--print] [--yes]',
    summary: 'connect an editor: show the exact change of its settings, write it after asking, and try it',
    options: [
      ['EDITOR', 'emacs, nvim, vscode, zed or jetbrains'],
      ['--print', 'only print the change, and the forms for other plugins of that editor'],
      ['--yes', 'write it without asking; what was there is kept beside it'],
    ],
    load: () => import('./setup/setup.ts'),
  },
  doctor: {
    usage: 'parley doctor [--json]',
    summary:
      'look at everything that can be wrong here and say how to mend it; ends with 1 where something is broken',
    options: [['--json', 'print JSON']],
    load: () => import('./doctor/doctor.ts'),
  },
  config: {
    usage: 'parley config [show, path, schema] [--json] [--markdown]',
    summary: 'print the settings that hold in this folder and where each comes from',
    options: [
      ['show', 'every value with its source; secrets are hidden (the default)'],
      ['path', 'the files that are read'],
      ['schema', 'the JSON Schema of a settings file, or with --markdown the page that describes it'],
      ['--json', 'print JSON'],
    ],
    load: () => import('./setup/config.ts'),
  },
  trust: {
    usage: 'parley trust [DIR] [--yes]',
    summary: 'show the settings that a folder brings along, and let them take effect as they stand now',
    options: [
      ['DIR', 'the folder (default: this one)'],
      ['--yes', 'do not ask, for scripts'],
    ],
    load: () => import('./setup/trust.ts'),
  },
  untrust: {
    usage: 'parley untrust [DIR]',
    summary: 'take that back',
    options: [['DIR', 'the folder (default: this one)']],
    load: () => import('./setup/untrust.ts'),
  },
  devices: {
    usage: 'parley devices [list, add, role, revoke] [ID] [--role ROLE] [--json]',
    summary: 'the browsers and phones that are signed in, and what each may do',
    options: [
      ['list', 'with what they may do and whether they are connected (the default); --json prints JSON'],
      [
        'add [--role ROLE]',
        'print a link, and a code to photograph, that signs one device in (default: approve)',
      ],
      [
        'role ID ROLE',
        'change what it may do, at once; any beginning of an id that fits one device will do, here and below',
      ],
      ['revoke ID', 'sign it out; its connections end at once'],
      ['ROLE', 'observe (look), approve (and answer what waits) or control (everything)'],
    ],
    load: () => import('./accounts/devices.ts'),
  },
  stop: {
    usage: 'parley stop',
    summary: 'stop the background host after storing everything',
    options: [],
    load: () => import('./start/stop.ts'),
  },
};
