// Turns files that the user pastes, drops or picks into attachments of the draft.
import type { Signal } from '@preact/signals';
import type { MessageAttachment } from '../../../src/protocols/ahp/v1_0/message.ts';
import { toast } from '../../state/toasts.ts';
import type { MessageDraft } from './drafts.ts';

/** Larger files are too large for a message. */
const maxBytes = 8 * 1024 * 1024;

export interface DraftAttachments {
  readonly attach: (files: readonly File[]) => Promise<void>;
  readonly detach: (index: number) => void;
}

export function draftAttachments(draft: Signal<MessageDraft>): DraftAttachments {
  return {
    attach: async (files) => {
      for (const file of files) {
        const attachment = await attachmentOf(file);
        if ('refused' in attachment) toast('problem', attachment.refused);
        else draft.value = { ...draft.value, attachments: [...draft.value.attachments, attachment] };
      }
    },
    detach: (index) => {
      const attachments = draft.peek().attachments.filter((_, other) => other !== index);
      draft.value = { ...draft.value, attachments };
    },
  };
}

/** The pasted files. Pasted text stays with the browser. */
export function filesPasted(event: ClipboardEvent): readonly File[] {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length > 0) event.preventDefault();
  return files;
}

export function filesDropped(event: DragEvent): readonly File[] {
  event.preventDefault();
  return [...(event.dataTransfer?.files ?? [])];
}

async function attachmentOf(file: File): Promise<MessageAttachment | { readonly refused: string }> {
  if (file.size > maxBytes) return { refused: `${file.name} is too large. The limit is 8 MB.` };
  const data = await base64Of(file);
  const contentType = file.type || 'application/octet-stream';
  return {
    type: 'embeddedResource',
    label: file.name || 'Pasted picture',
    data,
    contentType,
    displayKind: contentType.startsWith('image/') ? 'image' : 'file',
  };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () =>
      resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,/, '') : ''),
    );
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
}
