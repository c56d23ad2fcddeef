// What a client chooses for a chat, or for the chats to come.
import type { Session } from '../../../host/session/session.ts';
import { trustOption } from '../../../host/turns/turnContext.ts';
import type { SessionChanges } from '../../../model/event.ts';
import type { NotificationParams } from '../../../protocols/eca/schema.ts';
import { choose, modelOf, ownerOf } from '../outbound/catalogue.ts';
import type { Connection } from '../connection.ts';
import { announce, announceTools } from '../outbound/announce.ts';

export async function modelSelected(
  connection: Connection,
  { chatId, model, variant }: NotificationParams<'chat/selectedModelChanged'>,
): Promise<void> {
  const session = chatId === undefined ? undefined : await connection.find(chatId);
  if (session && chatId !== undefined) {
    const owner = ownerOf(connection.host.agents(connection.roots), session.head.agent, model);
    return change(
      connection,
      { session, chat: chatId, what: 'model' },
      {
        model,
        ...(owner === session.head.agent ? {} : { agent: owner }),
        ...variantOption(session.head.options, variant),
      },
    );
  }
  connection.selected = { ...connection.selected, model, variant };
  // The client knows what it chose; only what follows from it is news.
  connection.announced = { ...connection.announced, selectModel: model, selectVariant: variant ?? null };
  announce(connection);
}

/** How hard the model of a chat is to think from now on. */
export async function variantSelected(
  connection: Connection,
  { chatId, variant }: { readonly chatId: string; readonly variant: string | undefined },
): Promise<void> {
  const session = await connection.find(chatId);
  if (session)
    await change(
      connection,
      { session, chat: chatId, what: 'model' },
      variantOption(session.head.options, variant),
    );
}

export async function agentSelected(
  connection: Connection,
  { chatId, agent }: { readonly chatId: string | undefined; readonly agent: string },
): Promise<void> {
  const session = chatId === undefined ? undefined : await connection.find(chatId);
  const choice = choose(connection.host.agents(connection.roots), agent);
  if (session && choice && chatId !== undefined)
    await change(
      connection,
      { session, chat: chatId, what: 'agent' },
      agentChanges(connection, session, choice.name),
    );
  if (!session) {
    // An agent that brings its model along is chosen together with it.
    connection.selected = {
      ...connection.selected,
      agent,
      ...(choice?.model === undefined ? {} : { model: undefined }),
    };
    connection.announced = { ...connection.announced, selectAgent: agent, selectBehavior: agent };
    announce(connection);
  }
  announceTools(connection, agent);
}

/** How hard the model is to think; an option that nobody chose is left out. */
function variantOption(
  options: SessionChanges['options'],
  variant: string | undefined,
): Pick<SessionChanges, 'options'> {
  const { variant: _, ...others } = options ?? {};
  if (variant === undefined) return options?.['variant'] === undefined ? {} : { options: others };
  return { options: { ...others, variant } };
}

/** What a prompt wishes for its chat; what it does not name stays as it is. */
export function wishedOptions(
  options: NonNullable<SessionChanges['options']>,
  { variant, trust }: { readonly variant: string | undefined; readonly trust: boolean | undefined },
): Pick<SessionChanges, 'options'> {
  const wished = {
    ...(variant === undefined ? {} : { variant }),
    ...(trust === undefined ? {} : { [trustOption]: trust }),
  };
  const trusts = (given: NonNullable<SessionChanges['options']>) => given[trustOption] === true;
  const next = { ...options, ...wished };
  const same = next['variant'] === options['variant'] && trusts(next) === trusts(options);
  return same ? {} : { options: next };
}

/** What changes in a session when it is given to an agent by name. It keeps its model, unless the agent does not have that. */
export function agentChanges(connection: Connection, session: Session, name: string): SessionChanges {
  const agents = connection.host.agents(connection.roots);
  const choice = choose(agents, name);
  const { agent, mode, model } = session.head;
  if (!choice) return {};
  const keeps = choice.agent === agent && model !== undefined;
  const next = keeps ? undefined : modelOf(agents, choice.agent, [model, choice.model]);
  return {
    ...(choice.agent === agent ? {} : { agent: choice.agent }),
    ...(choice.mode === undefined || choice.mode === mode ? {} : { mode: choice.mode }),
    ...(next === undefined || next === model ? {} : { model: next }),
  };
}

/** Everybody who hears the chat is told by the log; a client that only knows its id is told here. */
async function change(
  connection: Connection,
  { session, chat, what }: { session: Session; chat: string; what: 'model' | 'agent' },
  changes: SessionChanges,
): Promise<void> {
  if (Object.keys(changes).length > 0)
    session.dispatch({ kind: 'changeSession', changes }, connection.origin);
  const heard = connection.hears(session, chat) && Object.keys(changes).length > 0;
  await session
    .settled()
    .catch((error: unknown) => connection.host.report(error, 'a choice of an ECA client'));
  if (!heard)
    connection.deliver({
      kind: 'selection',
      root: chat,
      chat,
      state: session.state,
      chosen: { what, by: connection.origin },
    });
}
