// The rules of an answer that holds for more than one session.
import { namesAllowed, rulesOf } from '../../model/decideAsk.ts';
import type { AskOption, Entry, EventOf, Rule, SessionId } from '../../model/event.ts';
import { findTool } from '../../model/state.ts';
import type { Chat } from '../../model/state.ts';

export interface AnsweredAsk {
  readonly entry: Entry;
  readonly event: EventOf<'ask.answered'>;
  /** The chat before the answer. */
  readonly chat: Chat | undefined;
  readonly session: SessionId;
  /** The folders of the session, links resolved. */
  readonly folders: readonly string[];
}

/** Undefined if nothing is to be stored; an edited call is approved only once. */
export function lastingAnswer(given: AnsweredAsk): readonly Rule[] | undefined {
  const { entry, event, chat, session, folders } = given;
  const ask = chat?.asks[event.ask]?.ask;
  const { answer } = event;
  const made = { by: entry.by, at: entry.at, session };
  if (ask?.kind === 'question') {
    const names = namesAllowed(ask, answer, 'always');
    return names.length === 0 ? undefined : names.map((rule) => ({ ...rule, made }));
  }
  if (ask?.kind !== 'approval' || answer.kind !== 'option' || answer.input !== undefined) return undefined;
  const option = ask.options.find((each) => each.id === answer.option);
  const effect = option && lastingEffects[option.effect];
  const tool = findTool(chat?.active, ask.tool);
  if (!effect || !tool) return undefined;
  const where = option.effect === 'allow-folder' ? { folders } : {};
  return rulesOf(ask, tool, effect).map((rule) => ({ ...rule, ...where, made }));
}

const lastingEffects: { readonly [E in AskOption['effect']]?: 'allow' | 'deny' } = {
  'allow-folder': 'allow',
  'allow-always': 'allow',
  'deny-always': 'deny',
};
