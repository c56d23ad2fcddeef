// Unsent messages, one per chat: they survive page changes and are shared through the host.
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { Message, MessageAttachment } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useClient } from '../../state/app.ts';

export interface MessageDraft {
  readonly text: string;
  readonly attachments: readonly MessageAttachment[];
  /** The model chosen here; absent means the model that the chat used last. */
  readonly model?: string;
}

/** An earlier message that is edited. It has a draft of its own: the unsent one stays as it is. */
export interface MessageEdit {
  /** Sending it replaces this turn and all after it. */
  readonly turnId: string;
  readonly draft: Signal<MessageDraft>;
}

interface ChatDrafts {
  readonly unsent: Signal<MessageDraft>;
  readonly edit: Signal<MessageEdit | undefined>;
}

/** One per chat, and alive as long as the page: a draft outlives the view that edits it. */
const drafts = new Map<URI, ChatDrafts>();

export const emptyDraft: MessageDraft = { text: '', attachments: [] };

/** A message needs text or an attachment. */
export function isReady({ text, attachments }: MessageDraft): boolean {
  return text.trim() !== '' || attachments.length > 0;
}

function draftsOf(chat: URI): ChatDrafts {
  let both = drafts.get(chat);
  if (!both) {
    both = { unsent: signal(emptyDraft), edit: signal(undefined) };
    drafts.set(chat, both);
  }
  return both;
}

export function draftOf(chat: URI): Signal<MessageDraft> {
  return draftsOf(chat).unsent;
}

export function editOf(chat: URI): Signal<MessageEdit | undefined> {
  return draftsOf(chat).edit;
}

const pauseMs = 700;

/** Synchronises the draft with the host's copy of its text; text typed here wins. */
export function useSharedDraft(channel: Channel<ChatState>): Signal<MessageDraft> {
  const client = useClient();
  const draft = draftOf(channel.uri);
  const synced = useRef('');
  const theirs = channel.state.value?.draft?.text ?? '';
  const { text } = draft.value;

  useEffect(() => {
    // Take over another client's text only if nothing was typed here since the last synchronisation.
    if (theirs === synced.current || draft.peek().text !== synced.current) return;
    synced.current = theirs;
    draft.value = { ...draft.peek(), text: theirs };
  }, [theirs]);

  useEffect(() => {
    if (text === synced.current) return;
    const timer = setTimeout(
      () => {
        synced.current = text;
        const message: Message = { text, origin: { kind: 'user' } };
        void client.dispatch(channel, {
          type: 'chat/draftChanged',
          ...present({ draft: text === '' ? undefined : message }),
        });
      },
      text === '' ? 0 : pauseMs,
    );
    return () => clearTimeout(timer);
  }, [text]);

  return draft;
}
