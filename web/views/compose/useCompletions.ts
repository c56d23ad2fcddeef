// Asks the host how the word at the caret may go on, and lets the person choose with the keyboard.
import { useSignal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { triggerAt } from './completion.ts';
import type { Completion } from './completion.ts';

export interface Offer {
  readonly start: number;
  readonly items: readonly Completion[];
  readonly chosen: number;
}

export interface Completions {
  /** A signal, because keys may follow each other faster than the list is drawn. */
  readonly offer: ReadonlySignal<Offer | undefined>;
  /** To be called after each change of the text or the caret. */
  look(text: string, caret: number): void;
  move(by: number): void;
  close(): void;
}

const pauseMs = 120;

export function useCompletions(chat: URI): Completions {
  const client = useClient();
  const offer = useSignal<Offer | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(0);

  useEffect(() => () => clearTimeout(timer.current), []);

  const ask = async (text: string, caret: number, start: number): Promise<void> => {
    const mine = ++latest.current;
    const items = await client
      .request('completions', { channel: chat, kind: 'userMessage', text, offset: caret })
      .then(
        (result) => result.items,
        () => [],
      );
    if (mine === latest.current) offer.value = items.length === 0 ? undefined : { start, items, chosen: 0 };
  };

  return {
    offer,
    look: (text, caret) => {
      clearTimeout(timer.current);
      const start = triggerAt(text, caret, client.host.peek()?.completionTriggerCharacters ?? []);
      latest.current += 1;
      if (start === undefined) offer.value = undefined;
      else timer.current = setTimeout(() => void ask(text, caret, start), pauseMs);
    },
    move: (by) => {
      const now = offer.peek();
      if (now) offer.value = { ...now, chosen: (now.chosen + by + now.items.length) % now.items.length };
    },
    close: () => {
      latest.current += 1;
      offer.value = undefined;
    },
  };
}
