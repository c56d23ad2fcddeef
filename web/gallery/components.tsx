// The parts of the gallery that stand around a conversation: composer, queue, lists, changes, messages.
import type { ComponentChildren } from 'preact';
import { target } from './surroundings.ts';
import { compare } from '../text/diff.ts';
import type { InputEdit } from '../views/ask/EditedInput.tsx';
import { EditedInput } from '../views/ask/EditedInput.tsx';
import { AttachmentList } from '../views/compose/Attachments.tsx';
import { CompletionList } from '../views/compose/CompletionList.tsx';
import { ComposerFrame } from '../views/compose/Composer.tsx';
import { PickerBar } from '../views/compose/PickerBar.tsx';
import { Queue } from '../views/compose/Queue.tsx';
import { SendButtons } from '../views/compose/SendButtons.tsx';
import { Waits } from '../views/compose/Waits.tsx';
import { DiffView } from '../views/diff/DiffView.tsx';
import { Toasts } from '../views/frame/Toasts.tsx';
import { SessionRow } from '../views/pages/SessionRow.tsx';
import { ConfigForm } from '../views/parts/ConfigForm.tsx';
import { CommentView } from '../views/review/Comments.tsx';
import { HunkTable } from '../views/review/HunkTable.tsx';
import { QrCode } from '../views/settings/QrCode.tsx';
import { activeTurn, chatWith, completions, edited, pickers, sessions } from './samples.ts';

const nothing = () => undefined;

interface PartProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Part({ title, children }: PartProps) {
  return (
    <section class="gallery-part" aria-label={title}>
      <h2>{title}</h2>
      <div>{children}</div>
    </section>
  );
}

interface ComposerSampleProps {
  readonly text?: string;
  readonly isRunning?: boolean;
  readonly isFocused?: boolean;
}

function ComposerSample({ text = '', isRunning = false, isFocused = false }: ComposerSampleProps) {
  return (
    <div class={isFocused ? 'shows-focus' : ''}>
      <ComposerFrame onSubmit={nothing} onFiles={nothing}>
        {text !== '' && (
          <AttachmentList
            attachments={[{ type: 'resource', label: 'cart.js', uri: 'file:///shop/cart.js' }]}
            onRemove={nothing}
          />
        )}
        <textarea
          class="message-field"
          rows={1}
          aria-label="Message"
          placeholder={isRunning ? 'Queue or steer' : 'Message the agent'}
          value={text}
        />
        <div class="composer-bar">
          <PickerBar pickers={pickers} />
          <span class="spacer" />
          <SendButtons target={target} isRunning={isRunning} isReady={text !== ''} />
        </div>
      </ComposerFrame>
    </div>
  );
}

export function Composers() {
  return (
    <Part title="Composer">
      <ComposerSample />
      <ComposerSample text="Fix the total in @cart.js" isFocused />
      <ComposerSample isRunning />
      <Waits chat={chatWith({ activeTurn: { ...activeTurn, id: 'unseen' } })} />
      <Queue
        target={target}
        state={chatWith({
          activeTurn,
          steeringMessage: message('s', 'Use the new price'),
          queuedMessages: [message('a', 'Then update the changelog'), message('b', 'And commit it')],
        })}
      />
      <Queue target={target} state={chatWith({ queuedMessages: [message('a', 'Then update it')] })} />
      <div class="still-list">
        <CompletionList id="slash" offer={{ start: 0, items: completions, chosen: 0 }} onChoose={nothing} />
      </div>
    </Part>
  );
}

function message(id: string, text: string) {
  return { id, message: { text, origin: { kind: 'user' as const } } };
}

const edits: readonly InputEdit[] = [{ kind: 'valid', input: '{}' }, { kind: 'invalid' }];

export function Changes() {
  const [hunk] = compare(edited.before, edited.after)?.hunks ?? [];
  return (
    <Part title="Changes">
      <DiffView before={edited.before} after={edited.after} label="cart.js" />
      {hunk && (
        <HunkTable
          hunk={hunk}
          path="cart.js"
          layout="side"
          onComment={nothing}
          renderBelow={({ line, side }) =>
            line === 2 && side === 'after' ? (
              <CommentView
                comment={{ path: 'cart.js', side, line, quote: '', text: 'Round once, at the end.' }}
                onDelete={nothing}
              />
            ) : null
          }
        />
      )}
      {edits.map((edit) => (
        <EditedInput key={edit.kind} original='{"command":"npm test"}' edit={edit} onEdit={nothing} />
      ))}
    </Part>
  );
}

export function Sessions() {
  return (
    <Part title="Sessions">
      <ul class="list">
        {sessions.map((summary) => (
          <li key={summary.resource}>
            <SessionRow summary={summary} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

export function Messages() {
  return (
    <Part title="Messages and settings">
      <div class="still-list">
        <Toasts />
      </div>
      <ConfigForm
        properties={{
          mode: { type: 'string', title: 'Mode', enum: ['code', 'plan'], enumLabels: ['Code', 'Plan'] },
          budget: { type: 'number', title: 'Budget', description: 'In USD, for one session' },
          sounds: { type: 'boolean', title: 'Sounds' },
          fixed: { type: 'boolean', title: 'Fixed by the host', readOnly: true },
        }}
        values={{ mode: 'plan', budget: 5, sounds: true }}
        onChange={nothing}
      />
      <div class="qr-sample">
        <QrCode text="https://192.168.1.4:4517/sign-in?code=1234" />
      </div>
    </Part>
  );
}
