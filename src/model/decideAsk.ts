// Decides questions to users: a question opens once, and the first answer wins.
import { present } from '../base/present.ts';
import { reject } from './command.ts';
import type { Command } from './command.ts';
import type { Decision } from './decide.ts';
import { allows } from './event.ts';
import type { Answer, Ask, AskOption, Event, Json, Rule, RuleOrigin, RuleProposal } from './event.ts';
import { findItem, findTool } from './state.ts';
import type { Chat, State, ToolItem } from './state.ts';
import { nextStatus } from './toolCall.ts';

type Of<K extends Command['kind']> = Extract<Command, { readonly kind: K }>;
type Approval = Extract<Ask, { readonly kind: 'approval' }>;
type Inquiry = Extract<Ask, { readonly kind: 'question' }>;

export function decideOpenAsk(chat: Chat, { turn, ask }: Of<'openAsk'>): Decision {
  if (chat.active?.id !== turn) return reject('no-turn', 'That turn is not running.');
  if (chat.asks[ask.id] || findItem(chat.active, ask.id))
    return reject('already-exists', 'That question was already asked.');
  if (ask.kind === 'approval') {
    const tool = findTool(chat.active, ask.tool);
    if (!tool) return reject('unknown-tool', `There is no tool call ${ask.tool} in this turn.`);
    if (tool.held || !nextStatus(tool.status, 'ask.opened'))
      return reject('wrong-state', `The tool call is ${tool.status}.`);
  }
  return [{ kind: 'ask.opened', chat: chat.id, turn, ask }];
}

export function decideAnswer(state: State, chat: Chat, command: Of<'answer'>): Decision {
  const open = Object.hasOwn(chat.asks, command.ask) ? chat.asks[command.ask] : undefined;
  if (!open)
    return wasAnswered(chat, command.ask)
      ? reject('already-answered', 'This was already answered.')
      : reject('unknown-ask', 'There is no such question.');
  const { ask, turn } = open;
  const fits = checkAnswer(ask, command.answer) ?? checkLasting(ask, command);
  if (fits !== undefined) return reject('invalid', fits);
  const answer = ask.kind === 'approval' ? onceIfEdited(ask, command.answer) : command.answer;
  const answered: Event = { kind: 'ask.answered', chat: chat.id, turn, ask: ask.id, answer };
  if (ask.kind === 'question') return [answered, ...rememberNames(state, ask, answer)];
  if (ask.kind !== 'approval') return [answered];
  return [
    answered,
    approvalFollows({ chat: chat.id, turn, tool: ask.tool }, ask, answer),
    ...remember(state, findTool(chat.active, ask.tool), { ask, answer }),
  ];
}

/** A lasting rule would be about the call that was asked about, and not about the edited one. */
function onceIfEdited(ask: Approval, answer: Answer): Answer {
  if (answer.kind !== 'option' || answer.input === undefined) return answer;
  const chosen = optionOf(ask.options, answer.option);
  const once = ask.options.find(({ effect }) => effect === 'allow');
  return chosen && allows(chosen) && once ? { ...answer, option: once.id } : answer;
}

/**
 * The answer to an approval also moves its tool call: an allowed call runs, a refused one
 * ends, in the same step.
 */
function approvalFollows(
  place: { chat: string; turn: string; tool: string },
  ask: Approval,
  answer: Answer,
): Event {
  const option = answer.kind === 'option' ? optionOf(ask.options, answer.option) : undefined;
  if (answer.kind === 'option' && option && allows(option)) {
    return {
      kind: 'tool.running',
      ...place,
      basis: { how: 'ask', ask: ask.id, option: option.id },
      ...present({ input: answer.input, title: answer.title, sandbox: ask.sandbox }),
    };
  }
  const said = answer.kind === 'option' || answer.kind === 'declined' ? answer.reason : undefined;
  const reason = said ?? (answer.kind === 'withdrawn' ? answer.why : 'The user refused.');
  return { kind: 'tool.ended', ...place, result: { status: 'denied', reason, ask: ask.id } };
}

/** What is wrong with an answer; undefined if nothing is. */
function checkAnswer(ask: Ask, answer: Answer): string | undefined {
  if (answer.kind === 'withdrawn' || answer.kind === 'declined') return undefined;
  if (ask.kind === 'approval') {
    if (answer.kind !== 'option' || !optionOf(ask.options, answer.option))
      return 'Choose one of the offered options.';
    return answer.input !== undefined && !ask.editable
      ? 'The arguments of this call cannot be edited.'
      : undefined;
  }
  if (ask.kind === 'signin') return answer.kind === 'option' ? 'A sign-in has no options.' : undefined;
  if (answer.kind !== 'fields') return 'Answer the questions by their ids.';
  const missing = ask.questions.find(({ id, required }) => required && answer.values[id] === undefined);
  return missing && `The question ${missing.id} needs an answer.`;
}

