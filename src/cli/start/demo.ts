// `parley demo`: a session with reading, a change and a command, played by the built-in model in a folder and a host of its own that are gone afterwards.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileUri } from '../../base/fileUri.ts';
import { rootChannel } from '../../protocols/ahp/v1_0/state.ts';
import type { ChatState } from '../../protocols/ahp/v1_0/state.ts';
import { createMemoryPair } from '../../rpc/transports/memory.ts';
import { ahpLink } from '../client/ahpClient.ts';
import type { AhpLink } from '../client/ahpClient.ts';
import { approvalAnswer, waitingIn } from '../chat/answers.ts';
import { ChatView } from '../chat/view.ts';
import { openHost } from '../../app/openHost.ts';
import { doors } from '../../app/doors.ts';
import { paintFor, print } from '../output.ts';
import { noMore, readArgs } from '../say.ts';

const prompts = [
  'What is in this folder?',
  'Replace "Hello" with "Good morning" in greet.js',
  'Run node greet.js',
];

/** Long enough to see the question before it is answered, in milliseconds. */
const reading = 700;

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  noMore(positionals);
  const place = mkdtempSync(join(tmpdir(), 'parley-demo-'));
  try {
    return await play(place);
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function play(place: string): Promise<number> {
  const folder = join(place, 'project');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'greet.js'),
    "const name = process.argv[2] ?? 'world';\nconsole.log(`Hello, ${name}!`);\n",
  );
  writeFileSync(join(folder, 'README.md'), '# Greeter\n\nSays hello.\n');
  const opened = await openHost({ ...process.env, PARLEY_HOME: join(place, 'home') });
  if ('heldBy' in opened) throw new Error('the folder of the demo is taken.');
  const [here, there] = createMemoryPair();
  const served = (await doors['ahp']?.open({}))?.serve(there, opened.host);
  const link = await ahpLink(here, 'demo');
  const stop = () => link.close();
  process.once('SIGINT', stop);
  try {
    return await perform(link, folder);
  } finally {
    process.off('SIGINT', stop);
    link.close();
    await served;
    await opened.close();
  }
}

async function perform(link: AhpLink, folder: string): Promise<number> {
  const paint = paintFor(process.stdout);
  const say = print;
  const session = 'ahp-session:/demo';
  await link.request('createSession', { channel: session, workingDirectories: [fileUri(folder)] });
  const { defaultChat: chat = '' } = await link.session(session);
  const answered = new Set<string>();
  let ended = (_: ChatState) => {};
  const answer = async (state: ChatState) => {
    const waiting = waitingIn(state);
    if (waiting?.kind !== 'approval' || answered.has(waiting.call.toolCallId)) return;
    answered.add(waiting.call.toolCallId);
    await new Promise((resolve) => {
      setTimeout(resolve, reading);
    });
    say(`${paint.green('y')} ${paint.dim('(the demo answers for you)')}\n`);
    const action = approvalAnswer(waiting, 'y');
    if (action) await link.dispatch(chat, action);
  };
  const view = new ChatView({
    paint,
    write: say,
    isOwn: () => false,
    read: async (uri) =>
      (await link.request('resourceRead', { channel: rootChannel, uri, encoding: 'utf-8' })).data,
    printed(state) {
      void answer(state);
      if (!state.activeTurn) ended(state);
    },
  });
  view.show(await link.followChat(chat, (state) => view.show(state)));
  say(
    paint.dim(`A session in ${folder}, with the built-in model: no key, no network. Nothing of it stays.\n`),
  );
  for (const [at, text] of prompts.entries()) {
    say('\n');
    const over = new Promise<ChatState>((resolve) => {
      ended = (state) => state.turns.length > at && resolve(state);
    });
    const refused = await link.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: `turn-${at}`,
      startedAt: new Date().toISOString(),
      message: { text, origin: { kind: 'user' }, model: { id: 'demo/demo' } },
    });
    if (refused !== undefined) throw new Error(refused);
    const state = await Promise.race([over, link.closed.then(() => undefined)]);
    if (!state) return 4;
    if (state.turns.at(-1)?.state !== 'complete') return 1;
  }
  say(
    paint.dim(
      '\nThat was a whole session. Start your own with parley chat, or connect an editor with parley setup.\n',
    ),
  );
  return 0;
}
