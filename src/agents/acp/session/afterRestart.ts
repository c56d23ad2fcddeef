// The turn of an agent that waited for a user when the host ended. Its program ended with the host, so it
// gets the answer with a message that asks it to go on; if it asks the same again, that counts as answered.
import { present } from '../../../base/present.ts';
import type { RecoveredAnswer, TurnContext } from '../../../host/agent.ts';
import { allows } from '../../../model/event.ts';
import type { EndedTurn, Turn } from '../../../model/state.ts';

/** Waits for the answers. A turn that has not begun is returned as it is: its message was not sent yet. */
export async function afterRestart(context: TurnContext, name: string): Promise<TurnContext> {
  const before = activeTurn(context);
  const hasBegun = before?.items.some(({ type }) => type !== 'ask' && type !== 'notice') ?? false;
  const answers = hasBegun ? await context.log.recoveredAnswers() : [];
  const turn = activeTurn(context);
  if (answers.length === 0 || context.signal.aborted || !turn) return context;
  endCalls(context, turn, name);
  const { id, model } = context.message;
  // For an agent that cannot continue its conversation the turn is a part of the past.
  const broken: EndedTurn = { ...turn, outcome: { kind: 'interrupted' }, endedAt: turn.startedAt };
  return {
    ...context,
    message: { id, text: messageOf(answers), ...present({ model }) },
    history: [...context.history, broken],
  };
}

function activeTurn(context: TurnContext): Turn | undefined {
  const { session } = context;
  const active = context.state().chats[session.chat]?.active;
  return active?.id === session.turn ? active : undefined;
}

function endCalls(context: TurnContext, { items }: Turn, name: string): void {
  for (const item of items) {
    if (item.type !== 'tool' || item.status === 'ended') continue;
    const error = context.log.recovered.includes(item.id)
      ? `Not run yet: Parley was restarted. ${name} is told your answer and may call it again.`
      : 'Interrupted: Parley was restarted while this ran.';
    context.report({ kind: 'tool.ended', tool: item.id, result: { status: 'failed', content: [], error } });
  }
}

function messageOf(answers: readonly RecoveredAnswer[]): string {
  return [
    'Parley was restarted while you waited for the user, and your answer broke off. What is done stays ' +
      'done; what ran at that moment was interrupted, so look at it first.',
    ...answers.map(answerText),
    'Go on where you stopped.',
  ].join('\n');
}

function answerText({ ask, answer }: RecoveredAnswer): string {
  if (ask.kind !== 'approval')
    return answer.kind === 'fields'
      ? `You asked "${ask.message}". The user answered: ${JSON.stringify(answer.values)}`
      : `You asked "${ask.message}". The user did not answer.`;
  const chosen = answer.kind === 'option' && ask.options.find(({ id }) => id === answer.option);
  if (chosen && allows(chosen))
    return `The user has allowed this, and it was not run yet, so call it: ${ask.title}`;
  const reason = 'reason' in answer && answer.reason ? ` (${answer.reason})` : '';
  return `The user has refused this${reason}, and it was not run: ${ask.title}`;
}
