// The inbox: every approval and question that waits for the user, with the controls to answer it.
import { useMemo, useState } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../../client/connection/catalogue.ts';
import type { Inbox, InboxEntry } from '../../state/inbox.ts';
import { useClient } from '../../state/app.ts';
import { ChatContext, backgroundChatPort } from '../../state/chat.ts';
import { usePageTitle } from '../../state/pageTitle.ts';
import { addressOf, route } from '../../state/route.ts';
import { now } from '../../state/clock.ts';
import { formatAge, nameOf, pathOf } from '../../text/format.ts';
import { ApprovalBatch } from '../ask/ApprovalBatch.tsx';
import { Confirmation } from '../ask/Confirmation.tsx';
import { QuestionForm } from '../ask/QuestionForm.tsx';
import { ResultConfirmation } from '../ask/ResultConfirmation.tsx';
import { ToolSignIn } from '../ask/ToolSignIn.tsx';
import { Icon } from '../parts/Icon.tsx';
import { FullMark } from '../parts/StatusMark.tsx';
import { ResultDetails } from '../tools/ToolCard.tsx';
import type { WaitingBatch } from '../transcript/batches.ts';
import { groupEntries } from './inboxGroups.ts';
import { AnsweredList } from './AnsweredList.tsx';
import { SessionRow } from './SessionRow.tsx';

export function InboxPage({ inbox }: { readonly inbox: Inbox }) {
  const shown = route.value;
  const isAnswered = shown.page === 'inbox' && shown.view === 'answered';
  usePageTitle('Inbox');
  return (
    <div class="scroll">
      <section class="page">
        <div class="page-head">
          <h1 tabIndex={-1}>Inbox</h1>
          <nav class="segment small end" aria-label="Show">
            <a href={addressOf({ page: 'inbox' })} aria-current={isAnswered ? undefined : 'page'}>
              Needs me
              <WaitingCount count={inbox.waiting.value.length} />
            </a>
            <a
              href={addressOf({ page: 'inbox', view: 'answered' })}
              aria-current={isAnswered ? 'page' : undefined}
            >
              Answered
            </a>
          </nav>
        </div>
        {isAnswered ? <AnsweredList /> : <NeedsMe inbox={inbox} />}
      </section>
    </div>
  );
}

function WaitingCount({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span class="badge wait">
      <span class="unseen">, </span>
      {count}
    </span>
  );
}

function NeedsMe({ inbox }: { readonly inbox: Inbox }) {
  const entries = inbox.entries.value;
  const withoutDetails = inbox.waiting.value.filter(
    ({ resource }) => !entries.some(({ session }) => session === resource),
  );
  return (
    <>
      {entries.length === 0 && withoutDetails.length === 0 && (
        <div class="frame empty">
          <Icon name="inbox" />
          <b>You're all caught up.</b>
          <p>Approvals and questions from every session appear here.</p>
        </div>
      )}
      <Waiting entries={entries} />
      <Sessions heading="Waiting – open the session to answer" sessions={withoutDetails} />
      <Sessions heading="Failed" sessions={inbox.failed.value} />
    </>
  );
}

interface SessionsProps {
  readonly heading: string;
  readonly sessions: readonly SessionSummary[];
}

function Sessions({ heading, sessions }: SessionsProps) {
  if (sessions.length === 0) return null;
  return (
    <section class="block" aria-label={heading}>
      <div class="block-head">
        <h2>{heading}</h2>
      </div>
      <ul class="list">
        {sessions.map((summary) => (
          <li key={summary.resource}>
            <SessionRow summary={summary} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What waits; calls that wait together are one entry, unless the user answers each alone. */
function Waiting({ entries }: { readonly entries: readonly InboxEntry[] }) {
  const [split, setSplit] = useState<ReadonlySet<string>>(new Set());
  return (
    <>
      {groupEntries(entries, split).map(({ key, entry, batch }) => (
        <WaitingEntry
          key={key}
          entry={entry}
          batch={batch && { calls: batch, split: () => setSplit(new Set([...split, key])) }}
        />
      ))}
    </>
  );
}

interface WaitingEntryProps {
  readonly entry: InboxEntry;
  readonly batch: WaitingBatch | undefined;
}

function WaitingEntry({ entry: { session, title, request }, batch }: WaitingEntryProps) {
  const client = useClient();
  const port = useMemo(() => backgroundChatPort(client, session, request.chat), [session, request.chat]);
  const name = title || 'New session';
  return (
    <article aria-label={`${name} needs you`}>
      <div class="item-context">
        <a href={addressOf({ page: 'session', session, chat: request.chat })} dir="auto">
          {name}
        </a>
        <Place session={session} />
      </div>
      <ChatContext.Provider value={port}>
        {batch && 'turnId' in request ? (
          <ApprovalBatch calls={batch.calls} turnId={request.turnId} onSplit={batch.split} />
        ) : (
          <Request request={request} />
        )}
      </ChatContext.Provider>
    </article>
  );
}

/** The folder and the agent of a session, and since when it waits: its last change. */
function Place({ session }: { readonly session: string }) {
  const client = useClient();
  const summary = findSummary(client.sessions.value, session);
  const folder = summary?.workingDirectories?.[0];
  const agent = client.root.state.value?.agents.find(({ provider }) => provider === summary?.provider);
  return (
    <>
      {folder !== undefined && (
        <span class="session-place" title={pathOf(folder)}>
          <Icon name="folder" /> <span class="truncate">{nameOf(folder)}</span>
        </span>
      )}
      {agent && (
        <span class="session-place">
          <Icon name="spark" /> <span class="truncate">{agent.displayName}</span>
        </span>
      )}
      {summary && <FullMark summary={summary} />}
      {summary && <span class="end age">{formatAge(summary.modifiedAt, now.value)}</span>}
    </>
  );
}

function Request({ request }: { readonly request: InboxEntry['request'] }) {
  switch (request.kind) {
    case 'chatInput':
      return <QuestionForm request={request.request} />;
    case 'toolConfirmation':
      return request.toolCall.status === 'pending-confirmation' ? (
        <Confirmation call={request.toolCall} turnId={request.turnId} />
      ) : (
        <ResultConfirmation call={request.toolCall} turnId={request.turnId}>
          <ResultDetails call={request.toolCall} />
        </ResultConfirmation>
      );
    case 'toolAuthentication':
      return <ToolSignIn call={request.toolCall} />;
    case 'toolClientExecution':
      return null;
    default:
      return request satisfies never;
  }
}