function checkLasting(ask: Ask, { answer, withinSession }: Of<'answer'>): string | undefined {
  const options = ask.kind === 'approval' ? ask.options : [];
  const option = answer.kind === 'option' ? optionOf(options, answer.option) : undefined;
  return withinSession && option && isLasting(option)
    ? 'Your role allows no answers beyond this session. Allow or deny it once, or for this session.'
    : undefined;
}

/** Whether the answer becomes a rule that outlives the session. */
export function isLasting({ effect }: AskOption): boolean {
  return effect === 'allow-folder' || effect === 'allow-always' || effect === 'deny-always';
}

/** Most late answers are about the newest turn. */
function wasAnswered({ active, turns }: Chat, id: string): boolean {
  return [...(active ? [active] : []), ...turns.toReversed()].some(({ items }) =>
    items.some(
      (item) =>
        (item.type === 'ask' && item.id === id) || (item.type === 'tool' && item.approval?.ask === id),
    ),
  );
}

function optionOf(options: readonly AskOption[], id: string): AskOption | undefined {
  return options.find((option) => option.id === id);
}

/**
 * An answer for the whole session becomes session rules. Not if the user has edited the call: the rule would
 * be about another one.
 */
function remember(
  state: State,
  tool: ToolItem | undefined,
  { ask, answer }: { ask: Approval; answer: Answer },
): readonly Event[] {
  const option =
    answer.kind === 'option' && answer.input === undefined ? optionOf(ask.options, answer.option) : undefined;
  if (!tool || option?.effect !== 'allow-session') return [];
  return [
    { kind: 'session.changed', changes: { rules: withRules(state.rules, rulesOf(ask, tool, 'allow')) } },
  ];
}

/** A name that confined programs may connect to in this session becomes a rule of it. */
function rememberNames(state: State, ask: Inquiry, answer: Answer): readonly Event[] {
  const rules = namesAllowed(ask, answer, 'session');
  return rules.length === 0
    ? []
    : [{ kind: 'session.changed', changes: { rules: withRules(state.rules, rules) } }];
}

/** The rules that an answer to a question about the network adds, if it has this scope. */
export function namesAllowed(ask: Inquiry, answer: Answer, scope: 'session' | 'always'): readonly Rule[] {
  const { about, questions, remember: proposed = [] } = ask;
  const chosen = answer.kind === 'fields' ? answer.values[questions[0]?.id ?? ''] : undefined;
  return about === 'network' && chosen === scope ? numbered(ask, proposed, 'allow') : [];
}

/**
 * The rules that a lasting answer adds: the host's proposal, else the exact command line, else
 * the name of the tool.
 */
export function rulesOf(ask: Approval, tool: ToolItem, effect: Rule['effect']): readonly Rule[] {
  const all: readonly RuleProposal[] = ask.remember ?? [{ tool: tool.name, ...matchOf(tool.input) }];
  return numbered(ask, all, effect);
}

function numbered(
  { id }: Pick<Ask, 'id'>,
  all: readonly RuleProposal[],
  effect: Rule['effect'],
): readonly Rule[] {
  return all.map((one, at) => ({ id: at === 0 ? id : `${at + 1}-${id}`, effect, ...one }));
}

/** A new rule replaces an older one about the same calls. */
export function withRules(old: readonly Rule[], added: readonly Rule[]): readonly Rule[] {
  return [...old.filter((rule) => !added.some((other) => isSame(rule, other))), ...added];
}

/**
 * The events of an answer, with who gave it and when in the rules that it adds. The turn with the question
 * can be removed later; the rule stays.
 */
export function withRuleOrigin(
  events: readonly Event[],
  known: readonly Rule[],
  made: RuleOrigin,
): readonly Event[] {
  const withOrigin = (rule: Rule) => (known.includes(rule) ? rule : { ...rule, made });
  return events.map((event) =>
    event.kind === 'session.changed' && event.changes.rules
      ? { ...event, changes: { ...event.changes, rules: event.changes.rules.map(withOrigin) } }
      : event,
  );
}

function isSame(a: Rule, b: Rule): boolean {
  return (
    a.tool === b.tool &&
    a.match === b.match &&
    a.host === b.host &&
    sameJson([a.command, a.paths, a.args, a.folders], [b.command, b.paths, b.args, b.folders])
  );
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The command line that a rule is limited to. Some agents send it as a list of words. */
export function matchOf(input: Json | undefined): { readonly match?: string } {
  const command =
    typeof input === 'object' && input !== null && 'command' in input ? input['command'] : undefined;
  if (Array.isArray(command) && command.every((word) => typeof word === 'string'))
    return { match: command.join(' ') };
  return typeof command === 'string' ? { match: command } : {};
}
