// The permission modes: what each allows, and which of them a session may have.
import { autonomyLevels } from '../../model/event.ts';
import type { Autonomy, ChatId, Origin } from '../../model/event.ts';
import { findTurn } from '../../model/state.ts';
import type { Chat, State, Turn } from '../../model/state.ts';
import type { SandboxStatus } from '../ports.ts';
import type { Settings } from './settings.ts';

/** The modes for people, from least freedom to most. */
export const autonomyTexts: {
  readonly [L in Autonomy]: { readonly name: string; readonly meaning: string };
} = {
  plan: { name: 'Plan', meaning: 'Changes nothing.' },
  ask: { name: 'Ask', meaning: 'Everything but reading in the workspace asks.' },
  edits: { name: 'Edits', meaning: 'Edits in the workspace run unasked.' },
  auto: { name: 'Auto', meaning: 'Edits, and commands inside the sandbox, run unasked.' },
  full: { name: 'Full', meaning: 'Everything runs unasked, with your rights.' },
};

/** How a mode is called where no colour can be shown: the mode that asks for nothing is marked red. */
export function autonomyLabel(level: Autonomy): string {
  return `${level === 'full' ? '🔴 ' : ''}${autonomyTexts[level].name}`;
}

export function isAutonomy(value: unknown): value is Autonomy {
  return autonomyLevels.some((level) => level === value);
}

/** The mode of a session within what the settings allow there now. */
export function allowedAutonomy(
  chosen: Autonomy | undefined,
  roots: readonly string[],
  settings: Settings | undefined,
): Autonomy {
  const { most = 'full' } = settings?.of(roots).permissions ?? {};
  const level = lowerAutonomy(chosen ?? 'ask', most);
  return level === 'full' && settings?.trust?.untrusted(roots) !== undefined ? 'ask' : level;
}

export interface AutonomyLimits {
  readonly settings: Settings | undefined;
  readonly sandbox: SandboxStatus | undefined;
  /** Who chooses the mode. */
  readonly by?: Origin | undefined;
}

/** Why a session cannot have a mode; undefined if it can. */
export function autonomyRefusal(
  level: Autonomy,
  roots: readonly string[],
  { settings, sandbox, by }: AutonomyLimits,
): string | undefined {
  const { most = 'full' } = settings?.of(roots).permissions ?? {};
  const device = capOf(by);
  if (lowerAutonomy(level, device) !== level)
    return (
      `The permission mode ${level} is not allowed from this device, which may choose at most ${device}. ` +
      'See parley devices.'
    );
  if (lowerAutonomy(level, most) !== level)
    return `The permission mode ${level} is not allowed: permissions.most of the settings is ${most}.`;
  const untrusted = level === 'full' ? settings?.trust?.untrusted(roots) : undefined;
  if (untrusted !== undefined)
    return `The permission mode full is not allowed in ${untrusted}, which you do not trust. See parley trust.`;
  if (level === 'auto' && sandbox && !sandbox.available)
    return `The permission mode auto needs a sandbox. ${sandbox.why} ${sandbox.cure}`;
  return undefined;
}

/** The mode with most freedom that a client may choose. */
export function capOf(by: Origin | undefined): Autonomy {
  return (by?.kind === 'client' ? by.most : undefined) ?? 'full';
}

/**
 * The mode with most freedom for what a turn does: that of whoever started it and of everybody whose message
 * it works on. A subagent has the limit of the turn that it works for, and an agent that goes on by itself
 * that of the turn before.
 */
export function turnCap({ chats }: State, { chat: id, turn: { id: turn } }: TurnPlace): Autonomy {
  const seen = new Set<string>();
  const capIn = (chat: Chat | undefined, of: Turn | undefined): Autonomy => {
    if (!chat || !of || seen.has(of.id)) return 'full';
    seen.add(of.id);
    const { message, items, by } = of;
    const messages = [message, ...items.flatMap((item) => (item.type === 'message' ? [item.message] : []))];
    const known = new Map(Object.entries(chat.limits ?? {}));
    const parent = chat.origin.type === 'tool' ? chats[chat.origin.chat] : undefined;
    const caps = [
      ...messages.map((each) => known.get(each.id) ?? 'full'),
      capIn(parent, parent?.active ?? parent?.turns.at(-1)),
      message.from ? capIn(chat, chat.turns.at(-1)) : 'full',
    ];
    return caps.reduce(lowerAutonomy, capOf(by));
  };
  const chat = chats[id];
  return capIn(chat, chat && findTurn(chat, turn));
}

interface TurnPlace {
  readonly chat: ChatId;
  readonly turn: Pick<Turn, 'id'>;
}

export function lowerAutonomy(level: Autonomy, most: Autonomy): Autonomy {
  return autonomyLevels.indexOf(level) > autonomyLevels.indexOf(most) ? most : level;
}
