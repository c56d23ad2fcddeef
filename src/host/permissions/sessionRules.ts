// The answers that hold in one session: its rules, with who gave each of them and when.
import { memoPerObject } from '../../base/memo.ts';
import { present } from '../../base/present.ts';
import type { Origin, Rule } from '../../model/event.ts';
import type { Item, State } from '../../model/state.ts';

export interface SessionRule {
  readonly rule: Rule;
  readonly by?: Origin;
  readonly at?: number;
}

export function sessionRules(state: State): readonly SessionRule[] {
  return rulesWithOrigin(state.rules, (rules) =>
    rules.map((rule) => ({ rule, ...present(answerFor(state, rule.id)) })),
  );
}

/** The rules stay the same object while the session goes on, and the answers that made them stay, too. */
const rulesWithOrigin = memoPerObject<readonly Rule[], readonly SessionRule[]>();

interface Given {
  readonly by?: Origin;
  readonly at?: number;
}

/** The answer that made a rule of the session: the rule has the id of its question, or ends with it. */
function answerFor({ chats }: State, rule: string): Given {
  for (const { turns, active } of Object.values(chats))
    for (const { items } of [...turns, ...(active ? [active] : [])])
      for (const item of items) {
        const given = givenTo(item, rule);
        if (given) return given;
      }
  return {};
}

function givenTo(item: Item, rule: string): Given | undefined {
  if (item.type === 'ask' && item.answered && item.id === rule) return { by: item.answered.by, at: item.at };
  const approval = item.type === 'tool' ? item.approval : undefined;
  if (item.type !== 'tool' || !approval) return undefined;
  // Earlier versions wrote the number behind.
  const isFor = rule.replace(/^\d{1,3}-/, '') === approval.ask || rule.startsWith(`${approval.ask}-`);
  return isFor ? { by: approval.by, at: item.runningAt ?? item.at } : undefined;
}
