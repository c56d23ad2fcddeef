// One tool call in any status: title, input, output, and the approval or sign-in that it waits for.
import { useContext, useEffect, useState } from 'preact/hooks';
import type {
  CancelledToolCall,
  CompletedToolCall,
  PendingResultToolCall,
  ToolCallState,
  ToolResultContent,
} from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { Confirmation, longTitle } from '../ask/Confirmation.tsx';
import { ResultConfirmation } from '../ask/ResultConfirmation.tsx';
import { ToolSignIn } from '../ask/ToolSignIn.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { InlineText, rawText } from '../parts/InlineText.tsx';
import { PlainText } from '../parts/PlainText.tsx';
import { planIn, PlanView } from '../parts/PlanView.tsx';
import { ApprovalPendingContext } from './approvalPending.ts';
import { ToolContentView } from './ToolContentView.tsx';
import { ToolInputView } from './ToolInputView.tsx';

interface ToolCardProps {
  readonly call: ToolCallState;
  readonly turnId: string;
}

export function ToolCard({ call, turnId }: ToolCardProps) {
  const approvalPending = useContext(ApprovalPendingContext);
  const { tone, icon, label } = displayOf(call, approvalPending);
  const [open, setOpen] = useState(startsOpen(call));
  // A call that starts to wait or fails unfolds; until then the user's choice stays.
  useEffect(() => {
    if (startsOpen(call)) setOpen(true);
  }, [call.status]);
  const plan = planIn(call._meta);
  if (plan) return <PlanView entries={plan} />;
  return (
    <details class={`tool ${tone}`} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name={icon} />
        <span class="tool-title">
          <ToolTitle call={call} />
        </span>
        <span class="tool-state">{label}</span>
      </summary>
      {open && <ToolDetails call={call} turnId={turnId} />}
      {open && <Decision call={call} />}
    </details>
  );
}

function ToolDetails({ call, turnId }: ToolCardProps) {
  switch (call.status) {
    case 'streaming':
      return call.partialInput === undefined ? null : (
        <PlainText text={call.partialInput} label={`${call.displayName}, arguments so far`} />
      );
    case 'pending-confirmation':
      return <Confirmation call={call} turnId={turnId} />;
    case 'auth-required':
      return (
        <>
          <Input call={call} />
          <ToolSignIn call={call} />
        </>
      );
    case 'running':
      return (
        <>
          <Input call={call} />
          <Contents contents={call.content} label={call.displayName} />
        </>
      );
    case 'cancelled':
      return <CancelledDetails call={call} />;
    case 'pending-result-confirmation':
      return (
        <ResultConfirmation call={call} turnId={turnId}>
          <ResultDetails call={call} />
        </ResultConfirmation>
      );
    case 'completed':
      return <ResultDetails call={call} />;
    default:
      return null;
  }
}

function CancelledDetails({ call }: { readonly call: CancelledToolCall }) {
  const { reasonMessage, userSuggestion } = call;
  return (
    <>
      <Input call={call} />
      {reasonMessage !== undefined && (
        <p class="reason">
          “<InlineText text={reasonMessage} />”
        </p>
      )}
      {userSuggestion !== undefined && <p class="reason">“{userSuggestion.text}”</p>}
    </>
  );
}

/**
 * The text output of a successful edit only repeats the diff, so it is folded with the arguments. A result
 * that waits for a decision is shown whole.
 */
export function ResultDetails({ call }: { readonly call: CompletedToolCall | PendingResultToolCall }) {
  const { content = [], error, success, structuredContent, displayName } = call;
  const isEdit = call.status === 'completed' && success && content.some(({ type }) => type === 'fileEdit');
  const folded = isEdit ? content.filter(({ type }) => type === 'text') : [];
  return (
    <>
      <FoldedInput call={call} output={folded} />
      <Contents contents={content.filter((each) => !folded.includes(each))} label={displayName} />
      {error && !repeatsError(content, error.message) && <p class="problem">{error.message}</p>}
      {call.content === undefined && structuredContent !== undefined && (
        <PlainText text={JSON.stringify(structuredContent, null, 2)} label={`${displayName}, result`} />
      )}
    </>
  );
}

/** Many tools return their error message as output too. */
function repeatsError(content: readonly ToolResultContent[], message: string): boolean {
  return content.some((each) => each.type === 'text' && each.text.trim() === message.trim());
}

