// Images in answers: the state refers to them, and clients read them when they show them. Pure.
import { pictureBytes } from '../../../host/turns/answerImage.ts';
import type { ChatId, ItemId, SessionId, TurnId } from '../../../model/event.ts';
import { findItem, findTurn } from '../../../model/state.ts';
import type { ImageItem, State } from '../../../model/state.ts';
import type { ContentRef } from '../../../protocols/ahp/v1_0/content.ts';
import { chatOf } from './chat.ts';

export interface PicturePlace {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly turn: TurnId;
  readonly item: ItemId;
}

const scheme = 'parley-content:/picture/';

export function pictureRef(place: PicturePlace, { mediaType, data }: ImageItem): ContentRef {
  const { session, chat, turn, item } = place;
  // People are shown the last part of it.
  const path = [session, chat, turn, item].map(encodeURIComponent).join('/');
  const uri = `${scheme}${path}/picture.${mediaType.replace('image/', '')}`;
  return { uri, contentType: mediaType, sizeHint: pictureBytes(data) };
}

export function readPictureUri(uri: string): PicturePlace | undefined {
  // With a query it is the text of a file in a folder of this name.
  const parts = uri.startsWith(scheme) && !uri.includes('?') ? uri.slice(scheme.length).split('/') : [];
  const [session, chat, turn, item] = parts.map(decoded);
  if (
    parts.length !== 5 ||
    session === undefined ||
    chat === undefined ||
    turn === undefined ||
    item === undefined
  )
    return undefined;
  return { session, chat, turn, item };
}

export function pictureAt(state: State, { chat: id, turn, item }: PicturePlace): ImageItem | undefined {
  const chat = chatOf(state, id);
  const found = chat && findItem(findTurn(chat, turn), item);
  return found?.type === 'image' ? found : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
