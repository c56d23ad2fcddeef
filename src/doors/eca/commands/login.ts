// Signs in to a provider inside a chat: every message is an answer until it is done or cancelled. Nothing is
// stored; secrets are hidden.
import { onAbort } from '../../../base/waiting.ts';
import type { Session } from '../../../host/session/session.ts';
import type { LoginResult } from '../../../protocols/eca/messages.ts';
import type { LoginField, LoginStep } from '../../../protocols/eca/serviceMessages.ts';
import type { EcaConnection } from '../connection.ts';
import { nextField } from './loginDialogue.ts';
import type { LoginDialogue } from './loginDialogue.ts';
import { putChoice } from './loginChoice.ts';
import type { LoginChoice } from './loginChoice.ts';
import { chatPosition, say, tell } from '../outbound/message.ts';
import type { ChatPosition } from '../outbound/message.ts';
import type { EcaProviders, PortRefusal } from '../options.ts';

interface LoginChat {
  readonly session: Session;
  readonly chat: string;
}

/** Starts a dialogue; the command may name the provider. */
export async function beginLogin(
  connection: EcaConnection,
  where: LoginChat,
  { message, provider }: { readonly message: string; readonly provider: string | undefined },
): Promise<void> {
  const { providers } = connection.options;
  const position = chatPosition(where.session.state, where.chat);
  connection.sender.deliver(
    say(position, 'user', {
      type: 'text',
      text: `${message.trim()}\n`,
      contentId: connection.host.ids.next(),
    }),
  );
  if (!providers) return;
  system(connection, position, 'Signing in. Type cancel to stop.\n');
  connection.ownChats.logins.set(where.chat, {
    provider: undefined,
    method: undefined,
    fields: [],
    values: {},
  });
  if (provider === undefined) put(connection, { ...where, position }, offer(connection, providers));
  else {
    echo(connection, position, provider);
    await advance(connection, { ...where, position }, await chosen(connection, where.chat, provider));
    finish(connection, position);
  }
  status(connection, where.chat, position);
  finish(connection, position);
}

/**
 * Goes on with what the last host has begun: the client still asks its user, or waits for what the user
 * types. Only that host would have heard of a sign-in on a page of the provider.
 */
export function continueLogins(connection: EcaConnection): void {
  const { logins } = connection.ownChats;
  for (const chat of logins.chats) {
    const session = connection.chats.opened(chat);
    const { choice, isElsewhere } = logins.get(chat) ?? {};
    if (!session) {
      logins.delete(chat);
      continue;
    }
    const position = chatPosition(session.state, chat);
    if (choice) put(connection, { session, chat, position }, choice);
    if (!isElsewhere) continue;
    logins.delete(chat);
    system(
      connection,
      position,
      'The host was restarted, so the sign-in has ended. Type /login to begin again.',
    );
    finish(connection, position);
    status(connection, chat, position);
  }
}

/** Handles one answer of the user. */
export async function answerLogin(
  connection: EcaConnection,
  where: LoginChat,
  message: string,
): Promise<LoginResult> {
  const dialogue = connection.ownChats.logins.get(where.chat);
  const position = chatPosition(where.session.state, where.chat);
  const text = message.trim();
  const asked = dialogue && nextField(dialogue);
  dialogue?.asking?.abort();
  echo(connection, position, asked?.type === 'secret' && text !== 'cancel' ? '*****' : text);
  if (text === 'cancel' || !dialogue) {
    connection.ownChats.logins.delete(where.chat);
    system(connection, position, 'Login cancelled');
  } else
    await advance(
      connection,
      { ...where, position },
      asked
        ? await fill(connection, where.chat, { dialogue, asked, text })
        : await chosen(connection, where.chat, text),
    );
  finish(connection, position);
  status(connection, where.chat, position);
  return { chatId: where.chat, status: connection.ownChats.logins.has(where.chat) ? 'login' : 'idle' };
}

/** Chooses a provider, or one of its sign-in methods. */
function chosen(connection: EcaConnection, chat: string, word: string): Promise<LoginStep | PortRefusal> {
  const { providers } = connection.options;
  const dialogue = connection.ownChats.logins.get(chat);
  if (!providers || !dialogue) return Promise.resolve({ refused: 'This host does not support sign-in.' });
  const next = {
    ...dialogue,
    choice: undefined,
    isElsewhere: undefined,
    ...(dialogue.provider === undefined ? { provider: word } : { method: word }),
  };
  connection.ownChats.logins.set(chat, next);
  return providers.login(next.provider ?? word, next.method);
}

/** Asks for the next field while one is missing. */
function fill(
  connection: EcaConnection,
  chat: string,
  { dialogue, asked, text }: { dialogue: LoginDialogue; asked: LoginField; text: string },
): Promise<LoginStep | PortRefusal> {
  const { providers } = connection.options;
  const next = { ...dialogue, values: { ...dialogue.values, [asked.key]: text } };
  connection.ownChats.logins.set(chat, next);
  if (nextField(next)) return Promise.resolve({ action: 'input', fields: next.fields });
  return (
    providers?.input(next.provider ?? '', next.values) ??
    Promise.resolve({ refused: 'This host does not support sign-in.' })
  );
}

type Here = LoginChat & { readonly position: ChatPosition };

