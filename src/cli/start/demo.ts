// `parley demo`: a session of the built-in model that reads, edits and runs a file, in a temporary folder
// with a temporary host.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileUri } from '../../base/fileUri.ts';
import { rootChannel } from '../../protocols/ahp/v1_0/state.ts';
import type { ChatState } from '../../protocols/ahp/v1_0/state.ts';
import type { OpenWire } from '../../../client/connection/wire.ts';
import { createMemoryPair } from '../../rpc/transports/memory.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { connectClient } from '../client/hostClient.ts';
import type { HostClient } from '../client/hostClient.ts';
import { approvalAnswer, waitingIn } from '../chat/answers.ts';
import { ChatView } from '../chat/view.ts';
import { openHost } from '../../app/openHost.ts';
import { doors } from '../../app/doors.ts';
import { noMore, readArgs } from '../say.ts';
import { paintFor, print } from '../output.ts';

const prompts = [
  'What is in this folder?',
  'Replace "Hello" with "Good morning" in greet.js',
  'Run node greet.js',
];

/** How long an approval stays visible before the demo answers it, in milliseconds. */
const readingTime = 700;

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  noMore(positionals);
  const { stopped, release } = watchForStop();
  const directory = mkdtempSync(join(tmpdir(), 'parley-demo-'));
  try {
    return await play(directory, stopped);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    release();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The folder is deleted in every case, also if somebody stops it or nobody reads what is printed. */
function watchForStop(): { readonly stopped: Promise<number>; readonly release: () => void } {
  let stop = () => {};
  const stopped = new Promise<number>((resolve, reject) => {
    stop = () => resolve(4);
    process.stdout.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE'
        ? resolve(0)
        : reject(new Error(`The output could not be written: ${error.message}`)),
    );
  });
  for (const signal of signals) process.on(signal, stop);
  // It may fail before anything awaits it.
  stopped.catch(() => {});
  const release = () => {
    for (const signal of signals) process.off(signal, stop);
  };
  return { stopped, release };
}

async function play(directory: string, stopped: Promise<number>): Promise<number> {
  const folder = join(directory, 'project');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'greet.js'),
    "const name = process.argv[2] ?? 'world';\nconsole.log(`Hello, ${name}!`);\n",
  );
  writeFileSync(join(folder, 'README.md'), '# Greeter\n\nSays hello.\n');
  const app = await openHost({ ...process.env, PARLEY_HOME: join(directory, 'home') });
  if ('heldBy' in app) throw new Error('Another host uses the folder of the demo.');
  const [here, there] = createMemoryPair();
  const openDoor = (await doors['ahp']?.load())?.(app);
  const served = openDoor?.({}).serve(there, app.host);
  const client = await connectClient({ clientId: 'demo', wire: memoryWire(here) });
  try {
    return await Promise.race([perform(client, folder), stopped]);
  } finally {
    client.close();
    await served;
    await app.close();
  }
}

function memoryWire(transport: Transport): OpenWire {
  return ({ opened, received, closed }) => {
    transport.listen({ message: received, problem: () => {}, closed });
    queueMicrotask(opened);
    return { send: (text) => transport.send(text), close: () => transport.close() };
  };
}

const farewell =
  '\nThat was a complete session. Start your own with parley chat, or connect an editor with parley setup.\n';

async function perform(client: HostClient, folder: string): Promise<number> {
  const paint = paintFor(process.stdout);
  const session = 'ahp-session:/demo';
  await client.request('createSession', { channel: session, workingDirectories: [fileUri(folder)] });
  const { defaultChat: chat = '' } = await client.session(session);
  const answered = new Set<string>();
  let turnEnded = (_: ChatState) => {};
  const answer = async (state: ChatState) => {
    const waiting = waitingIn(state);
    if (waiting?.kind !== 'approval' || answered.has(waiting.call.toolCallId)) return;
    answered.add(waiting.call.toolCallId);
    await new Promise((resolve) => {
      setTimeout(resolve, readingTime);
    });
    print(`${paint.green('y')} ${paint.dim('(the demo answers for you)')}\n`);
    const action = approvalAnswer(waiting, 'y');
    if (action) await client.dispatch(chat, action);
  };
  const view = new ChatView({
    paint,
    write: print,
    isOwn: () => false,
    read: async (uri) =>
      (await client.request('resourceRead', { channel: rootChannel, uri, encoding: 'utf-8' })).data,
    printed(state) {
      void answer(state);
      if (!state.activeTurn) turnEnded(state);
    },
  });
  view.show(await client.followChat(chat, (state) => view.show(state)));
  print(
    paint.dim(
      `A session in ${folder}, with the built-in model: works offline, no API key. It ` +
        'is deleted afterwards.\n',
    ),
  );
  for (const [at, text] of prompts.entries()) {
    print('\n');
    const over = new Promise<ChatState>((resolve) => {
      turnEnded = (state) => state.turns.length > at && resolve(state);
    });
    const refused = await client.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: `turn-${at}`,
      startedAt: new Date().toISOString(),
      message: { text, origin: { kind: 'user' }, model: { id: 'demo/demo' } },
    });
    if (refused !== undefined) throw new Error(refused);
    const state = await Promise.race([over, client.closed.then(() => undefined)]);
    if (!state) return 4;
    if (state.turns.at(-1)?.state !== 'complete') return 1;
  }
  print(paint.dim(farewell));
  return 0;
}