/** Who allowed or denied the call, where the host reports it. */
function Decision({ call }: { readonly call: ToolCallState }) {
  const { decidedBy, decision, effect } = call._meta ?? {};
  if (typeof decidedBy !== 'string') return null;
  const label = effectLabels.get(effect) ?? capitalised(decision);
  return (
    <p class="decided">
      {label} by {decidedBy}
    </p>
  );
}

const effectLabels: ReadonlyMap<unknown, string> = new Map([
  ['allow', 'Allowed once'],
  ['allow-session', 'Allowed for this session'],
  ['allow-always', 'Always allowed'],
  ['deny', 'Denied'],
  ['deny-always', 'Always denied'],
]);

/** Without an option the host reports a word such as `withdrawn`. */
function capitalised(decision: unknown): string {
  if (typeof decision !== 'string') return 'Decided';
  return decision.charAt(0).toUpperCase() + decision.slice(1);
}

type ToolCallWithInput = Exclude<ToolCallState, { status: 'streaming' }>;

function Input({ call }: { readonly call: ToolCallWithInput }) {
  return call.toolInput === undefined ? null : <ToolInputView input={call.toolInput} />;
}

interface FoldedInputProps {
  readonly call: ToolCallWithInput;
  readonly output: readonly ToolResultContent[];
}

/** The input of a finished call is folded: its result matters more. */
function FoldedInput({ call, output }: FoldedInputProps) {
  const [open, setOpen] = useState(false);
  if (call.toolInput === undefined && output.length === 0) return null;
  return (
    <details class="folded" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{output.length === 0 ? 'Arguments' : 'Arguments and output'}</summary>
      {open && <Input call={call} />}
      {open && <Contents contents={output} label={call.displayName} />}
    </details>
  );
}

interface ContentsProps {
  readonly contents: readonly ToolResultContent[] | undefined;
  readonly label: string;
}

function Contents({ contents = [], label }: ContentsProps) {
  return (
    <>
      {contents.map((content, index) => (
        <ToolContentView key={index} content={content} label={label} />
      ))}
    </>
  );
}

export function ToolTitle({ call }: { readonly call: ToolCallState }) {
  const text =
    call.status === 'completed' || call.status === 'pending-result-confirmation'
      ? call.pastTenseMessage
      : call.invocationMessage;
  if (text === undefined || rawText(text) === '') return <>{call.displayName}</>;
  const raw = rawText(text);
  if (raw.length <= longTitle) return <InlineText text={text} />;
  return (
    <>
      {raw.slice(0, longTitle)}… ({raw.length - longTitle} more characters)
    </>
  );
}

function startsOpen(call: ToolCallState): boolean {
  if (call.status === 'completed')
    return (
      !call.success || (call.content?.some(({ type }) => type === 'fileEdit' || type === 'subagent') ?? false)
    );
  return call.status !== 'streaming' && call.status !== 'cancelled';
}

interface CallDisplay {
  /** The CSS class of the card. */
  readonly tone: 'working' | 'waiting' | 'done' | 'failed' | 'cancelled';
  readonly icon: IconName;
  readonly label: string;
}

const cancelledLabels = {
  denied: 'Denied',
  skipped: 'Stopped',
  'result-denied': 'Result not sent',
} as const;

function displayOf(call: ToolCallState, approvalPending: boolean): CallDisplay {
  switch (call.status) {
    case 'streaming':
      return { tone: 'working', icon: 'tool', label: approvalPending ? 'Waiting' : 'Preparing' };
    case 'pending-confirmation':
      return { tone: 'waiting', icon: 'tool', label: 'Needs approval' };
    case 'running':
      return { tone: 'working', icon: 'tool', label: 'Running' };
    case 'auth-required':
      return { tone: 'waiting', icon: 'tool', label: 'Needs sign-in' };
    case 'pending-result-confirmation':
      return { tone: 'waiting', icon: 'tool', label: 'Check the result' };
    case 'completed':
      return call.success
        ? { tone: 'done', icon: 'allow', label: 'Done' }
        : { tone: 'failed', icon: 'error', label: 'Failed' };
    case 'cancelled':
      return { tone: 'cancelled', icon: 'close', label: cancelledLabels[call.reason] };
    default:
      return { tone: 'done', icon: 'tool', label: '' };
  }
}
