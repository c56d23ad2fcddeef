// A message in the transcript, shown as plain text, with its attachments.
import { useState } from 'preact/hooks';
import type { Message, MessageAttachment } from '../../../src/protocols/ahp/v1_0/message.ts';
import { keepStart } from '../../text/plainText.ts';
import { formatSize, pathOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { isPicture, Picture } from '../parts/Picture.tsx';

const maxInitialLength = 3000;

const speakers: Readonly<Record<string, string>> = {
  user: 'You',
  agent: 'Agent',
  tool: 'Tool',
  automation: 'Automation',
  systemNotification: 'Notice',
};

export function MessageView({ message: { text, origin, attachments } }: { readonly message: Message }) {
  const [all, setAll] = useState(false);
  const { text: shown, hidden } = keepStart(text, all ? text.length : maxInitialLength);
  return (
    <div class={`message from-${origin.kind}`}>
      <span class="speaker">{speakers[origin.kind] ?? origin.kind}</span>
      <p class="said">{shown}</p>
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show {formatSize(hidden)} more
        </button>
      )}
      {attachments && attachments.length > 0 && (
        <ul class="attachments" aria-label="Attachments">
          {attachments.map((attachment, index) => (
            <li key={index}>
              <AttachmentView attachment={attachment} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function AttachmentView({ attachment }: { readonly attachment: MessageAttachment }) {
  if (attachment.type === 'embeddedResource' && isPicture(attachment.contentType)) {
    return <Picture base64={attachment.data} contentType={attachment.contentType} label={attachment.label} />;
  }
  const path = attachment.type === 'resource' ? pathOf(attachment.uri) : attachment.label;
  return (
    <span class="attachment" title={path}>
      <Icon name="attach" /> {attachment.label}
    </span>
  );
}
