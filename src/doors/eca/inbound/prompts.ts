// Prompts and what interrupts them: begin, queue, steer, stop.
import type { Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { UserMessage } from '../../../model/event.ts';
import type { Results } from '../../../protocols/eca/messages.ts';
import type { NotificationParams, RequestParams } from '../../../protocols/eca/schema.ts';
import { choose, modelFor, modelOf, ownerOf, unlisted } from '../outbound/catalogue.ts';
import type { Connection } from '../connection.ts';
import { answerLogin, beginLogin } from '../commands/login.ts';
import { forgetAfter } from '../commands/init.ts';
import { effectOf, showCommand } from '../commands/run.ts';
import type { Effect } from '../commands/run.ts';
import { isChatId, messageFrom } from './toCommand.ts';
import type { EcaMessage } from '../outbound/message.ts';
import { stageOf } from '../outbound/progress.ts';
import { recall } from './rememberedApprovals.ts';
import { agentChanges, wishedOptions } from './selection.ts';

type Params = RequestParams<'chat/prompt'>;
type Result = Results['chat/prompt'];
type Asked = Extract<Effect, { readonly ask: string }>;

/** Never an error of the request: a prompt that cannot be begun says so in its status. */
export async function prompt(connection: Connection, params: Params): Promise<Result> {
  const { chatId } = params;
  if (connection.ready) await connection.ready;
  if (chatId !== undefined && !isChatId(chatId)) return failed(chatId);
  if (params.message.trim() === '' && !params.contexts.some((context) => context !== undefined))
    return failed(chatId ?? '', connection, 'There is nothing in that message.');
  const known =
    chatId === undefined ? undefined : (connection.opened(chatId) ?? (await connection.find(chatId)));
  const session = known ?? begin(connection, params);
  if (typeof session === 'string') return failed(chatId ?? '', connection, session);
  const chat = chatId ?? session.id;
  if (known) join(connection, known, { ...params, chatId: chat });
  if (connection.logins.has(chat)) return answerLogin(connection, { session, chat }, params.message);
  const isCommand = params.message.trimStart().startsWith('/');
  if (!isCommand && (!known || isThird(known, chat)) && isNamed(connection))
    connection.titleFirst?.begin(chat);
  const result = await (isCommand ? runCommand : send)(connection, session, { ...params, chatId: chat });
  if (connection.titleFirst) await wholeTurn(connection, session, chat);
  return result;
}

/** Whether chats get titles by themselves. */
function isNamed({ host, roots }: Connection): boolean {
  return host.settings?.of(roots).prompts?.titles !== false;
}

/** With its third message a chat may be named anew. */
function isThird(session: Session, chat: string): boolean {
  const { active, turns = [] } = session.state.chats[chat] ?? {};
  return !active && turns.length === 2;
}

/** In the fixed order that `env: "test"` asks for, a prompt is answered when its turn is over. */
async function wholeTurn(connection: Connection, session: Session, chat: string): Promise<void> {
  await untilIdle(session, chat);
  const { clock } = connection.host;
  const held = await connection.titleFirst?.end({
    session,
    chat,
    after: (milliseconds, call) => clock.after(milliseconds, call),
  });
  for (const message of held ?? []) connection.deliver(message);
}

/** A turn that programs of the user come before begins after them; one that waits for another is not waited for. */
function untilBegun(session: Session, chat: string, message: string): Promise<void> {
  return until(
    session,
    () =>
      session.state.chats[chat]?.active?.message.id !== message || stageOf(session.state, chat) === 'agent',
  );
}

/** A prompt that waits for somebody is answered all the same. */
function untilIdle(session: Session, chat: string): Promise<void> {
  return until(session, () => {
    const { active, asks = {} } = session.state.chats[chat] ?? { active: undefined };
    return !active || Object.keys(asks).length > 0;
  });
}

function until(session: Session, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (holds()) return resolve();
    const leave = session.follow(() => {
      if (!holds()) return;
      leave();
      resolve();
    });
  });
}

