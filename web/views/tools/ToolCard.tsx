// One tool call in any status. A finished call is one line that unfolds; a call that waits for the user is an
// approval.
import { decisionText, isStopped, withoutCode } from '../../../client/callText.ts';
import { visibleText } from '../../../src/base/visibleText.ts';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { FileEdit } from '../../../src/protocols/ahp/v1_0/content.ts';
import type {
  CancelledToolCall,
  CompletedToolCall,
  PendingResultToolCall,
  PendingToolCall,
  ToolCallState,
  ToolResultContent,
} from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { ApprovalBatch } from '../ask/ApprovalBatch.tsx';
import { Confirmation } from '../ask/Confirmation.tsx';
import { ResultConfirmation } from '../ask/ResultConfirmation.tsx';
import { ToolSignIn } from '../ask/ToolSignIn.tsx';
import { EditDiff, EditPath } from '../diff/FileEditView.tsx';
import { Icon } from '../parts/Icon.tsx';
import { InlineText, rawText } from '../parts/InlineText.tsx';
import { PlainText } from '../parts/PlainText.tsx';
import { planIn, PlanView } from '../parts/PlanView.tsx';
import { CallResult } from './CallResult.tsx';
import { BatchContext } from '../transcript/batches.ts';
import { ApprovalPendingContext } from './approvalPending.ts';
import { callLine } from './callLine.ts';
import type { CallLine } from './callLine.ts';
import { sandboxMark } from './sandboxMark.ts';
import { SubAgentChat, ToolContentView } from './ToolContentView.tsx';
import { ToolInputView } from './ToolInputView.tsx';
import { UnfoldedCallsContext } from './unfoldedCalls.ts';

interface ToolCardProps {
  readonly call: ToolCallState;
  readonly turnId: string;
  /** In the running or last turn, where edits stay unfolded. */
  readonly recent?: boolean;
}

export function ToolCard({ call, turnId, recent = true }: ToolCardProps) {
  const approvalPending = useContext(ApprovalPendingContext);
  const unfolded = useContext(UnfoldedCallsContext);
  const [open, setOpen] = useState(startsOpen(call, recent));
  // A call that starts to run or fails unfolds; until then the user's choice stays.
  useEffect(() => setOpen(startsOpen(call, recent)), [call.status]);
  const plan = planIn(call._meta);
  if (plan) return <PlanView entries={plan} />;
  if (call.status === 'pending-confirmation') return <WaitingCall call={call} turnId={turnId} />;
  if (call.status === 'auth-required') return <ToolSignIn call={call} />;
  if (call.status === 'pending-result-confirmation')
    return (
      <ResultConfirmation call={call} turnId={turnId}>
        <ResultDetails call={call} />
      </ResultConfirmation>
    );
  const line = callLine(call);
  if (call.status === 'streaming' && approvalPending) return <WaitingLine line={line} />;
  const edit = onlyEdit(call);
  return (
    <details class="call" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary onClick={() => unfolded?.add(call.toolCallId)}>
        {call.status === 'running' || call.status === 'streaming' ? (
          <span class="status running" />
        ) : (
          <Icon name={line.icon} kind="kind" />
        )}
        {edit ? (
          <>
            <span class="verb">{line.verb}</span> <EditPath edit={edit} />
          </>
        ) : (
          <LineText line={line} />
        )}
        <Icon name="chev" kind="chev" />
        <CallResult call={call} />
      </summary>
      {open && (
        <div class="call-body">
          <ToolDetails call={call} line={line} />
          <Decision call={call} />
        </div>
      )}
    </details>
  );
}

interface WaitingCallProps {
  readonly call: PendingToolCall;
  readonly turnId: string;
}

/** The first call of a batch shows all of it. */
function WaitingCall({ call, turnId }: WaitingCallProps) {
  const batch = useContext(BatchContext);
  const at = batch?.calls.findIndex(({ toolCallId }) => toolCallId === call.toolCallId) ?? -1;
  if (!batch || at < 0) return <Confirmation call={call} turnId={turnId} />;
  return at === 0 ? <ApprovalBatch calls={batch.calls} turnId={turnId} onSplit={batch.split} /> : null;
}

/** A call that is still written while another one waits for the user. */
function WaitingLine({ line }: { readonly line: CallLine }) {
  return (
    <div class="call-line">
      <Icon name={line.icon} kind="kind" />
      <LineText line={line} />
      <span class="end">
        <Icon name="clock" kind="kind" />
        Waiting
      </span>
    </div>
  );
}

const longObject = 300;

function LineText({ line: { verb, object, isCommand } }: { readonly line: CallLine }) {
  const raw = rawText(object);
  const short = raw.length > longObject ? `${raw.slice(0, longObject)}…` : object;
  return (
    <>
      {verb !== '' && <span class="verb">{verb}</span>}{' '}
      <span class="object" dir="auto">
        {isCommand ? <code>{rawText(short)}</code> : <InlineText text={short} />}
      </span>
    </>
  );
}

type WaitingStatus = 'pending-confirmation' | 'auth-required' | 'pending-result-confirmation';

interface ToolDetailsProps {
  readonly call: Exclude<ToolCallState, { status: WaitingStatus }>;
  readonly line: CallLine;
}

function ToolDetails({ call, line }: ToolDetailsProps) {
  switch (call.status) {
    case 'streaming':
      return call.partialInput === undefined ? null : (
        <PlainText text={call.partialInput} label={`${call.displayName}, arguments so far`} />
      );
    case 'running':
      return (
        <>
          {!line.isCommand && !startsSubAgent(call) && <Input call={call} />}
          <ResultContents call={call} contents={call.content} />
        </>
      );
    case 'cancelled':
      return <CancelledDetails call={call} />;
    case 'completed':
      return <ResultDetails call={call} />;
    default:
      // A newer host may send a status that is not known here.
      return null;
  }
}

