// A message in the transcript, shown as plain text, with its attachments and what can be done with it.
import { useContext, useState } from 'preact/hooks';
import type { Message, MessageAttachment } from '../../../src/protocols/ahp/v1_0/message.ts';
import { keepStart } from '../../text/plainText.ts';
import { formatSize, pathOf } from '../../text/format.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { FoldedActions } from './FoldedActions.tsx';
import { Icon, IconButton } from '../parts/Icon.tsx';
import { MenuButton, MenuItem } from '../parts/Menu.tsx';
import { isPicture, Picture } from '../parts/Picture.tsx';
import { TurnActionsContext } from './turnActions.ts';
import type { TurnActions } from './turnActions.ts';

const maxInitialLength = 3000;

const speakers: Readonly<Record<string, string>> = {
  agent: 'Agent',
  tool: 'Tool',
  automation: 'Automation',
  systemNotification: 'Notice',
};

interface MessageViewProps {
  readonly message: Message;
  readonly turnId: string;
  /** A running turn can be copied only. */
  readonly live: boolean;
}

export function MessageView({ message, turnId, live }: MessageViewProps) {
  const { text, origin, attachments } = message;
  const actions = useContext(TurnActionsContext);
  const [all, setAll] = useState(false);
  const { text: shown, hidden } = keepStart(text, all ? text.length : maxInitialLength);
  return (
    <div class="msg-user">
      <div class="body">
        {origin.kind !== 'user' && <span class="speaker">{speakers[origin.kind] ?? origin.kind}</span>}
        <p class="said" dir="auto">
          {shown}
        </p>
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
      <div class="actions desk-only">
        <CopyButton text={text} what="message" />
        {actions && !live && <PastMessageActions actions={actions} turnId={turnId} />}
      </div>
      <div class="actions phone-only">
        <FoldedActions what="message" text={text}>
          {(close) =>
            actions &&
            !live && (
              <>
                <MenuItem
                  icon="edit"
                  label="Edit and resend"
                  onChoose={() => {
                    close();
                    actions.edit(turnId);
                  }}
                />
                <RewindItems actions={actions} turnId={turnId} onDone={close} />
              </>
            )
          }
        </FoldedActions>
      </div>
    </div>
  );
}

interface PastMessageActionsProps {
  readonly actions: TurnActions;
  readonly turnId: string;
}

function PastMessageActions({ actions, turnId }: PastMessageActionsProps) {
  return (
    <>
      <IconButton icon="edit" label="Edit and resend" onClick={() => actions.edit(turnId)} />
      <MenuButton
        class="btn ghost icon-only small"
        label="Rewind to here"
        title="Rewind to here"
        menu="Rewind to before this message"
        face={<Icon name="rewind" />}
      >
        {(close) => <RewindItems actions={actions} turnId={turnId} onDone={close} />}
      </MenuButton>
    </>
  );
}

interface RewindItemsProps extends PastMessageActionsProps {
  readonly onDone: () => void;
}

const rewinds = [
  ['conversation', 'Conversation', 'Drops this message and everything after it'],
  ['files', 'Files', 'Undoes the edits since this message'],
  ['both', 'Conversation and files', undefined],
] as const;

function RewindItems({ actions, turnId, onDone }: RewindItemsProps) {
  return (
    <>
      <div class="menu-head" role="presentation">
        Rewind to before this message
      </div>
      {rewinds
        .filter(([what]) => what === 'conversation' || actions.hasFiles)
        .map(([what, label, note]) => (
          <MenuItem
            key={what}
            icon="rewind"
            label={label}
            note={note}
            onChoose={() => {
              onDone();
              void actions.rewind(turnId, what);
            }}
          />
        ))}
    </>
  );
}

export function AttachmentView({ attachment }: { readonly attachment: MessageAttachment }) {
  if (attachment.type === 'embeddedResource' && isPicture(attachment.contentType)) {
    return <Picture base64={attachment.data} contentType={attachment.contentType} label={attachment.label} />;
  }
  const path = attachment.type === 'resource' ? pathOf(attachment.uri) : attachment.label;
  return (
    <span class="chip" title={path}>
      <Icon name="file" />
      {attachment.label}
    </span>
  );
}
