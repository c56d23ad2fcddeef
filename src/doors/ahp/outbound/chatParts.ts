// What every version shows alike of a chat: its status, how its turns ended, and parts that are
// only text or pictures.
import type { Chat, Item, State, Turn } from '../../../model/state.ts';
import { statusBits } from '../../../protocols/ahp/status.ts';
import type { ContentRef } from '../../../protocols/ahp/v1_0/content.ts';
import { pictureRef } from './images.ts';
import { isHeld } from './toolCall.ts';

/** The activity bits of a chat. */
export function chatStatus({ active, asks, lately }: Chat): number {
  if (Object.keys(asks).length > 0) return statusBits.inputNeeded;
  if (active?.items.some((item) => item.type === 'tool' && isHeld(item))) return statusBits.inputNeeded;
  if (active) return statusBits.inProgress;
  return lately.failed ? statusBits.error : statusBits.idle;
}

export const turnEndings = {
  completed: 'complete',
  cancelled: 'cancelled',
  failed: 'error',
  interrupted: 'error',
} as const;

type ContentItem = Extract<Item, { readonly type: 'text' | 'image' }>;

type ContentPart =
  | { readonly kind: 'markdown' | 'reasoning'; readonly id: string; readonly content: string }
  | ({ readonly kind: 'contentRef' } & ContentRef);

export function contentPart(
  state: State,
  { chat, turn }: { readonly chat: Chat; readonly turn: Turn },
  item: ContentItem,
): ContentPart {
  if (item.type === 'text')
    return { kind: item.channel === 'answer' ? 'markdown' : 'reasoning', id: item.id, content: item.text };
  const place = { session: state.id, chat: chat.id, turn: turn.id, item: item.id };
  return { kind: 'contentRef', ...pictureRef(place, item) };
}