function CancelledDetails({ call }: { readonly call: CancelledToolCall }) {
  const { reasonMessage, userSuggestion } = call;
  return (
    <>
      {reasonMessage !== undefined && (
        <p class="note reason" dir="auto">
          “<InlineText text={reasonMessage} />”
        </p>
      )}
      {userSuggestion !== undefined && (
        <p class="note reason" dir="auto">
          “{userSuggestion.text}”
        </p>
      )}
      <Input call={call} />
    </>
  );
}

/** The edit of a call that says what happened to that one file: the file is named by its line. */
function onlyEdit(call: ToolCallState): FileEdit | undefined {
  if (call.status !== 'completed') return undefined;
  const edits = (call.content ?? []).filter((each) => each.type === 'fileEdit');
  const isTold = edits.length === 1 && editingVerbs.has(callLine(call).verb);
  return isTold ? edits[0] : undefined;
}

const editingVerbs: ReadonlySet<string> = new Set([
  'Created',
  'Deleted',
  'Edited',
  'Moved',
  'Overwrote',
  'Wrote',
]);

/** A result that waits for a decision is shown whole. */
export function ResultDetails({ call }: { readonly call: CompletedToolCall | PendingResultToolCall }) {
  const { content = [], error, structuredContent, displayName } = call;
  const folded = call.status === 'completed' ? repeatedTexts(call) : [];
  return (
    <>
      <ResultContents call={call} contents={content.filter((each) => !folded.includes(each))} />
      {error && !isStopped(call) && !repeatsError(content, error.message) && (
        <p class="field-error" dir="auto">
          {withoutCode(error.message)}
        </p>
      )}
      {call.content === undefined && structuredContent !== undefined && (
        <PlainText text={JSON.stringify(structuredContent, null, 2)} label={`${displayName}, result`} />
      )}
      <FoldedInput call={call} output={folded} />
    </>
  );
}

interface ResultContentsProps {
  readonly call: ToolCallState;
  readonly contents: readonly ToolResultContent[] | undefined;
}

/** What the line of the call names already is shown without its name. */
function ResultContents({ call, contents = [] }: ResultContentsProps) {
  const edit = onlyEdit(call);
  const subAgent = namedSubAgent(call);
  const hasFailed = call.status === 'completed' && !call.success;
  return (
    <>
      {edit && <EditDiff edit={edit} />}
      {subAgent && <SubAgentChat chat={subAgent.resource} />}
      <Contents
        contents={contents
          .filter((each) => each !== edit && each !== subAgent)
          .map((each) =>
            hasFailed && each.type === 'text' ? { ...each, text: withoutCode(each.text) } : each,
          )}
        label={call.displayName}
      />
    </>
  );
}

/**
 * The text of a successful edit only repeats the diff, that of a command its terminal, and that of a
 * sub-agent the end of its chat: output is shown once.
 */
function repeatedTexts({ content = [], success }: CompletedToolCall): readonly ToolResultContent[] {
  const isRepeated = success && content.some(({ type }) => type === 'fileEdit' || type === 'subagent');
  const hasTerminal = content.some((each) => each.type === 'terminal' && each.result?.preview !== undefined);
  return isRepeated || hasTerminal ? content.filter(({ type }) => type === 'text') : [];
}

/** Many tools return their error message as output too. */
function repeatsError(content: readonly ToolResultContent[], message: string): boolean {
  return content.some((each) => each.type === 'text' && each.text.trim() === message.trim());
}

/** Who allowed or denied the call, where the host reports it, and where it ran if its line does not say. */
function Decision({ call }: { readonly call: ToolCallState }) {
  const { original, sandbox } = call._meta ?? {};
  const mark = sandboxMark(sandbox);
  const decision = decisionText(call);
  return (
    <>
      {decision !== undefined && <p class="note decided">{decision}</p>}
      {mark?.tone === 'quiet' && <p class="note decided">{mark.text}</p>}
      {typeof original === 'string' && (
        <p class="note decided" dir="auto">
          The agent had asked for: <code>{visibleText(original)}</code>
        </p>
      )}
    </>
  );
}

type SubAgentContent = Extract<ToolResultContent, { type: 'subagent' }>;

/** The sub-agent that the line of the call names by the title of its chat. */
function namedSubAgent(call: ToolCallState): SubAgentContent | undefined {
  const { verb, object } = callLine(call);
  const title = `${verb} ${rawText(object)}`.trim();
  return subAgentsOf(call).find((each) => each.title === title);
}

/** The arguments of such a call are the first message of the sub-agent's own chat. */
function startsSubAgent(call: ToolCallState): boolean {
  return subAgentsOf(call).length > 0;
}

function subAgentsOf(call: ToolCallState): readonly SubAgentContent[] {
  const contents = call.status === 'running' || call.status === 'completed' ? (call.content ?? []) : [];
  return contents.filter((each) => each.type === 'subagent');
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
    <details class="details" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{output.length === 0 ? 'Arguments' : 'Arguments and text for the agent'}</summary>
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

function startsOpen(call: ToolCallState, recent: boolean): boolean {
  if (call.status === 'running') return true;
  if (call.status !== 'completed') return call.status === 'cancelled' && call.reason === 'denied';
  if (isStopped(call)) return false;
  const types = new Set(call.content?.map(({ type }) => type));
  return (
    !call.success || (types.has('subagent') && !namedSubAgent(call)) || (recent && types.has('fileEdit'))
  );
}
