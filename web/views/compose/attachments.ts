// Files that a person pastes, drops or picks, as attachments of a message.
import type { MessageAttachment } from '../../../src/protocols/ahp/v1_0/message.ts';

/** Larger files do not belong into a message. */
const mostBytes = 8 * 1024 * 1024;

export async function attachmentOf(file: File): Promise<MessageAttachment | { readonly refused: string }> {
  if (file.size > mostBytes) return { refused: `${file.name} is too large; up to 8 MB can be attached.` };
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
