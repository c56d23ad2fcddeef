// The parts of a chat that all versions share: ends of turns, usage, and draft answers.
import { brokeBy } from '../../../model/reduceTurn.ts';
import type { ChatId, Outcome, Problem, Usage } from '../../../model/event.ts';
import type { Chat, State } from '../../../model/state.ts';
import { present } from '../../../base/present.ts';
import type { UsageInfo } from '../../../protocols/ahp/v1_0/content.ts';
import type { ChatInputAnswers } from '../../../protocols/ahp/v1_0/message.ts';
import type { ErrorPart, ResponsePart } from '../../../protocols/ahp/v1_0/state.ts';
import { statusBits, withFlag } from '../../../protocols/ahp/status.ts';
import { answerDraft } from '../notes.ts';
import type { Inquiry } from './questions.ts';

export function chatOf(state: State, id: ChatId): Chat | undefined {
  return Object.hasOwn(state.chats, id) ? state.chats[id] : undefined;
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The part that says how a turn ended, if that is worth a word. */
export function endingParts(outcome: Outcome): readonly ResponsePart[] {
  switch (outcome.kind) {
    case 'completed':
      return outcome.stop
        ? [{ kind: 'systemNotification', content: stops[outcome.stop], _meta: { stop: outcome.stop } }]
        : [];
    case 'cancelled':
      return [];
    case 'failed':
    case 'interrupted':
      return [errorPart(brokeBy(outcome))];
    default:
      return outcome satisfies never;
  }
}

/** Every turn that broke off can go on. */
export function errorPart(problem: Problem | undefined): ErrorPart {
  return {
    kind: 'error',
    error: { errorType: problem?.code ?? 'unknown', message: problem?.message ?? 'The turn failed.' },
    resumable: true,
  };
}

export function usageInfo(usage: Usage): UsageInfo {
  const { input, output, cacheRead, model, ...rest } = usage;
  const other = present(rest);
  return present({
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    model,
    _meta: Object.keys(other).length > 0 ? other : undefined,
  });
}

/** The half-filled answers of an open or closed question. */
export function draftAnswers(state: State, chat: Chat, ask: Inquiry): ChatInputAnswers {
  if (ask.kind !== 'question') return {};
  return Object.fromEntries(
    ask.questions.flatMap(({ id }) => {
      const answer = answerDraft(state, { chat: chat.id, ask: ask.id, question: id });
      return answer ? [[id, answer] as const] : [];
    }),
  );
}

const stops = {
  length: 'The model reached its length limit.',
  steps: 'The agent reached its step limit.',
  refusal: 'The model refused to continue.',
} as const;

/** Adds the read and archive flags to a status. */
export function withMarks(
  activity: number,
  { read, archived }: { readonly read: boolean; readonly archived: boolean },
): number {
  return withFlag(withFlag(activity, statusBits.isRead, read), statusBits.isArchived, archived);
}

/** What a chat is doing, or why it does nothing, in short. */
export function activityOf({ active, turns, lately, stopping }: Chat): string | undefined {
  if (stopping) return stopping;
  const running = active?.items.findLast((item) => item.type === 'tool' && item.status === 'running');
  if (active) return running?.type === 'tool' ? running.title : undefined;
  const last = turns.at(-1);
  return lately.failed && last ? brokeBy(last.outcome)?.message : undefined;
}
