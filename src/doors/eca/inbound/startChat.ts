// The chat of a prompt: a new session for a new chat, the client's choices for one that exists.
import { present } from '../../../base/present.ts';
import { isSessionId } from '../../../base/sessionId.ts';
import type { Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { Rejection } from '../../../model/command.ts';
import type { SessionChanges } from '../../../model/event.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';
import { agentWithModel, choose, modelFor, modelOf, unlistedModel } from '../outbound/catalogue.ts';
import type { AgentChoice } from '../outbound/catalogue.ts';
import type { EcaMessage } from '../outbound/message.ts';
import { isUsual } from '../outbound/replay.ts';
import { agentChanges, changedOptions } from './selection.ts';

type PromptParams = RequestParams<'chat/prompt'>;

/**
 * Creates the session of a new chat. A client that made up the chat id is told that the chat is open; any
 * other client learns the id from the response.
 */
export function startChat(connection: EcaConnection, params: PromptParams): Session | Rejection {
  const { workspace, selection, profile, chats, ownChats } = connection;
  const { chatId, variant, trust } = params;
  const choice = chosenAgent(connection, params);
  const session = connection.host.create(
    {
      roots: workspace.roots,
      ...present({
        id: chatId,
        agent: choice?.agent,
        mode: choice?.mode,
        model: choice && chosenModel(connection, choice, params.model),
      }),
      ...changedOptions(
        {},
        {
          variant: variant ?? selection.defaults.variant,
          trust: trust ?? workspace.configuration.trust,
        },
      ),
    },
    profile.origin,
  );
  if (isRejection(session)) return session;
  ownChats.started.add(session);
  if (trust === undefined && workspace.configuration.trust === true && chatId !== undefined)
    announce(connection, session, 'trust');
  if (!isUsual(session.head)) announce(connection, session, 'permissions');
  chats.follow(session, session.id, {
    accepts: (message) => chatId !== undefined || !isOpened(message),
  });
  return session;
}

function chosenAgent(
  { workspace, selection }: EcaConnection,
  { agent, behavior, model }: PromptParams,
): AgentChoice | undefined {
  const agents = workspace.agents();
  const named = choose(agents, agent ?? behavior ?? selection.defaults.agent);
  const owner = named && agentWithModel(agents, named.agent, model);
  return owner === named?.agent ? named : choose(agents, owner);
}

function chosenModel(
  { workspace, selection }: EcaConnection,
  choice: AgentChoice,
  model: string | undefined,
): string | undefined {
  const agents = workspace.agents();
  const { defaults } = selection;
  return (
    unlistedModel(agents, choice.agent, model) ??
    modelFor(agents, choice, { ...defaults, model: model ?? defaults.model })
  );
}

function isOpened(message: EcaMessage): boolean {
  return message.kind === 'notification' && message.method === 'chat/opened';
}

/** Tells the client the values that it did not choose, once the chat is open. */
function announce({ sender }: EcaConnection, session: Session, kind: 'trust' | 'permissions'): void {
  const tell = () => sender.deliver({ kind, root: session.id, chat: session.id, state: session.state });
  session.settled().then(tell, () => {});
}

/**
 * Follows an existing chat. A chat that the client had not opened keeps its agent and model, which the client
 * could not know; one that it follows takes the choices of the prompt.
 */
export function joinChat(connection: EcaConnection, session: Session, params: PromptParams): void {
  const { chats, sender, profile } = connection;
  const { chatId: chat = session.id } = params;
  if (!chats.follows(session, chat)) {
    chats.follow(session, chat);
    sender.deliver({ kind: 'selection', root: chat, chat, state: session.state });
    return;
  }
  const changes = chosenChanges(connection, session, params);
  if (Object.keys(changes).length > 0) session.dispatch({ kind: 'changeSession', changes }, profile.origin);
}

function chosenChanges(
  connection: EcaConnection,
  session: Session,
  { agent, behavior, model, variant, trust }: PromptParams,
): SessionChanges {
  const name = agent ?? behavior;
  const changes = name === undefined ? {} : agentChanges(connection, session, name);
  const agents = connection.workspace.agents();
  const nextAgent = changes.agent ?? session.head.agent;
  const owner = agentWithModel(agents, nextAgent, model);
  const nextModel =
    model === undefined
      ? undefined
      : (unlistedModel(agents, owner, model) ?? modelOf(agents, owner, [model, session.head.model]));
  return {
    ...changes,
    ...present({
      agent: owner === nextAgent ? changes.agent : owner,
      model: nextModel === session.head.model ? changes.model : (nextModel ?? changes.model),
    }),
    ...changedOptions(session.head.options, { variant, trust }),
  };
}

/** True for an id that a client may choose for a chat. `subagent-` is reserved for chats of tools. */
export function isChatId(id: string): boolean {
  return isSessionId(id) && !id.startsWith('subagent-');
}