/** A client that supports questions asks its user; any other client shows the choice as text. */
function put(connection: EcaConnection, here: Here, choice: LoginChoice): void {
  const { chat, position } = here;
  const dialogue = connection.ownChats.logins.get(chat);
  if (!dialogue) return;
  if (!connection.profile.asksQuestions)
    return system(
      connection,
      position,
      [
        choice.question,
        ...choice.options.map(({ label, description }) =>
          description === undefined ? `- ${label}` : `- ${label}: ${description}`,
        ),
      ].join('\n'),
    );
  const asking = new AbortController();
  connection.ownChats.logins.set(chat, { ...dialogue, choice, asking });
  putChoice(connection, { chat, choice, signal: asking.signal })
    .then((word) =>
      connection.ownChats.logins.get(chat)?.asking === asking && !asking.signal.aborted
        ? answered(connection, here, word)
        : undefined,
    )
    .catch((error: unknown) => connection.host.report(error, 'a sign-in of an ECA client'));
}

async function answered(connection: EcaConnection, here: Here, word: string | undefined): Promise<void> {
  const { chat, position } = here;
  if (word === undefined) {
    connection.ownChats.logins.delete(chat);
    system(connection, position, 'Login cancelled');
  } else await advance(connection, here, await chosen(connection, chat, word));
  finish(connection, position);
  status(connection, chat, position);
}

async function advance(connection: EcaConnection, here: Here, step: LoginStep | PortRefusal): Promise<void> {
  const { chat, position } = here;
  const dialogue = connection.ownChats.logins.get(chat);
  if ('refused' in step || !dialogue) {
    connection.ownChats.logins.delete(chat);
    return system(connection, position, 'refused' in step ? step.refused : 'Login cancelled');
  }
  const asks = (words: string, fields: readonly LoginField[] = []) => {
    const next = { ...dialogue, fields };
    connection.ownChats.logins.set(chat, next);
    const field = nextField(next);
    system(connection, position, [words, field ? `Enter ${field.label}` : ''].filter(Boolean).join('\n\n'));
  };
  switch (step.action) {
    case 'choose-method':
      return put(connection, here, {
        id: connection.host.ids.next(),
        question: 'How do you want to sign in?',
        options: step.methods.map(({ key, label }) => ({ label: key, description: label })),
      });
    case 'input':
      return asks('', step.fields);
    case 'authorize':
      asks(`${step.message}\n${step.url}`, step.fields ?? []);
      return step.fields?.length ? undefined : awaitSignIn(connection, here);
    case 'device-code':
      asks(`${step.message}\n${step.url}\nCode: ${step.code}`);
      return awaitSignIn(connection, here);
    case 'done':
      return done(connection, here);
    default:
      return step satisfies never;
  }
}

function done(connection: EcaConnection, { chat, position }: Here): void {
  const { provider = 'the provider' } = connection.ownChats.logins.get(chat) ?? {};
  connection.ownChats.logins.delete(chat);
  system(connection, position, `Signed in to ${provider}.${shadowed(connection, provider)}`);
  connection.updates.announcer.announce();
}

/** Warns that a key from another source takes precedence over the new sign-in. */
function shadowed({ options }: EcaConnection, provider: string): string {
  const { source, envVar } = options.providers?.list().find(({ id }) => id === provider)?.auth ?? {};
  if (source !== 'env' && source !== 'config') return '';
  return (
    '\n\nWarning: the key ' +
    `${source === 'config' ? 'in your configuration' : `in ${envVar ?? 'the environment'}`} is used ` +
    'instead, as long as it is there.'
  );
}

/** A sign-in in a browser ends when the provider confirms it; the user types nothing. */
function awaitSignIn(connection: EcaConnection, here: Here): void {
  const { chat, position } = here;
  const dialogue = connection.ownChats.logins.get(chat);
  const asking = new AbortController();
  if (dialogue) connection.ownChats.logins.set(chat, { ...dialogue, isElsewhere: true, asking });
  const leave = connection.options.providers?.watch(({ id, auth }) => {
    if (
      id !== dialogue?.provider ||
      auth.status !== 'authenticated' ||
      connection.ownChats.logins.get(chat)?.asking !== asking
    )
      return;
    asking.abort();
    done(connection, here);
    finish(connection, position);
    status(connection, chat, position);
  });
  for (const signal of [asking.signal, connection.lifetime.signal]) onAbort(signal, () => leave?.());
}

function offer({ host }: EcaConnection, providers: EcaProviders): LoginChoice {
  const known = providers.list().filter(({ login }) => login);
  return {
    id: host.ids.next(),
    question: 'Which provider?',
    options: known.map(({ id, label }) => ({
      label: id,
      ...(label === undefined ? {} : { description: label }),
    })),
  };
}

function system(connection: EcaConnection, position: ChatPosition, text: string): void {
  connection.sender.deliver(say(position, 'system', { type: 'text', text }));
}

function echo(connection: EcaConnection, position: ChatPosition, text: string): void {
  connection.sender.deliver(say(position, 'user', { type: 'text', text: `${text}\n` }));
}

function finish(connection: EcaConnection, position: ChatPosition): void {
  connection.sender.deliver(say(position, 'system', { type: 'progress', state: 'finished' }));
}

function status(connection: EcaConnection, chat: string, position: ChatPosition): void {
  connection.sender.deliver(
    tell(position, 'chat/statusChanged', {
      chatId: chat,
      status: connection.ownChats.logins.has(chat) ? 'login' : 'idle',
    }),
  );
}
