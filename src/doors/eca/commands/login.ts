// Signing in to a provider in a chat: every message is an answer until it is done or cancelled. Nothing of it is stored, and secrets are not shown.
import type { Session } from '../../../host/session.ts';
import type { LoginResult } from '../../../protocols/eca/messages.ts';
import type { LoginField, LoginStep } from '../../../protocols/eca/serviceMessages.ts';
import type { Connection, LoginDialogue } from '../connection.ts';
import { announce } from '../announce.ts';
import { placeOf, say, tell } from '../message.ts';
import type { Place } from '../message.ts';
import type { Providers, Refused } from '../options.ts';

interface Where {
  readonly session: Session;
  readonly chat: string;
}

/** Begins a dialogue; the provider may be named already. */
export async function beginLogin(connection: Connection, where: Where, { message, provider }: { readonly message: string; readonly provider: string | undefined }): Promise<void> {
  const { providers } = connection.options;
  const place = placeOf(where.session.state, where.chat);
  connection.deliver(say(place, 'user', { type: 'text', text: `${message.trim()}\n`, contentId: connection.host.ids.next() }));
  if (!providers) return;
  system(connection, place, 'Signing in; type cancel at any time to stop.\n');
  connection.logins.set(where.chat, { provider: undefined, method: undefined, fields: [], given: {} });
  if (provider === undefined) system(connection, place, offer(providers));
  else {
    echo(connection, place, provider);
    await advance(connection, { ...where, place }, await chosen(connection, where.chat, provider));
    finish(connection, place);
  }
  status(connection, where.chat, place);
  finish(connection, place);
}

/** One answer of the user. */
export async function answerLogin(connection: Connection, where: Where, message: string): Promise<LoginResult> {
  const dialogue = connection.logins.get(where.chat);
  const place = placeOf(where.session.state, where.chat);
  const text = message.trim();
  const asked = dialogue && nextField(dialogue);
  echo(connection, place, asked?.type === 'secret' && text !== 'cancel' ? '*****' : text);
  if (text === 'cancel' || !dialogue) {
    connection.logins.delete(where.chat);
    system(connection, place, 'Login cancelled');
  } else await advance(connection, { ...where, place }, asked ? await given(connection, where.chat, { dialogue, asked, text }) : await chosen(connection, where.chat, text));
  finish(connection, place);
  status(connection, where.chat, place);
  return { chatId: where.chat, status: connection.logins.has(where.chat) ? 'login' : 'idle' };
}

/** A provider, or one of its ways to sign in. */
function chosen(connection: Connection, chat: string, word: string): Promise<LoginStep | Refused> {
  const { providers } = connection.options;
  const dialogue = connection.logins.get(chat);
  if (!providers || !dialogue) return Promise.resolve({ refused: 'Signing in is not possible here.' });
  const next = dialogue.provider === undefined ? { ...dialogue, provider: word } : { ...dialogue, method: word };
  connection.logins.set(chat, next);
  return providers.login(next.provider ?? word, next.method);
}

/** Asks for the next field while one is missing. */
function given(connection: Connection, chat: string, { dialogue, asked, text }: { dialogue: LoginDialogue; asked: LoginField; text: string }): Promise<LoginStep | Refused> {
  const { providers } = connection.options;
  const next = { ...dialogue, given: { ...dialogue.given, [asked.key]: text } };
  connection.logins.set(chat, next);
  if (nextField(next)) return Promise.resolve({ action: 'input', fields: next.fields });
  return providers?.input(next.provider ?? '', next.given) ?? Promise.resolve({ refused: 'Signing in is not possible here.' });
}

async function advance(connection: Connection, { chat, place }: Where & { readonly place: Place }, step: LoginStep | Refused): Promise<void> {
  const dialogue = connection.logins.get(chat);
  if ('refused' in step || !dialogue) {
    connection.logins.delete(chat);
    return system(connection, place, 'refused' in step ? step.refused : 'Login cancelled');
  }
  const asks = (words: string, fields: readonly LoginField[] = []) => {
    const next = { ...dialogue, fields };
    connection.logins.set(chat, next);
    const field = nextField(next);
    system(connection, place, [words, field ? `Enter ${field.label}` : ''].filter(Boolean).join('\n\n'));
  };
  switch (step.action) {
    case 'choose-method': return asks(`How do you want to sign in?\n${step.methods.map(({ key, label }) => `- ${key}: ${label}`).join('\n')}`);
    case 'input': return asks('', step.fields);
    case 'authorize': return asks(`${step.message}\n${step.url}`, step.fields ?? []);
    case 'device-code': return asks(`${step.message}\n${step.url}\nCode: ${step.code}`);
    case 'done':
      connection.logins.delete(chat);
      system(connection, place, `Signed in to ${dialogue.provider ?? 'the provider'}.`);
      return announce(connection);
    default: return step satisfies never;
  }
}

function nextField({ fields, given: known }: LoginDialogue): LoginField | undefined {
  return fields.find(({ key }) => !Object.hasOwn(known, key));
}

function offer(providers: Providers): string {
  return `Which provider?\n${providers.list().filter(({ login }) => login).map(({ id, label }) => `- ${id}${label === undefined ? '' : `: ${label}`}`).join('\n')}`;
}

function system(connection: Connection, place: Place, text: string): void {
  connection.deliver(say(place, 'system', { type: 'text', text }));
}

function echo(connection: Connection, place: Place, text: string): void {
  connection.deliver(say(place, 'user', { type: 'text', text: `${text}\n` }));
}

function finish(connection: Connection, place: Place): void {
  connection.deliver(say(place, 'system', { type: 'progress', state: 'finished' }));
}

function status(connection: Connection, chat: string, place: Place): void {
  connection.deliver(tell(place, 'chat/statusChanged', { chatId: chat, status: connection.logins.has(chat) ? 'login' : 'idle' }));
}
