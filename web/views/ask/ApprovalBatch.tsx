// One approval for calls that wait together. Each is shown whole, and one answer holds for exactly those that
// are shown: another call makes it a new batch, which has to be read to its end again.
import { useContext, useMemo, useRef, useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { ConfirmationOption, PendingToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { useChat } from '../../state/chat.ts';
import { ReadTrackingContext, useReadTracking } from '../../state/readTracking.ts';
import type { ReadMarkers } from '../../state/readTracking.ts';
import { useHasRole } from '../../state/role.ts';
import { approvalHeading, rawOf } from '../tools/callLine.ts';
import { batchTitle, onceOption, refusal } from '../transcript/batches.ts';
import { waitingId } from '../transcript/waiting.ts';
import { Answers } from './Answers.tsx';
import type { AnswerKeys } from './Answers.tsx';
import { AskCard } from './AskCard.tsx';
import { CallContent, contentKey, pressKey, UnreadHint } from './Confirmation.tsx';
import { FullText } from './FullText.tsx';
import { EndMarker } from './ReadMarkers.tsx';
import { ViewOnlyHint } from './ViewOnlyHint.tsx';

interface ApprovalBatchProps {
  readonly calls: readonly PendingToolCall[];
  readonly turnId: string;
  /** Shows a card for each call instead. */
  readonly onSplit: () => void;
}

export function ApprovalBatch(props: ApprovalBatchProps) {
  return <Batch key={props.calls.map(contentKey).join('\n')} {...props} />;
}

function Batch({ calls, turnId, onSplit }: ApprovalBatchProps) {
  const mayAnswer = useHasRole('approve');
  const { unread, showNext, markers } = useReadTracking();
  const keys = useRef<AnswerKeys>({});
  const { answering, allow, deny } = useDecisions(calls, turnId);
  const [first] = calls;
  if (!first) return null;
  return (
    <AskCard
      id={first.toolCallId}
      title={batchTitle(calls)}
      onKeyDown={(event) => pressKey(event, keys.current)}
    >
      <ReadTrackingContext.Provider value={markers}>
        <ol class="batch">
          {calls.map((call) => (
            <BatchedCall key={call.toolCallId} call={call} isFirst={call === first} />
          ))}
        </ol>
      </ReadTrackingContext.Provider>
      {mayAnswer && unread && <UnreadHint onShowNext={showNext} />}
      {mayAnswer ? (
        <>
          <p class="scope-says">
            Only these {calls.length} calls, once. Nothing is saved.{' '}
            <button type="button" class="link" onClick={onSplit}>
              Answer each alone
            </button>
          </p>
          <Answers
            options={answersFor(calls.length)}
            answering={answering}
            mayAllow={!unread}
            keys={keys}
            onAllow={allow}
            onDeny={(_, reason) => deny(reason)}
            onEdit={undefined}
          />
        </>
      ) : (
        <ViewOnlyHint />
      )}
    </AskCard>
  );
}

interface BatchedCallProps {
  readonly call: PendingToolCall;
  readonly isFirst: boolean;
}

/** The card has the id of the first call. */
function BatchedCall({ call, isFirst }: BatchedCallProps) {
  const title = call.confirmationTitle ?? call.invocationMessage;
  const heading = visibleText(approvalHeading(call, title));
  // The command itself is below.
  const isNamedBelow = rawOf(title).startsWith('$ ') && call.toolInput !== undefined;
  return (
    <li {...present({ id: isFirst ? undefined : waitingId(call.toolCallId) })}>
      <ReadTrackingContext.Provider value={useOwnMarkers(call.toolCallId)}>
        {!isNamedBelow && <Heading text={heading} />}
        <CallContent call={call} showInput />
        <EndMarker name="end of the call" />
      </ReadTrackingContext.Provider>
    </li>
  );
}

const longHeading = 300;

function Heading({ text }: { readonly text: string }) {
  return text.length > longHeading ? (
    <FullText text={text} label="What is asked" />
  ) : (
    <h3 dir="auto">{text}</h3>
  );
}

/** Calls may have parts of the same name, such as two edits of one file: each has to be read. */
function useOwnMarkers(call: string): ReadMarkers | undefined {
  const markers = useContext(ReadTrackingContext);
  return useMemo(
    () =>
      markers && {
        add: (name, element) => markers.add(`${call} ${name}`, element),
        read: (name) => markers.read(`${call} ${name}`),
        remove: (name) => markers.remove(`${call} ${name}`),
      },
    [markers, call],
  );
}

function answersFor(count: number): readonly ConfirmationOption[] {
  return [
    { id: 'allow', label: `Allow all ${count}`, kind: 'approve' },
    { id: 'deny', label: `Deny all ${count}`, kind: 'deny' },
  ];
}

/** One answer for each call, by its own option. */
function useDecisions(calls: readonly PendingToolCall[], turnId: string) {
  const chat = useChat();
  const [answering, setAnswering] = useState(false);
  const send = (actionFor: (call: PendingToolCall) => Parameters<typeof chat.dispatch>[0]): void => {
    setAnswering(true);
    const sent = calls.map((call) => chat.dispatch(actionFor(call)));
    void Promise.all(sent).then(() => setAnswering(false));
  };
  const decision = ({ toolCallId }: PendingToolCall, option: ConfirmationOption | undefined) => ({
    type: 'chat/toolCallConfirmed' as const,
    turnId,
    toolCallId,
    ...present({ selectedOptionId: option?.id }),
  });
  return {
    answering,
    allow: () =>
      send((call) => ({ ...decision(call, onceOption(call)), approved: true, confirmed: 'user-action' })),
    deny: (reason: string) => {
      const reasonMessage = reason.trim() === '' ? undefined : reason.trim();
      send((call) => ({
        ...decision(call, refusal(call)),
        ...{ approved: false, reason: 'denied', ...present({ reasonMessage }) },
      }));
    },
  };
}