/** A command is answered after all that it says; one that is for the agent is a message like any other. */
async function runCommand(
  connection: Connection,
  session: Session,
  { chatId: chat = session.id, ...params }: Params,
): Promise<Result> {
  const { message } = params;
  const login = /^\s*\/login(?:\s+(\S+))?\s*$/.exec(message);
  const effect =
    login && connection.options.providers
      ? undefined
      : await effectOf(connection, { session, chat, message });
  if (!login && (!effect || 'pass' in effect)) return send(connection, session, { ...params, chatId: chat });
  if (effect && 'ask' in effect)
    return send(connection, session, { ...params, chatId: chat, command: effect });
  await session.settled();
  if (effect && 'say' in effect) showCommand(connection, { session, chat }, { message, ...effect });
  else await beginLogin(connection, { session, chat }, { message, provider: login?.[1] });
  return { chatId: chat, model: modelNow(connection, session), status: 'prompting' };
}

export function stop(connection: Connection, { chatId }: NotificationParams<'chat/promptStop'>): void {
  connection.dispatch(chatId, { kind: 'stopTurn', chat: chatId, next: connection.host.ids.next() });
}

/** Steering is for a turn that runs; without one the client sends a prompt instead. */
export function steer(
  connection: Connection,
  { chatId, message }: NotificationParams<'chat/promptSteer'>,
): void {
  if (!connection.opened(chatId)?.head.chats[chatId]?.active) return;
  const steering = messageFrom({ message, contexts: [] }, { id: connection.host.ids.next() });
  connection.steering.set(chatId, (connection.steering.get(chatId) ?? new Set()).add(steering.id));
  connection.dispatch(chatId, {
    kind: 'queueMessage',
    chat: chatId,
    lane: 'steer',
    message: steering,
    turn: connection.host.ids.next(),
  });
}

/** Takes back what this client sent and the agent has not taken yet. */
export function unsteer(connection: Connection, chat: string): void {
  const waiting = connection.opened(chat)?.head.chats[chat]?.steering ?? [];
  const own = connection.steering.get(chat);
  for (const { id } of waiting)
    if (own?.has(id)) connection.dispatch(chat, { kind: 'withdrawMessage', chat, message: id });
  connection.steering.delete(chat);
}

/** A new session, or why there is none. A client that made up the id is told that the chat is open now; one that did not learns it from the answer. */
function begin(
  connection: Connection,
  { chatId, agent, behavior, model, variant, trust }: Params,
): Session | string {
  const agents = connection.host.agents(connection.roots);
  const named = choose(agents, agent ?? behavior ?? connection.defaults.agent);
  const owner = named && ownerOf(agents, named.agent, model);
  const choice = owner === named?.agent ? named : choose(agents, owner);
  const { defaults } = connection;
  const chosen =
    choice &&
    (unlisted(agents, choice.agent, model) ??
      modelFor(agents, choice, { ...defaults, model: model ?? defaults.model }));
  const session = connection.host.create(
    {
      roots: connection.roots,
      ...(chatId === undefined ? {} : { id: chatId }),
      ...(choice ? { agent: choice.agent } : {}),
      ...(choice?.mode === undefined ? {} : { mode: choice.mode }),
      ...(chosen === undefined ? {} : { model: chosen }),
      ...wishedOptions(
        {},
        { variant: variant ?? connection.defaults.variant, trust: trust ?? connection.configured.trust },
      ),
    },
    connection.origin,
  );
  if (isRejection(session)) return session.message;
  const announces = (message: EcaMessage) =>
    message.kind === 'notification' && message.method === 'chat/opened';
  connection.begun.add(session.id);
  recall(connection, session);
  if (trust === undefined && connection.configured.trust === true && chatId !== undefined)
    inheritTrust(connection, session);
  connection.hearings.start(session, session.id, (message) => chatId !== undefined || !announces(message));
  return session;
}

/** The client did not ask for trust, so it is told, once the chat is open for it. */
function inheritTrust(connection: Connection, session: Session): void {
  const tell = () =>
    connection.deliver({ kind: 'trust', root: session.id, chat: session.id, state: session.state });
  session.settled().then(tell, () => {});
}

