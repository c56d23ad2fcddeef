// Prompts: each starts a turn, waits in the queue, runs a command, or answers a sign-in.
import { NotStored } from '../../../host/session/logStore.ts';
import type { Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { Command } from '../../../model/command.ts';
import type { UserMessage } from '../../../model/event.ts';
import type { Results } from '../../../protocols/eca/messages.ts';
import type { NotificationParams, RequestParams } from '../../../protocols/eca/schema.ts';
import { forgetAfter } from '../commands/init.ts';
import { answerLogin, beginLogin } from '../commands/login.ts';
import { effectOf, showCommand } from '../commands/run.ts';
import type { CommandEffect } from '../commands/run.ts';
import type { EcaConnection } from '../connection.ts';
import { modelOf, unlistedModel } from '../outbound/catalogue.ts';
import { stageOf } from '../outbound/progress.ts';
import { isReadable, readContexts } from './promptContexts.ts';
import { messageFrom } from './promptMessage.ts';
import { isChatId, joinChat, startChat } from './startChat.ts';
import { withdrawSteering } from './steering.ts';
import type { UnsentPrompt } from './unsentPrompts.ts';

type PromptParams = RequestParams<'chat/prompt'>;
type PromptResult = Results['chat/prompt'];

/** A prompt in a chat that exists by now. */
interface ChatPrompt {
  readonly session: Session;
  readonly chat: string;
  readonly params: PromptParams;
  readonly unsent: UnsentPrompt;
}

/** Never fails as a request: the status of the result says that a prompt could not be started. */
export function prompt(connection: EcaConnection, params: PromptParams): Promise<PromptResult> {
  return connection.ownChats.unsent.track(params.chatId, (unsent) => begin(connection, params, unsent));
}

async function begin(
  connection: EcaConnection,
  params: PromptParams,
  unsent: UnsentPrompt,
): Promise<PromptResult> {
  const { lifetime, chats, ownChats } = connection;
  const { chatId, message } = params;
  if (lifetime.startup.models) await lifetime.startup.models;
  if (chatId !== undefined && !isChatId(chatId)) return failed(chatId);
  if (isEmpty(params)) return failed(chatId ?? '', connection, emptyMessage);
  const existing = chatId === undefined ? undefined : (chats.opened(chatId) ?? (await chats.look(chatId)));
  const session = existing ?? startChat(connection, params);
  if (isRejection(session)) return failed(chatId ?? '', connection, session.message);
  const chatPrompt = { session, chat: chatId ?? session.id, params, unsent };
  joinAs(connection, chatPrompt, existing === undefined);
  if (ownChats.logins.has(chatPrompt.chat)) return answerLogin(connection, chatPrompt, message);
  return connection.sender.titleFirst
    ? runTitleFirst(connection, chatPrompt, existing === undefined)
    : run(connection, chatPrompt);
}

/** A chat that the client has not opened keeps its model, which the client could not know. */
function joinAs(connection: EcaConnection, { session, chat, params }: ChatPrompt, isNew: boolean): void {
  const knowsModel = isNew || connection.chats.follows(session, chat);
  if (!isNew) joinChat(connection, session, params);
  if (knowsModel) reportMissingModel(connection, session, params.model);
}

/** Says once in each chat that another model answers instead of the one that is not there. */
function reportMissingModel(
  { sender, selection }: EcaConnection,
  { head, id }: Session,
  model: string | undefined,
): void {
  const used = head.model;
  if (model === undefined || used === model || used?.endsWith(`/${model}`)) return;
  if (!selection.noteMissing(id, model)) return;
  const message = `The model ${model} is not available. ${used ?? 'The default model'} answers instead.`;
  const content = { type: 'text', text: `\n${message}\n` } as const;
  sender.notify('chat/contentReceived', { chatId: id, role: 'system', content });
  sender.notify('$/showMessage', { type: 'warning', message });
}

function isEmpty({ message, contexts }: PromptParams): boolean {
  return message.trim() === '' && contexts.every((context) => context === undefined);
}

const emptyMessage = 'The message is empty. Type something, or attach a context.';

function run(connection: EcaConnection, chatPrompt: ChatPrompt): Promise<PromptResult> {
  return isCommand(chatPrompt) ? runCommand(connection, chatPrompt) : send(connection, chatPrompt);
}

function isCommand({ params }: ChatPrompt): boolean {
  return params.message.trimStart().startsWith('/');
}

/** In the fixed order that `env: "test"` asks for, a prompt is answered when its turn is over. */
async function runTitleFirst(
  connection: EcaConnection,
  chatPrompt: ChatPrompt,
  isNew: boolean,
): Promise<PromptResult> {
  const { session, chat } = chatPrompt;
  const { host, sender, workspace } = connection;
  const isNamed = host.settings?.of(workspace.roots).prompts?.titles !== false;
  if (!isCommand(chatPrompt) && (isNew || isThird(session, chat)) && isNamed) sender.titleFirst?.begin(chat);
  const result = await run(connection, chatPrompt);
  await untilIdle(session, chat);
  const held = await sender.titleFirst?.end({
    session,
    chat,
    after: (milliseconds, call) => host.clock.after(milliseconds, call),
  });
  for (const message of held ?? []) sender.deliver(message);
  return result;
}

/** The title may change with the third message. */
function isThird(session: Session, chat: string): boolean {
  const { active, turns = [] } = session.state.chats[chat] ?? {};
  return !active && turns.length === 2;
}

/** A prompt that waits for the user gets its response anyway. */
function untilIdle(session: Session, chat: string): Promise<void> {
  return until(session, () => {
    const { active, asks = {} } = session.state.chats[chat] ?? { active: undefined };
    return !active || Object.keys(asks).length > 0;
  });
}

/**
 * The response follows everything that the command shows. A command for the agent is sent like any message.
 */
async function runCommand(connection: EcaConnection, chatPrompt: ChatPrompt): Promise<PromptResult> {
  const { session, chat, params } = chatPrompt;
  const { message } = params;
  const login = /^\s*\/login(?:\s+(\S+))?\s*$/.exec(message);
  if (login && connection.options.providers) {
    await session.settled();
    await beginLogin(connection, { session, chat }, { message, provider: login[1] });
    return accepted(connection, session, chat);
  }
  const effect = await effectOf(connection, { session, chat, message });
  if (!effect || 'pass' in effect) return send(connection, chatPrompt);
  if ('ask' in effect) return send(connection, chatPrompt, effect);
  await session.settled();
  showCommand(connection, { session, chat }, { message, ...effect });
  return accepted(connection, session, chat);
}

export function stopPrompt(
  { chats, host, ownChats }: EcaConnection,
  { chatId }: NotificationParams<'chat/promptStop'>,
): void {
  if (!chats.opened(chatId)?.head.chats[chatId]?.active) ownChats.unsent.stop(chatId);
  chats.dispatch(chatId, { kind: 'stopTurn', chat: chatId, next: host.ids.next() });
}

/**
 * Starts a turn, or queues the message behind the running one. The response follows the
 * events of the message.
 */
async function send(
  connection: EcaConnection,
  { session, chat, params, unsent }: ChatPrompt,
  command?: Extract<CommandEffect, { readonly ask: string }>,
): Promise<PromptResult> {
  const { host, profile, workspace, sender, lifetime } = connection;
  const contexts = params.contexts.some(isReadable)
    ? await readContexts(connection, params.contexts)
    : params.contexts;
  const message = messageFrom(
    { ...params, contexts },
    { id: host.ids.next(), roots: session.head.roots, command: command?.ask },
  );
  if (message.text === '' && !message.attachments) return failed(chat, connection, emptyMessage);
  if (!session.head.chats[chat]?.active) withdrawSteering(connection, { chatId: chat });
  await workspace.knowledgeRead();
  if (sender.titleFirst) lifetime.onEnd(host.workbenches.lend(message.id, { fixedOrder: true }));
  const start = startOrQueue(connection, session, { chat, message });
  const rejection = session.dispatch(start, profile.origin);
  if (rejection) return failed(chat, connection, rejection.message);
  if (unsent.isStopped && start.kind === 'startTurn')
    session.dispatch({ kind: 'stopTurn', chat, turn: start.turn, next: host.ids.next() }, profile.origin);
  if (command?.forgets) forgetAfter(connection, { session, chat, message: message.id });
  try {
    await session.settled();
    await untilStarted(session, chat, message.id);
  } catch (error) {
    if (!(error instanceof NotStored)) throw error;
    return failed(chat, connection, error.message);
  }
  return accepted(connection, session, chat);
}

function startOrQueue(
  { host }: EcaConnection,
  session: Session,
  { chat, message }: { readonly chat: string; readonly message: UserMessage },
): Command {
  const { active, queue } = session.head.chats[chat] ?? { active: undefined, queue: [] };
  const turn = host.ids.next();
  return active !== undefined || queue.length > 0
    ? { kind: 'queueMessage', chat, lane: 'queue', message, turn }
    : { kind: 'startTurn', chat, turn, message, orQueue: true };
}

/** Resolves after the hooks of the turn have run; immediately for a message in the queue. */
function untilStarted(session: Session, chat: string, message: string): Promise<void> {
  return until(
    session,
    () =>
      session.state.chats[chat]?.active?.message.id !== message || stageOf(session.state, chat) === 'agent',
  );
}

function until(session: Session, isReached: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isReached()) return resolve();
    const leave = session.follow(() => {
      if (!isReached()) return;
      leave();
      resolve();
    });
  });
}

function accepted({ host }: EcaConnection, session: Session, chatId: string): PromptResult {
  const { agent, model } = session.head;
  const agents = host.agents();
  const current = unlistedModel(agents, agent, model) ?? modelOf(agents, agent, [model]) ?? agent;
  return { chatId, model: current, status: 'prompting' };
}

function failed(chatId: string, connection?: EcaConnection, message?: string): PromptResult {
  if (connection && message !== undefined)
    connection.sender.notify('$/showMessage', { type: 'error', message });
  return { chatId, model: 'error', status: 'error' };
}
