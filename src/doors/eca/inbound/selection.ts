// The client chooses a model, a variant or an agent, for one chat or for new chats.
import { present } from '../../../base/present.ts';
import type { Session } from '../../../host/session/session.ts';
import { trustOption } from '../../../host/turns/judgeIntent.ts';
import type { SessionChanges } from '../../../model/event.ts';
import type { NotificationParams } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';
import { agentWithModel, choose, modelOf } from '../outbound/catalogue.ts';

type SessionOptions = NonNullable<SessionChanges['options']>;

export async function modelSelected(
  connection: EcaConnection,
  { chatId, model, variant }: NotificationParams<'chat/selectedModelChanged'>,
): Promise<void> {
  const session = chatId === undefined ? undefined : await connection.chats.find(chatId);
  if (session && chatId !== undefined) {
    const { agent, options } = session.head;
    const owner = agentWithModel(connection.workspace.agents(), agent, model);
    const changes = {
      model,
      ...(owner === agent ? {} : { agent: owner }),
      ...variantOption(options, variant),
    };
    return changeSession(connection, { session, chat: chatId, what: 'model' }, changes);
  }
  connection.selection.chooseModel(model, variant);
  connection.updates.announcer.assume({ selectModel: model, selectVariant: variant ?? null });
  connection.updates.announcer.announce();
}

/** Sets the reasoning variant of a chat. */
export async function variantSelected(
  connection: EcaConnection,
  { chatId: chat, variant }: { readonly chatId: string; readonly variant: string | undefined },
): Promise<void> {
  const session = await connection.chats.find(chat);
  if (!session) return;
  const changes = variantOption(session.head.options, variant);
  await changeSession(connection, { session, chat, what: 'model' }, changes);
}

export async function agentSelected(
  connection: EcaConnection,
  { chatId, agent }: { readonly chatId: string | undefined; readonly agent: string },
): Promise<void> {
  const {
    workspace,
    selection,
    updates: { announcer },
  } = connection;
  const session = chatId === undefined ? undefined : await connection.chats.find(chatId);
  const choice = choose(workspace.agents(), agent);
  if (session && choice && chatId !== undefined)
    await changeSession(
      connection,
      { session, chat: chatId, what: 'agent' },
      agentChanges(connection, session, choice.name),
    );
  if (!session) {
    selection.chooseAgent(agent);
    if (choice?.model !== undefined) selection.forgetModel();
    announcer.assume({ selectAgent: agent, selectBehavior: agent });
    announcer.announce();
  }
  announcer.announceTools(agent);
}

/** The options with the variant; without a variant the option is removed. */
function variantOption(
  options: SessionOptions | undefined,
  variant: string | undefined,
): Pick<SessionChanges, 'options'> {
  const { variant: current, ...others } = options ?? {};
  if (variant !== undefined) return { options: { ...others, variant } };
  return current === undefined ? {} : { options: others };
}

/** The options that a prompt changes in its chat; empty if all stay as they are. */
export function changedOptions(
  options: SessionOptions,
  { variant, trust }: { readonly variant: string | undefined; readonly trust: boolean | undefined },
): Pick<SessionChanges, 'options'> {
  const next: SessionOptions = { ...options, ...present({ variant, [trustOption]: trust }) };
  const isTrusted = (each: SessionOptions) => each[trustOption] === true;
  const isSame = next['variant'] === options['variant'] && isTrusted(next) === isTrusted(options);
  return isSame ? {} : { options: next };
}

/**
 * What changes in a session when it switches to the agent. The model stays, unless the
 * agent does not have it.
 */
export function agentChanges(
  { workspace }: EcaConnection,
  session: Session,
  name: string,
): Pick<SessionChanges, 'agent' | 'mode' | 'model'> {
  const agents = workspace.agents();
  const choice = choose(agents, name);
  const { agent, mode, model } = session.head;
  if (!choice) return {};
  const keepsModel = choice.agent === agent && model !== undefined;
  const next = keepsModel ? model : modelOf(agents, choice.agent, [model, choice.model]);
  return present({
    agent: choice.agent === agent ? undefined : choice.agent,
    mode: choice.mode === mode ? undefined : choice.mode,
    model: next === model ? undefined : next,
  });
}

/** Clients that follow the chat are told by its log; a client that only knows its id is told here. */
async function changeSession(
  { chats, host, profile, sender }: EcaConnection,
  {
    session,
    chat,
    what,
  }: { readonly session: Session; readonly chat: string; readonly what: 'model' | 'agent' },
  changes: SessionChanges,
): Promise<void> {
  const hasChanges = Object.keys(changes).length > 0;
  const by = profile.origin;
  if (hasChanges) session.dispatch({ kind: 'changeSession', changes }, by);
  const isTold = hasChanges && chats.follows(session, chat);
  await session.settled().catch((error: unknown) => host.report(error, 'a selection of an ECA client'));
  if (!isTold)
    sender.deliver({ kind: 'selection', root: chat, chat, state: session.state, chosen: { what, by } });
}
