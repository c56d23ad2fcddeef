// The inbox: every approval and question that waits for the user, with the controls to answer it.
import { useMemo } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from '../../../client/connection/catalogue.ts';
import type { Inbox, InboxEntry } from '../../state/inbox.ts';
import { useClient } from '../../state/app.ts';
import { ChatContext, backgroundChatPort } from '../../state/chat.ts';
import { usePageTitle } from '../../state/pageTitle.ts';
import { addressOf } from '../../state/route.ts';
import { now } from '../../state/clock.ts';
import { formatAge, nameOf, pathOf } from '../../text/format.ts';
import { Confirmation } from '../ask/Confirmation.tsx';
import { QuestionForm } from '../ask/QuestionForm.tsx';
import { ResultConfirmation } from '../ask/ResultConfirmation.tsx';
import { ToolSignIn } from '../ask/ToolSignIn.tsx';
import { Icon } from '../parts/Icon.tsx';
import { FullMark } from '../parts/StatusMark.tsx';
import { ResultDetails } from '../tools/ToolCard.tsx';
import { SessionRow } from './SessionRow.tsx';

export function InboxPage({ inbox }: { readonly inbox: Inbox }) {
  const entries = inbox.entries.value;
  const withoutDetails = inbox.waiting.value.filter(
    ({ resource }) => !entries.some(({ session }) => session === resource),
  );
  usePageTitle('Inbox');
  return (
    <div class="scroll">
      <section class="page">
        <div class="page-head">
          <h1 tabIndex={-1}>Inbox</h1>
        </div>
        {entries.length === 0 && withoutDetails.length === 0 && (
          <div class="frame empty">
            <Icon name="inbox" />
            <b>You're all caught up.</b>
            <p>Approvals and questions from every session appear here.</p>
          </div>
        )}
        {entries.map((entry) => (
          <WaitingEntry key={`${entry.session} ${entry.request.id}`} entry={entry} />
        ))}
        <Sessions heading="Waiting – open the session to answer" sessions={withoutDetails} />
        <Sessions heading="Failed" sessions={inbox.failed.value} />
      </section>
    </div>
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

function WaitingEntry({ entry: { session, title, request } }: { readonly entry: InboxEntry }) {
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
        <Request request={request} />
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
