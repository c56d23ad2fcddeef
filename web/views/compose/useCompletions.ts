// Completions for the word at the caret: requests them from the host and lets the user
// choose with the keyboard.
import { signal, useSignal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { complete, triggerAt } from './completion.ts';
import type { Completion } from './completion.ts';
import type { MessageDraft } from './drafts.ts';

export interface CompletionOffer {
  /** Where the completed word starts in the text. */
  readonly start: number;
  readonly items: readonly Completion[];
  readonly chosen: number;
}

export interface Completions {
  /** A signal, because keys may follow each other faster than the list is rendered. */
  readonly offer: ReadonlySignal<CompletionOffer | undefined>;
  /** Call it after each change of the text or the caret. */
  readonly update: (text: string, caret: number) => void;
  /** True if the key belongs to the completion list. */
  readonly handleKey: (event: KeyboardEvent) => boolean;
  readonly choose: (item: Completion) => void;
  readonly close: () => void;
}

/** For a field without completions. */
export const noCompletions: Completions = {
  offer: signal(undefined),
  update: () => undefined,
  handleKey: () => false,
  choose: () => undefined,
  close: () => undefined,
};

export function useCompletions(
  chat: URI,
  draft: Signal<MessageDraft>,
  field: RefObject<HTMLTextAreaElement | null>,
): Completions {
  const offer = useSignal<CompletionOffer | undefined>(undefined);
  const { update, cancel } = useCompletionRequest(chat, draft, offer);
  const close = (): void => {
    cancel();
    offer.value = undefined;
  };
  const choose = (item: Completion): void => {
    const current = offer.peek();
    const element = field.current;
    if (!current || !element) return;
    const { text, attachments } = draft.peek();
    const completed = complete(text, { caret: element.selectionStart, start: current.start }, item);
    const added = item.attachment.type === 'simple' ? [] : [item.attachment];
    draft.value = { ...draft.value, text: completed.text, attachments: [...attachments, ...added] };
    close();
    // The field has its new text after the next frame.
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(completed.caret, completed.caret);
      update(completed.text, completed.caret);
    });
  };
  const handleKey = (event: KeyboardEvent): boolean => {
    const current = offer.peek();
    const command = current && listCommand(event.key, current);
    if (!current || !command) return false;
    if (event.key === 'Enter' && isTyped(current, draft.peek().text)) {
      close();
      return false;
    }
    if (command.kind === 'move') offer.value = { ...current, chosen: command.to };
    else if (command.kind === 'choose') choose(command.item);
    else close();
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { offer, update, handleKey, choose, close };
}

type ListCommand =
  | { readonly kind: 'move'; readonly to: number }
  | { readonly kind: 'choose'; readonly item: Completion }
  | { readonly kind: 'close' };

function listCommand(key: string, { items, chosen }: CompletionOffer): ListCommand | undefined {
  if (key === 'ArrowDown') return { kind: 'move', to: (chosen + 1) % items.length };
  if (key === 'ArrowUp') return { kind: 'move', to: (chosen - 1 + items.length) % items.length };
  if (key === 'Escape') return { kind: 'close' };
  const item = items[chosen];
  return (key === 'Enter' || key === 'Tab') && item ? { kind: 'choose', item } : undefined;
}

/** Whether the chosen command stands in the text already, so that Enter has nothing to complete. */
function isTyped({ start, items, chosen }: CompletionOffer, text: string): boolean {
  const item = items[chosen];
  return item?.attachment.type === 'simple' && text.slice(start).trim() === item.insertText.trim();
}

const pauseMs = 120;

/** Requests completions shortly after the last key; an answer for a text that has changed is dropped. */
function useCompletionRequest(
  chat: URI,
  draft: Signal<MessageDraft>,
  offer: Signal<CompletionOffer | undefined>,
) {
  const client = useClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(0);

  useEffect(() => () => clearTimeout(timer.current), []);

  const request = async (text: string, caret: number, start: number): Promise<void> => {
    const number = ++latest.current;
    const items = await client
      .request('completions', { channel: chat, kind: 'userMessage', text, offset: caret })
      .then(
        (result) => result.items,
        () => [],
      );
    if (number !== latest.current || draft.peek().text !== text) return;
    const typed = items.findIndex((_, chosen) => isTyped({ start, items, chosen }, text));
    offer.value = items.length === 0 ? undefined : { start, items, chosen: Math.max(0, typed) };
  };
  const cancel = (): void => {
    clearTimeout(timer.current);
    latest.current += 1;
  };
  const update = (text: string, caret: number): void => {
    const start = triggerAt(text, caret, client.host.peek()?.completionTriggerCharacters ?? []);
    cancel();
    if (start === undefined) offer.value = undefined;
    else timer.current = setTimeout(() => void request(text, caret, start), pauseMs);
  };
  return { update, cancel };
}
