// `parley chat`: finds or creates the session and opens it, on a screen of its own or line by line.
import { randomUUID } from 'node:crypto';
import { didYouMean } from '../../base/nearest.ts';
import { fileUri } from '../../base/fileUri.ts';
import { isAutonomy } from '../../host/settings/autonomy.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import { autonomyLevels } from '../../model/event.ts';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import { openHostClient } from '../client/openHostClient.ts';
import type { HostClient } from '../client/hostClient.ts';
import { readArgs, noMore, UsageError } from '../say.ts';
import { findSessionById } from '../sessions/find.ts';

/** How long a host may take to hear that this client leaves, in milliseconds. */
const farewellTime = 1_000;

const flags = {
  agent: { type: 'string' },
  model: { type: 'string' },
  mode: { type: 'string' },
  continue: { type: 'boolean' },
  resume: { type: 'boolean' },
  plain: { type: 'boolean' },
} as const;

interface ChatWish {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly plain?: boolean | undefined;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, flags);
  if (values.mode !== undefined && !isAutonomy(values.mode)) throw new UsageError(unknownMode(values.mode));
  const [wanted, ...more] = positionals;
  noMore(more);
  if ([wanted !== undefined, values.continue, values.resume].filter(Boolean).length > 1)
    throw new UsageError('Use only one of SESSION, --continue and --resume.');
  const hasScreen = canDraw(values);
  if (values.resume && !hasScreen)
    throw new UsageError('--resume needs a terminal to choose on. Name the session instead.');
  const id = wanted === undefined ? undefined : (await findSessionById(wanted)).id;
  const clientId = `chat-${randomUUID()}`;
  // A script cannot ask for the host again; a person does so with the next message.
  const link = await openHostClient({
    clientId,
    path: socketPath(process.env),
    startsAgain: !process.stdin.isTTY,
  });
  try {
    const chosen = id ?? (await chosenSession(link, values));
    if (chosen === null) return 0;
    return await (hasScreen ? onScreen : inLines)({ link, clientId, wish: values }, chosen);
  } finally {
    link.close();
  }
}

/** A region that is redrawn needs a terminal that can move the cursor. */
function canDraw({ plain = false }: ChatWish): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && !plain && process.env['TERM'] !== 'dumb';
}

/** The session to open; undefined for a new one, null if the user has chosen none. */
async function chosenSession(
  link: HostClient,
  { continue: continues, resume }: { readonly continue?: boolean; readonly resume?: boolean },
): Promise<string | undefined | null> {
  if (!continues && !resume) return undefined;
  const { sessionChoices } = await import('./screen/sessionChoices.ts');
  if (continues) {
    const [newest] = await sessionChoices(link, process.cwd());
    if (newest) return newest.id;
    throw new Error(`There is no session in ${process.cwd()}. Leave out --continue to start one.`);
  }
  const { pickOne } = await import('./screen/pickOne.ts');
  const sessions = await sessionChoices(link);
  if (sessions.length === 0) throw new Error('There are no sessions yet. Leave out --resume to start one.');
  return (await pickOne('Open a session', sessions))?.id ?? null;
}

interface Connected {
  readonly link: HostClient;
  readonly clientId: string;
  readonly wish: ChatWish;
}

interface OpenedSession {
  readonly session: URI;
  readonly chat: URI;
  readonly leave: () => Promise<void>;
}

async function openSession(
  { link, clientId, wish }: Connected,
  id: string | undefined,
): Promise<OpenedSession> {
  const session = `ahp-session:/${encodeURIComponent(id ?? randomUUID())}`;
  const created =
    id === undefined &&
    link.request('createSession', {
      channel: session,
      workingDirectories: [fileUri(process.cwd())],
      ...(wish.agent === undefined ? {} : { provider: wish.agent }),
    });
  // The host answers in order, so the first refusal is that of the new session.
  const [, { defaultChat }] = await Promise.all([created, link.session(session)]);
  if (defaultChat === undefined) throw new Error('This session has no chat.');
  const join = () =>
    void link.dispatch(session, {
      type: 'session/activeClientSet',
      activeClient: { clientId, displayName: 'Terminal', tools: [] },
    });
  // Other clients see that this one is connected, and when it leaves.
  join();
  const stop = link.onConnection((isOnline) => isOnline && join());
  const config = wish.mode === undefined ? undefined : { permissions: wish.mode };
  const refused = config && (await link.dispatch(session, { type: 'session/configChanged', config }));
  if (refused) throw new Error(refused);
  const leave = async () => {
    stop();
    if (!link.isOnline) return;
    // A host that hangs, or dies at this moment, says nothing.
    await atMost(farewellTime, link.dispatch(session, { type: 'session/activeClientRemoved', clientId }));
  };
  return { session, chat: defaultChat, leave };
}

async function inLines(on: Connected, id: string | undefined): Promise<number> {
  const { link, wish } = on;
  const { chat, leave } = await openSession(on, id);
  const { PlainChat } = await import('./plainChat.ts');
  const code = await new PlainChat(link, chat, wish.model).talk(id !== undefined);
  await leave();
  return code;
}

/** Opens one session after the other until the user leaves. */
async function onScreen(on: Connected, id: string | undefined): Promise<number> {
  const { link, clientId, wish } = on;
  // The screen is loaded while the host opens the session.
  const [first, { ChatScreen }] = await Promise.all([openSession(on, id), import('./screen/chatScreen.ts')]);
  let opened = first;
  for (;;) {
    const { session, chat, leave } = opened;
    const screen = new ChatScreen({ link, client: clientId, session, chat, model: wish.model });
    const end = await screen.run();
    await leave();
    if (end.kind === 'left') {
      screen.farewell(end.code);
      process.stdin.destroy();
      return end.code;
    }
    // What is no longer followed is not confirmed either, so this comes last.
    link.leave(chat);
    link.leave(session);
    opened = await openSession(on, end.session);
  }
}

async function atMost(time: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, time);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function unknownMode(word: string): string {
  const similar = didYouMean(word, autonomyLevels);
  return `Unknown permission mode "${word}".${similar} Use one of: ${autonomyLevels.join(', ')}.`;
}
