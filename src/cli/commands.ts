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
    usage: 'parley',
    summary: 'find or start the host and say where it is',
    options: [],
    load: () => import('./home.ts'),
  },
  serve: {
    usage: 'parley serve [--host H] [--port N] [--data DIR]',
    summary: 'run the host in the foreground',
    options: [
      ['--host H', 'address to listen on (default 127.0.0.1; only loopback)'],
      ['--port N', 'port to listen on (default 4517, or a free one when it is taken; 0 takes a free one)'],
      ['--data DIR', 'data directory (default $PARLEY_HOME, else the platform\'s)'],
      ['--trace', 'write every message of every connection to the traces folder of the data directory'],
    ],
    load: () => import('./serve.ts'),
  },
  server: {
    usage: 'parley server [--log-level L] [--standalone]',
    summary: 'ECA server on stdio',
    options: [['--log-level L', 'error, warn, info or debug'], standalone],
    load: () => import('./server.ts'),
  },
  acp: {
    usage: 'parley acp [--agent ID] [--standalone]',
    summary: 'ACP agent on stdio',
    options: [['--agent ID', 'the agent that new sessions use'], standalone],
    load: () => import('./acp.ts'),
  },
  ahp: {
    usage: 'parley ahp [--standalone]',
    summary: 'AHP on stdio, one JSON message a line',
    options: [standalone],
    load: () => import('./ahp.ts'),
  },
  models: {
    usage: 'parley models [--json]',
    summary: 'list the models that can be used, and why the others cannot',
    options: [['--json', 'print one JSON array with a provider each']],
    load: () => import('./listModels.ts'),
  },
  login: {
    usage: 'parley login PROVIDER [--key-stdin]',
    summary: 'store the key of a model provider',
    options: [['--key-stdin', 'read the key from standard input instead of asking for it']],
    load: () => import('./login.ts'),
  },
  logout: {
    usage: 'parley logout PROVIDER',
    summary: 'forget the key of a model provider',
    options: [],
    load: () => import('./logout.ts'),
  },
  stop: {
    usage: 'parley stop',
    summary: 'stop the background host after storing everything',
    options: [],
    load: () => import('./stop.ts'),
  },
};
