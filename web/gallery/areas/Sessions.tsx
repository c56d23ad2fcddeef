// Lists of sessions in every state, their menus and dialogs, the start page and the inbox.
import { useEffect, useRef } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Inbox } from '../../state/inbox.ts';
import { AnsweredList } from '../../views/pages/AnsweredList.tsx';
import { FolderPicker } from '../../views/pages/FolderPicker.tsx';
import { InboxPage } from '../../views/pages/InboxPage.tsx';
import { SelectionBar } from '../../views/pages/SelectionBar.tsx';
import { SessionList } from '../../views/pages/SessionList.tsx';
import { openSessionMenu, SessionMenu } from '../../views/pages/SessionMenu.tsx';
import { SessionRow } from '../../views/pages/SessionRow.tsx';
import { StartPage } from '../../views/pages/StartPage.tsx';
import { DeleteSession } from '../../views/session/DeleteSession.tsx';
import { Area, Host, Opened, Part, Pressed, Stage } from '../Part.tsx';
import { sessions, shop } from '../samples/sessions.ts';
import { empty, loading, world } from '../samples/world.ts';
import { inbox, noInbox, nothing } from '../surroundings.ts';

export function Sessions() {
  return (
    <Area title="Sessions">
      <Part title="Rows">
        <ul class="list">
          {sessions.map((summary) => (
            <li key={summary.resource}>
              <SessionRow summary={summary} />
            </li>
          ))}
        </ul>
      </Part>
      <Part title="Lists without rows">
        {[empty, loading].map((tables, index) => (
          <Host key={index} tables={tables}>
            <div class="without-menu">
              <SessionList />
            </div>
          </Host>
        ))}
      </Part>
      <Part title="Selection">
        <div class="frame">
          <SelectionBar selected={sessions.slice(0, 2)} />
          <SelectionBar selected={[]} />
        </div>
      </Part>
      <Part title="Menu of a row">
        <RowMenu />
      </Part>
      <Part title="Deletion">
        <Deletion title="Fix the cart total" />
        <Deletion title="اشرح لي هذا المشروع" />
      </Part>
      <Part title="Folder">
        <Opened>
          <FolderPicker folder="/home/ada/code/shop" onChange={nothing} problem="" />
        </Opened>
        <Pressed names={['Browse…']}>
          <Opened>
            <FolderPicker folder="/home/ada/code/shop" onChange={nothing} problem="" />
          </Opened>
        </Pressed>
        <FolderPicker folder="/no/such/folder" onChange={nothing} problem="" />
        <FolderPicker folder="" onChange={nothing} problem="The agent could not start in this folder." />
      </Part>
    </Area>
  );
}

export function Pages() {
  return (
    <Area title="Pages">
      <Part title="Start">
        <Stage size="tall">
          <StartPage />
        </Stage>
      </Part>
      <Part title="Start, view only">
        <Host tables={{ ...world, access: { role: 'observe' } }}>
          <Stage>
            <StartPage />
          </Stage>
        </Host>
      </Part>
      <Part title="Inbox">
        <Inboxes />
      </Part>
      <Part title="Inbox, answered">
        <Host tables={{ ...world, sessions: world.sessions.map(asOther).slice(0, 1) }}>
          <AnsweredList />
        </Host>
        <Host tables={{ ...world, sessions: [] }}>
          <AnsweredList />
        </Host>
      </Part>
    </Area>
  );
}

/** Its chat has a call that somebody has allowed. */
function asOther(summary: SessionSummary): SessionSummary {
  return { ...summary, resource: 'ahp-session:/other' };
}

const inboxes: readonly Inbox[] = [inbox, noInbox];

function Inboxes() {
  return (
    <>
      {inboxes.map((each, index) => (
        <Stage key={index}>
          <InboxPage inbox={each} />
        </Stage>
      ))}
    </>
  );
}

function RowMenu() {
  useEffect(() => {
    const [first] = sessions;
    if (first) openSessionMenu(new MouseEvent('contextmenu'), first);
  }, []);
  return <SessionMenu />;
}

function Deletion({ title }: { readonly title: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return <DeleteSession session={shop} title={title} dialog={dialog} />;
}
