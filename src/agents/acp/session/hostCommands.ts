// The slash commands that the host has for every external agent. A name that the agent has, too, goes to the
// agent as /agent:name.
import type { AgentInfo, TurnContext } from '../../../host/agent.ts';
import { sessionCommands } from '../../../host/turns/sessionCommands.ts';
import { redoTurn, revertCommands, revertScope, revertTurn } from '../../../host/turns/revertTurn.ts';
import type { RevertTurnOptions } from '../../../host/turns/revertTurn.ts';
import type { Outcome, UserMessage } from '../../../model/event.ts';

type Commands = NonNullable<AgentInfo['commands']>;

const hostCommands: Commands = [...sessionCommands, ...revertCommands];

const prefix = 'agent:';

/** The commands of the host and those of the agent. */
export function allCommands(own: Commands): Commands {
  const isTaken = (name: string) => hostCommands.some((command) => command.name === name);
  const renamed = own.map((command) =>
    isTaken(command.name) ? { ...command, name: `${prefix}${command.name}` } : command,
  );
  return [...hostCommands, ...renamed];
}

/** Runs the commands that revert and redo a turn; undefined if the message is for the agent. */
export function runHostCommand(
  context: TurnContext,
  record: RevertTurnOptions['record'],
): Promise<Outcome> | undefined {
  const [, name, rest = ''] = /^\s*\/(undo|redo)(?:\s+(\w*)\s*)?$/.exec(context.message.text) ?? [];
  if (name === 'redo' && rest === '') return redoTurn(context, {});
  const scope = name === 'undo' ? revertScope(rest) : undefined;
  return scope && revertTurn(context, { record, ...scope });
}

/** The message as the agent gets it. */
export function forAgent(message: UserMessage): UserMessage {
  const text = message.text.replace(/^\s*\/agent:(?=[\w-])/, '/');
  return text === message.text ? message : { ...message, text };
}
