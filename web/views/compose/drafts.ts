// What a person has begun to write, per chat: kept while they look elsewhere, and shared through the host so that it is not lost.
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { Message, MessageAttachment } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { useClient } from '../../state/app.ts';

export interface Draft {
  readonly text: string;
  readonly attachments: readonly MessageAttachment[];
  /** The model chosen here; absent means whatever the chat used last. */
  readonly model?: string;
}

const drafts = new Map<URI, Signal<Draft>>();

export const emptyDraft: Draft = { text: '', attachments: [] };

export function draftOf(chat: URI): Signal<Draft> {
  let draft = drafts.get(chat);
  if (!draft) {
    draft = signal(emptyDraft);
    drafts.set(chat, draft);
  }
  return draft;
}

const pauseMs = 700;

/** Keeps the draft and the host's copy of its text together; the words typed here win. */
export function useSharedDraft(channel: Channel<ChatState>): Signal<Draft> {
  const client = useClient();
  const draft = draftOf(channel.uri);
  const synced = useRef('');
  const theirs = channel.state.value?.draft?.text ?? '';
  const { text } = draft.value;

  useEffect(() => {
    // Somebody else wrote on, and nothing was typed here since.
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
          ...(text === '' ? {} : { draft: message }),
        });
      },
      text === '' ? 0 : pauseMs,
    );
    return () => clearTimeout(timer);
  }, [text]);

  return draft;
}
