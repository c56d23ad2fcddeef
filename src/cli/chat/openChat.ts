// The session of `parley chat`: finds or creates it and opens it, on a screen of its own or line by line.
import { fileUri } from '../../base/fileUri.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import { errorCodes } from '../../protocols/ahp/errors.ts';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import { openHostClient } from '../client/openHostClient.ts';
import type { HostClient } from '../client/hostClient.ts';
import { UsageError } from '../say.ts';
import { findSessionById } from '../sessions/find.ts';
import type { FirstInput } from './firstInput.ts';

/** How long a host may take to hear that this client leaves, in milliseconds. */
const farewellTime = 1_000;

export interface ChatWish {
  /** As the user named it. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly resume?: boolean | undefined;
  readonly hasScreen: boolean;
  /** Takes keys since the program has started. */
  readonly input: FirstInput | undefined;
}

export async function openChat(wish: ChatWish): Promise<number> {
  const id = wish.session === undefined ? undefined : (await findSessionById(wish.session)).id;
  // A script cannot ask for the host again; a person does so with the next message.
  const link = await openHostClient({
    path: socketPath(process.env),
    startsAgain: !process.stdin.isTTY,
    tell: wish.input && ((progress) => wish.input?.tell(progress)),
    meanwhile: wish.hasScreen ? loadScreen : undefined,
  });
  try {
    const chosen = id ?? (await chosenSession(link, wish));
    if (chosen === null) return 0;
    return await (wish.hasScreen ? onScreen : inLines)({ link, wish }, chosen);
  } finally {
    link.close();
  }
}

/** The session to open; undefined for a new one, null if the user has chosen none. */
async function chosenSession(
  link: HostClient,
  { continue: continues, resume }: ChatWish,
): Promise<string | undefined | null> {
  if (!continues && !resume) return undefined;
  const { sessionChoices } = await import('./screen/sessionChoices.ts');
  if (continues) {
    const [newest] = await sessionChoices(link, process.cwd());
    if (newest) return newest.id;
    throw new Error(`There is no session in ${process.cwd()}. Leave out --continue to start one.`);
  }
  const { pickOne } = await import('./pickOne.ts');
  const sessions = await sessionChoices(link);
  if (sessions.length === 0) throw new Error('There are no sessions yet. Leave out --resume to start one.');
  return (await pickOne('Open a session', sessions))?.id ?? null;
}

interface Connected {
  readonly link: HostClient;
  readonly wish: ChatWish;
}

interface OpenedSession {
  readonly session: URI;
  readonly chat: URI;
  readonly leave: () => Promise<void>;
}

async function openSession({ link, wish }: Connected, id: string | undefined): Promise<OpenedSession> {
  const { randomUUID } = await import('node:crypto');
  const session = `ahp-session:/${encodeURIComponent(id ?? randomUUID())}`;
  const created =
    id === undefined &&
    link
      .request('createSession', {
        channel: session,
        workingDirectories: [fileUri(process.cwd())],
        ...(wish.agent === undefined ? {} : { provider: wish.agent }),
      })
      .catch(wrongArgument);
  // The host answers in order, so the first refusal is that of the new session.
  const [, { defaultChat }] = await Promise.all([created, link.session(session)]);
  if (defaultChat === undefined) throw new Error('This session has no chat.');
  const join = () =>
    void link.dispatch(session, {
      type: 'session/activeClientSet',
      activeClient: { clientId: link.clientId, displayName: 'Terminal', tools: [] },
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
    await atMost(
      farewellTime,
      link.dispatch(session, { type: 'session/activeClientRemoved', clientId: link.clientId }),
    );
  };
  return { session, chat: defaultChat, leave };
}

/** A name that the host does not know is a wrong argument, as everywhere on the command line. */
function wrongArgument(error: unknown): never {
  const isUnknownAgent =
    error instanceof Error && 'code' in error && error.code === errorCodes.providerNotFound;
  throw isUnknownAgent ? new UsageError(error.message) : error;
}

const loadScreen = () => import('./screen/chatScreen.ts');

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
  const { link, wish } = on;
  const [first, { ChatScreen }, { FirstInput }] = await Promise.all([
    openSession(on, id),
    loadScreen(),
    import('./firstInput.ts'),
  ]);
  let opened = first;
  let input = wish.input ?? new FirstInput();
  try {
    for (;;) {
      const { session, chat, leave } = opened;
      const screen = new ChatScreen({ input, link, session, chat, model: wish.model });
      const end = await screen.run();
      await leave();
      if (end.kind === 'left') {
        screen.farewell(end.code);
        process.stdin.destroy();
        (await import('../programFiles.ts')).keepLoaded();
        return end.code;
      }
      // What is no longer followed is not confirmed either, so this comes last.
      link.leave(chat);
      link.leave(session);
      input = new FirstInput();
      opened = await openSession(on, end.session);
    }
  } finally {
    input.close();
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
