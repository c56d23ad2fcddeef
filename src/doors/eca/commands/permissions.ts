// Chooses the permission mode of a chat. ECA has no picker for it, and its agents are other things, so the
// client asks its user.
import { autonomyLabel, autonomyTexts, isAutonomy } from '../../../host/settings/autonomy.ts';
import { autonomyLevels } from '../../../model/event.ts';
import { modeChooser } from '../../../model/howItRan.ts';
import type { State } from '../../../model/state.ts';
import type { EcaConnection } from '../connection.ts';
import { chatPosition, say } from '../outbound/message.ts';
import { permissionsText } from '../outbound/permissionsText.ts';
import { putChoice } from './loginChoice.ts';
import type { LoginChoice } from './loginChoice.ts';
import type { CommandCall, CommandEffect } from './run.ts';

/** The host answers a named mode, and lists the modes for a client that cannot ask. */
export function permissions(call: CommandCall): CommandEffect {
  const { connection, session, args } = call;
  if (args.length > 0 || !connection.profile.asksQuestions) return { pass: true };
  void chooseMode(call, connection.host.ids.next());
  return { say: `${permissionsText(session.state)} Choose another, or cancel to keep it.` };
}

/** Repeats the questions of the last host that have no answer yet. */
export function continueModeQuestions(connection: EcaConnection): void {
  const { chats, ownChats } = connection;
  for (const [chat, id] of ownChats.modeQuestions.all) {
    const session = chats.opened(chat);
    if (session) void chooseMode({ connection, session, chat }, id);
    else ownChats.modeQuestions.end(chat, id);
  }
}

async function chooseMode(
  { connection, session, chat }: Pick<CommandCall, 'connection' | 'session' | 'chat'>,
  id: string,
): Promise<void> {
  const { lifetime, profile, sender, ownChats } = connection;
  ownChats.modeQuestions.begin(chat, id);
  const choice = choiceIn(session.state, id);
  const label = await putChoice(connection, { chat, choice, signal: lifetime.signal });
  ownChats.modeQuestions.end(chat, id);
  const level = autonomyLevels.find((each) => autonomyLabel(each) === label || each === label);
  if (!isAutonomy(level)) return;
  const refused = session.dispatch({ kind: 'changeSession', changes: { autonomy: level } }, profile.origin);
  await session.settled().catch(() => undefined);
  const { state } = session;
  const text = refused?.message ?? permissionsText(state);
  sender.deliver(say(chatPosition(state, chat), 'system', { type: 'text', text: `\n${text}\n` }));
}

function choiceIn({ autonomy }: State, id: string): LoginChoice {
  const used = autonomy?.level ?? 'ask';
  const by = autonomy ? ` (in use, chosen by ${modeChooser(autonomy)})` : ' (in use)';
  return {
    id,
    question: 'What may run without asking?',
    options: autonomyLevels.map((level) => ({
      label: autonomyLabel(level),
      description: `${autonomyTexts[level].meaning}${level === used ? by : ''}`,
    })),
  };
}