/** A chat of somebody else keeps its agent and model, which this client could not know; one it had open follows its choice. */
function join(
  connection: Connection,
  session: Session,
  { chatId: chat = session.id, agent, behavior, model, variant, trust }: Params,
): void {
  if (!connection.hears(session, chat)) {
    connection.hear(session, chat);
    connection.deliver({ kind: 'selection', root: chat, chat, state: session.state });
    return;
  }
  const name = agent ?? behavior;
  const changes = name === undefined ? {} : agentChanges(connection, session, name);
  const agents = connection.host.agents(connection.roots);
  const now = changes.agent ?? session.head.agent;
  const owner = ownerOf(agents, now, model);
  const wanted = unlisted(agents, owner, model) ?? modelOf(agents, owner, [model, session.head.model]);
  const moved = owner === now ? changes : { ...changes, agent: owner };
  const modelled =
    model === undefined || wanted === undefined || wanted === session.head.model
      ? moved
      : { ...moved, model: wanted };
  const all = { ...modelled, ...wishedOptions(session.head.options, { variant, trust }) };
  if (Object.keys(all).length > 0)
    session.dispatch({ kind: 'changeSession', changes: all }, connection.origin);
}

/** Begins the turn, or lets the message wait behind the one that runs. The answer follows what the log says of it. */
async function send(
  connection: Connection,
  session: Session,
  { chatId: chat = session.id, command, ...params }: Params & { readonly command?: Asked },
): Promise<Result> {
  const { host, origin } = connection;
  const contexts = await withResources(connection, params.contexts);
  const message = messageFrom(
    { ...params, contexts },
    { id: host.ids.next(), roots: session.head.roots, command: command?.ask },
  );
  if (message.text === '' && !message.attachments)
    return failed(chat, connection, 'There is nothing in that message.');
  if (!session.head.chats[chat]?.active) unsteer(connection, chat);
  await connection.known;
  const refused = session.dispatch(startOrQueue(connection, session, { chat, message }), origin);
  if (refused) return failed(chat, connection, refused.message);
  if (command?.forgets) forgetAfter(connection, { session, chat, message: message.id });
  try {
    await session.settled();
    await untilBegun(session, chat, message.id);
  } catch {
    return failed(chat, connection, 'The message could not be stored.');
  }
  return { chatId: chat, model: modelNow(connection, session), status: 'prompting' };
}

/** What MCP servers offer and what pictures show is read for the message; what cannot be read stays an address. */
async function withResources(
  { options: { mcp, picture, repoMap }, roots, configured }: Connection,
  contexts: Params['contexts'],
): Promise<Params['contexts']> {
  if (
    !contexts.some(
      (context) => context?.type === 'mcpResource' || context?.type === 'file' || context?.type === 'repoMap',
    )
  )
    return contexts;
  return Promise.all(
    contexts.map(async (context) => {
      if (context?.type === 'repoMap')
        return repoMap && roots.length > 0
          ? {
              type: 'text' as const,
              label: 'Map of the workspace',
              content: await repoMap(roots, configured.index),
            }
          : context;
      if (context?.type === 'file') {
        const shown = await picture?.(context.path);
        return shown ? { type: 'image' as const, ...shown } : context;
      }
      const read = context?.type === 'mcpResource' ? await mcp?.read(context.uri, roots) : undefined;
      return context?.type === 'mcpResource' && read && 'text' in read
        ? { type: 'text' as const, label: context.name ?? context.uri, content: read.text }
        : context;
    }),
  );
}

function modelNow({ host }: Connection, { head: { agent, model } }: Session): string {
  const agents = host.agents();
  return unlisted(agents, agent, model) ?? modelOf(agents, agent, [model]) ?? agent;
}

function startOrQueue(
  { host }: Connection,
  session: Session,
  { chat, message }: { chat: string; message: UserMessage },
) {
  const { active, queue } = session.head.chats[chat] ?? { active: undefined, queue: [] };
  const waits = active !== undefined || queue.length > 0;
  const turn = host.ids.next();
  return waits
    ? ({ kind: 'queueMessage', chat, lane: 'queue', message, turn } as const)
    : ({ kind: 'startTurn', chat, turn, message } as const);
}

function failed(chatId: string, connection?: Connection, why?: string): Result {
  if (connection && why !== undefined) connection.tell('$/showMessage', { type: 'error', message: why });
  return { chatId, model: 'error', status: 'error' };
}
