// One tool call in any of its states: what it is, what it was given, what it gives back, and what it waits for.
import { useEffect, useState } from 'preact/hooks';
import type { ToolCallState, ToolResultContent } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { Confirmation } from '../ask/Confirmation.tsx';
import { ResultConfirmation } from '../ask/ResultConfirmation.tsx';
import { ToolSignIn } from '../ask/ToolSignIn.tsx';
import { Icon } from '../parts/Icon.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { Inline, plainText } from '../parts/Inline.tsx';
import { Plain } from '../parts/Plain.tsx';
import { planIn, PlanView } from '../parts/PlanView.tsx';
import { ToolContentView } from './ToolContentView.tsx';
import { ToolInputView } from './ToolInputView.tsx';

interface ToolCardProps {
  readonly call: ToolCallState;
  readonly turnId: string;
}

export function ToolCard({ call, turnId }: ToolCardProps) {
  const standing = standingOf(call);
  const [open, setOpen] = useState(startsOpen(call));
  // A call that comes to wait or to fail unfolds; what a person folded stays folded until then.
  useEffect(() => {
    if (startsOpen(call)) setOpen(true);
  }, [call.status]);
  const plan = planIn(call._meta);
  if (plan) return <PlanView entries={plan} />;
  return (
    <details
      class={`tool ${standing.kind}`}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name={standing.icon} />
        <span class="tool-title">
          <Title call={call} />
        </span>
        <span class="tool-state">{standing.words}</span>
      </summary>
      {open && <ToolDetails call={call} turnId={turnId} />}
      {open && <Decided call={call} />}
    </details>
  );
}

function ToolDetails({ call, turnId }: ToolCardProps) {
  switch (call.status) {
    case 'streaming':
      return call.partialInput === undefined ? null : (
        <Plain text={call.partialInput} label={`${call.displayName}, arguments so far`} />
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
          <Contents call={call} />
        </>
      );
    case 'cancelled':
      return (
        <>
          <Input call={call} />
          {call.reasonMessage !== undefined && (
            <p class="reason">
              “<Inline text={call.reasonMessage} />”
            </p>
          )}
          {call.userSuggestion !== undefined && <p class="reason">“{call.userSuggestion.text}”</p>}
        </>
      );
    case 'pending-result-confirmation':
    case 'completed':
      return (
        <>
          <FoldedInput call={call} />
          <Contents call={call} />
          {call.error && !isSaid(call.content, call.error.message) && (
            <p class="problem">{call.error.message}</p>
          )}
          {call.content === undefined && call.structuredContent !== undefined && (
            <Plain
              text={JSON.stringify(call.structuredContent, null, 2)}
              label={`${call.displayName}, result`}
            />
          )}
          {call.status === 'pending-result-confirmation' && (
            <ResultConfirmation call={call} turnId={turnId} />
          )}
        </>
      );
    default:
      return null;
  }
}

/** Many tools tell what went wrong in their result as well. */
function isSaid(content: readonly ToolResultContent[] | undefined, message: string): boolean {
  return content?.some((each) => each.type === 'text' && each.text.trim() === message.trim()) ?? false;
}

/** Who allowed or refused the call, where the host tells. */
function Decided({ call: { _meta } }: { readonly call: ToolCallState }) {
  const by = _meta?.['decidedBy'];
  const decision = _meta?.['decision'];
  if (typeof by !== 'string') return null;
  return <p class="decided">{typeof decision === 'string' ? `${decision}, by ${by}` : `Decided by ${by}`}</p>;
}

function Input({ call }: { readonly call: Exclude<ToolCallState, { status: 'streaming' }> }) {
  return call.toolInput === undefined ? null : <ToolInputView input={call.toolInput} />;
}

/** What a finished call was given matters less than what came of it. */
function FoldedInput({ call }: { readonly call: Exclude<ToolCallState, { status: 'streaming' }> }) {
  const [open, setOpen] = useState(false);
  if (call.toolInput === undefined) return null;
  return (
    <details class="folded" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Arguments</summary>
      {open && <Input call={call} />}
    </details>
  );
}

function Contents({ call }: { readonly call: Extract<ToolCallState, { content?: unknown }> }) {
  return (
    <>
      {call.content?.map((content, index) => (
        <ToolContentView key={index} content={content} label={call.displayName} />
      ))}
    </>
  );
}

function Title({ call }: { readonly call: ToolCallState }) {
  const text =
    call.status === 'completed' || call.status === 'pending-result-confirmation'
      ? call.pastTenseMessage
      : call.invocationMessage;
  if (text === undefined || plainText(text) === '') return <>{call.displayName}</>;
  return <Inline text={text} />;
}

function startsOpen(call: ToolCallState): boolean {
  if (call.status === 'completed')
    return (
      !call.success || (call.content?.some(({ type }) => type === 'fileEdit' || type === 'subagent') ?? false)
    );
  return call.status !== 'streaming' && call.status !== 'cancelled';
}

interface Standing {
  readonly kind: 'working' | 'waiting' | 'done' | 'failed' | 'cancelled';
  readonly icon: IconName;
  readonly words: string;
}

const cancelledWords = { denied: 'Denied', skipped: 'Skipped', 'result-denied': 'Result withheld' } as const;

function standingOf(call: ToolCallState): Standing {
  switch (call.status) {
    case 'streaming':
      return { kind: 'working', icon: 'tool', words: 'Preparing' };
    case 'pending-confirmation':
      return { kind: 'waiting', icon: 'tool', words: 'Needs approval' };
    case 'running':
      return { kind: 'working', icon: 'tool', words: 'Running' };
    case 'auth-required':
      return { kind: 'waiting', icon: 'tool', words: 'Needs sign-in' };
    case 'pending-result-confirmation':
      return { kind: 'waiting', icon: 'tool', words: 'Check the result' };
    case 'completed':
      return call.success
        ? { kind: 'done', icon: 'allow', words: 'Done' }
        : { kind: 'failed', icon: 'error', words: 'Failed' };
    case 'cancelled':
      return { kind: 'cancelled', icon: 'close', words: cancelledWords[call.reason] };
    default:
      return { kind: 'done', icon: 'tool', words: '' };
  }
}
