// The inbox: every approval and question that waits for the user, with the controls to answer it.
import { useMemo } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Inbox, InboxEntry } from '../../state/inbox.ts';
import { useClient } from '../../state/app.ts';
import { ChatContext, backgroundChatPort } from '../../state/chat.ts';
import { addressOf } from '../../state/route.ts';
import { Confirmation } from '../ask/Confirmation.tsx';
import { QuestionForm } from '../ask/QuestionForm.tsx';
import { ResultConfirmation } from '../ask/ResultConfirmation.tsx';
import { ToolSignIn } from '../ask/ToolSignIn.tsx';
import { ResultDetails, ToolTitle } from '../tools/ToolCard.tsx';

export function InboxPage({ inbox }: { readonly inbox: Inbox }) {
  const entries = inbox.entries.value;
  const withoutDetails = inbox.waiting.value.filter(
    ({ resource }) => !entries.some(({ session }) => session === resource),
  );
  const failed = inbox.failed.value;
  return (
    <section class="page inbox">
      <h1 tabIndex={-1}>Inbox</h1>
      {entries.length === 0 && withoutDetails.length === 0 && <p class="empty">You're all caught up.</p>}
      {entries.map((entry) => (
        <WaitingEntry key={`${entry.session} ${entry.request.id}`} entry={entry} />
      ))}
      <Sessions heading="Waiting – open the session to answer" sessions={withoutDetails} />
      <Sessions heading="Failed" sessions={failed} />
    </section>
  );
}

function Sessions({
  heading,
  sessions,
}: {
  readonly heading: string;
  readonly sessions: readonly SessionSummary[];
}) {
  if (sessions.length === 0) return null;
  return (
    <>
      <h2>{heading}</h2>
      <ul>
        {sessions.map(({ resource, title }) => (
          <li key={resource}>
            <a href={addressOf({ page: 'session', session: resource })}>{title || 'New session'}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function WaitingEntry({ entry: { session, title, request } }: { readonly entry: InboxEntry }) {
  const client = useClient();
  const port = useMemo(() => backgroundChatPort(client, session, request.chat), [session, request.chat]);
  return (
    <article class="inbox-entry" aria-label={`${title || 'New session'} needs you`}>
      <h2>
        <a href={addressOf({ page: 'session', session, chat: request.chat })}>{title || 'New session'}</a>
      </h2>
      <ChatContext.Provider value={port}>
        <Request request={request} />
      </ChatContext.Provider>
    </article>
  );
}

function Request({ request }: { readonly request: InboxEntry['request'] }) {
  switch (request.kind) {
    case 'chatInput':
      return <QuestionForm request={request.request} />;
    case 'toolConfirmation':
      return (
        <>
          <p class="tool-title">
            <ToolTitle call={request.toolCall} />
          </p>
          {request.toolCall.status === 'pending-confirmation' ? (
            <Confirmation call={request.toolCall} turnId={request.turnId} />
          ) : (
            <ResultConfirmation call={request.toolCall} turnId={request.turnId}>
              <ResultDetails call={request.toolCall} />
            </ResultConfirmation>
          )}
        </>
      );
    case 'toolAuthentication':
      return <ToolSignIn call={request.toolCall} />;
    case 'toolClientExecution':
      return null;
    default:
      return request satisfies never;
  }
}
