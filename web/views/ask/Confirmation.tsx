// The approval of a tool call: what the call would do, and the controls to allow, edit or deny it.
import { useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type {
  ConfirmationOption,
  PendingToolCall,
  ToolInput,
} from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { ReadTrackingContext, useReadTracking } from '../../state/readTracking.ts';
import { useHasRole } from '../../state/role.ts';
import { FileEditView } from '../diff/FileEditView.tsx';
import { InlineText, rawText } from '../parts/InlineText.tsx';
import { parseObject, repeatedNames, ToolInputView } from '../tools/ToolInputView.tsx';
import { visibleText } from '../../../src/base/visibleText.ts';
import { EditedInput } from './EditedInput.tsx';
import type { InputEdit } from './EditedInput.tsx';
import { FullText } from './FullText.tsx';
import { Risk } from './Risk.tsx';
import { useAnswer } from './useAnswer.ts';
import { ViewOnlyHint } from './ViewOnlyHint.tsx';

interface ConfirmationProps {
  readonly call: PendingToolCall;
  readonly turnId: string;
}

/** For hosts that offer no options of their own. */
const defaultOptions: readonly ConfirmationOption[] = [
  { id: '', label: 'Allow', kind: 'approve' },
  { id: '', label: 'Deny', kind: 'deny' },
];

/** The key resets the read tracking when the call changes: changed content has to be read again. */
export function Confirmation({ call, turnId }: ConfirmationProps) {
  const content = JSON.stringify([call.toolCallId, call.toolInput, call.edits, call.confirmationTitle]);
  return <Approval key={content} call={call} turnId={turnId} />;
}

function Approval({ call, turnId }: ConfirmationProps) {
  const { toolInput, editable } = call;
  const mayAnswer = useHasRole('approve');
  const mayEdit = useHasRole('control');
  const { unread, showNext, markers } = useReadTracking();
  const [edit, setEdit] = useState<InputEdit>({ kind: 'none' });
  return (
    <div class="ask" role="group" aria-label={`Approval: ${call.displayName}`}>
      <ReadTrackingContext.Provider value={markers}>
        <ApprovalTitle call={call} />
        <CallContent call={call} showInput={edit.kind === 'none'} />
      </ReadTrackingContext.Provider>
      {editable === true && mayEdit && !unread && typeof toolInput === 'string' && (
        <EditedInput original={toolInput} edit={edit} onEdit={setEdit} />
      )}
      {mayAnswer && unread && <UnreadHint onShowNext={showNext} />}
      {mayAnswer ? (
        <Answers call={call} turnId={turnId} edit={edit} mayAllow={!unread && edit.kind !== 'invalid'} />
      ) : (
        <ViewOnlyHint />
      )}
    </div>
  );
}

/** The tool card cuts longer titles. */
export const longTitle = 300;

/** Left out where the tool card above shows the same text. A long title has to be read to its end. */
function ApprovalTitle({ call }: { readonly call: PendingToolCall }) {
  const { confirmationTitle, invocationMessage } = call;
  const title = confirmationTitle ?? invocationMessage;
  if (rawText(title).length > longTitle)
    return <FullText text={visibleText(rawText(title))} label="What is asked" />;
  if (confirmationTitle === undefined || rawText(title) === rawText(call.invocationMessage)) return null;
  return (
    <p class="ask-title">
      <InlineText text={title} />
    </p>
  );
}

interface CallContentProps {
  readonly call: PendingToolCall;
  readonly showInput: boolean;
}

function CallContent({ call, showInput }: CallContentProps) {
  const { intention, riskAssessment, edits, toolInput } = call;
  return (
    <>
      {intention !== undefined && <p class="hint">{intention}</p>}
      {riskAssessment && <Risk assessment={riskAssessment} />}
      {edits?.items.map((edit, index) => (
        <FileEditView key={index} edit={edit} unfolded />
      ))}
      {showInput && toolInput !== undefined && (
        <Arguments input={toolInput} besideEdits={edits !== undefined} />
      )}
    </>
  );
}

export function UnreadHint({ onShowNext }: { readonly onShowNext: () => void }) {
  return (
    <p class="hint more" role="status">
      Read everything before you decide.{' '}
      <button type="button" class="link" onClick={onShowNext}>
        Show more
      </button>
    </p>
  );
}

/** Answers that outlive the session are refused to devices that may only approve. */
function isLasting({ _meta: ours }: ConfirmationOption): boolean {
  return ours?.['effect'] === 'allow-always' || ours?.['effect'] === 'deny-always';
}

interface AnswersProps extends ConfirmationProps {
  readonly edit: InputEdit;
  readonly mayAllow: boolean;
}

function Answers({ call, turnId, edit, mayAllow }: AnswersProps) {
  const { toolCallId, options = [] } = call;
  const { answering, answer } = useAnswer();
  const [reason, setReason] = useState('');
  const mayRemember = useHasRole('control');
  const offered = (options.length > 0 ? options : defaultOptions).filter(
    (option) => mayRemember || !isLasting(option),
  );
  const allowing = offered.filter(({ kind }) => kind !== 'deny');
  const denying = offered.filter(({ kind }) => kind === 'deny');
  const decision = ({ id }: ConfirmationOption) => ({
    type: 'chat/toolCallConfirmed' as const,
    turnId,
    toolCallId,
    ...present({ selectedOptionId: id === '' ? undefined : id }),
  });
  const allow = (option: ConfirmationOption): void => {
    const editedToolInput = edit.kind === 'valid' ? edit.input : undefined;
    answer({
      ...decision(option),
      approved: true,
      confirmed: 'user-action',
      ...present({ editedToolInput }),
    });
  };
  const deny = (option: ConfirmationOption): void => {
    const reasonMessage = reason.trim() === '' ? undefined : reason.trim();
    answer({ ...decision(option), approved: false, reason: 'denied', ...present({ reasonMessage }) });
  };
  return (
    <>
      <div class="ask-actions" role="group" aria-label="Answer">
        {allowing.map((option, index) => (
          <button
            key={option.id}
            type="button"
            class={index === 0 ? 'primary' : ''}
            disabled={answering || !mayAllow}
            onClick={() => allow(option)}
          >
            {option.label}
          </button>
        ))}
        {denying.map((option) => (
          <button
            key={option.id}
            type="button"
            class="danger"
            disabled={answering}
            onClick={() => deny(option)}
          >
            {option.label}
          </button>
        ))}
      </div>
      {denying.length > 0 && <ReasonField reason={reason} disabled={answering} onChange={setReason} />}
    </>
  );
}

interface ReasonFieldProps {
  readonly reason: string;
  readonly disabled: boolean;
  readonly onChange: (reason: string) => void;
}

/** Goes to the agent with a denial. */
function ReasonField({ reason, disabled, onChange }: ReasonFieldProps) {
  return (
    <label class="reason-field">
      <span>Tell the agent what to do instead (optional)</span>
      <input value={reason} disabled={disabled} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

/** Says how much is folded. */
function sizeOf(input: ToolInput): string {
  if (typeof input !== 'string') return '';
  const texts = Object.values(parseObject(input) ?? { input }).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length, 0);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return ` (${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters)`;
}

/** Beside the edits, the arguments that repeat them are folded and need not be read. */
function Arguments({ input, besideEdits }: { readonly input: ToolInput; readonly besideEdits: boolean }) {
  if (!besideEdits) return <ToolInputView input={input} />;
  return (
    <>
      <ToolInputView input={input} without={repeatedNames} />
      <ReadTrackingContext.Provider value={undefined}>
        <details class="folded">
          <summary>Arguments{sizeOf(input)}</summary>
          <ToolInputView input={input} />
        </details>
      </ReadTrackingContext.Provider>
    </>
  );
}
