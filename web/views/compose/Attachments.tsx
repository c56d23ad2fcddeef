// The attachments of a draft, and the button that picks files.
import { useRef } from 'preact/hooks';
import type { MessageAttachment } from '../../../src/protocols/ahp/v1_0/message.ts';
import { IconButton } from '../parts/Icon.tsx';
import { AttachmentView } from '../transcript/MessageView.tsx';

interface AttachmentListProps {
  readonly attachments: readonly MessageAttachment[];
  readonly onRemove: (index: number) => void;
}

export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attachments">
      {attachments.map((attachment, index) => (
        <li key={index}>
          <AttachmentView attachment={attachment} />
          <IconButton icon="x" label={`Remove ${attachment.label}`} onClick={() => onRemove(index)} />
        </li>
      ))}
    </ul>
  );
}

export function FilePicker({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="clip" label="Attach files" onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-hidden="true"
        tabIndex={-1}
        onChange={(event) => onFiles([...(event.currentTarget.files ?? [])])}
      />
    </>
  );
}
