// A tool call that waits for a person: what it would do, and the ways to allow, change or refuse it.
import { useState } from 'preact/hooks';
import type {
  ConfirmationOption,
  PendingToolCall,
  ToolInput,
} from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { ReadingContext, useReading } from '../../state/reading.ts';
import { useMay } from '../../state/role.ts';
import { FileEditView } from '../diff/FileEditView.tsx';
import { Inline, plainText } from '../parts/Inline.tsx';
import { repeatedNames, ToolInputView } from '../tools/ToolInputView.tsx';
import { EditedInput } from './EditedInput.tsx';
import { Risk } from './Risk.tsx';
import { useAnswer } from './useAnswer.ts';

interface ConfirmationProps {
  readonly call: PendingToolCall;
  readonly turnId: string;
}

/** For hosts that offer no choices of their own. */
const usualOptions: readonly ConfirmationOption[] = [
  { id: '', label: 'Allow', kind: 'approve' },
  { id: '', label: 'Deny', kind: 'deny' },
];

/** A call that says something else now has to be read again. */
export function Confirmation({ call, turnId }: ConfirmationProps) {
  const content = JSON.stringify([call.toolCallId, call.toolInput, call.edits, call.confirmationTitle]);
  return <Decision key={content} call={call} turnId={turnId} />;
}

function Decision({ call, turnId }: ConfirmationProps) {
  const { toolCallId, toolInput, edits, editable, options = [], confirmationTitle: title } = call;
  const { answering, answer } = useAnswer();
  const mayAnswer = useMay('approve');
  const mayEdit = useMay('control');
  const { unread, readOn, marks } = useReading();
  const [reason, setReason] = useState('');
  const [edited, setEdited] = useState<string>();
  const offered = options.length > 0 ? options : usualOptions;
  const allowing = offered.filter(({ kind }) => kind !== 'deny');
  const denying = offered.filter(({ kind }) => kind === 'deny');

  const choose = ({ id, kind }: ConfirmationOption): void => {
    const about = {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      ...(id === '' ? {} : { selectedOptionId: id }),
    } as const;
    const why = reason.trim() === '' ? {} : { reasonMessage: reason.trim() };
    const changed = edited === undefined ? {} : { editedToolInput: edited };
    if (kind === 'deny') answer({ ...about, approved: false, reason: 'denied', ...why });
    else answer({ ...about, approved: true, confirmed: 'user-action', ...changed });
  };

  return (
    <div class="ask" role="group" aria-label={`Approval: ${call.displayName}`}>
      {title !== undefined && plainText(title) !== plainText(call.invocationMessage) && (
        <p class="ask-title">
          <Inline text={title} />
        </p>
      )}
      <ReadingContext.Provider value={marks}>
        {call.intention !== undefined && <p class="hint">{call.intention}</p>}
        {call.riskAssessment && <Risk assessment={call.riskAssessment} />}
        {edits?.items.map((edit, index) => (
          <FileEditView key={index} edit={edit} unfolded />
        ))}
        {edited === undefined && toolInput !== undefined && (
          <Arguments input={toolInput} besideEdits={edits !== undefined} />
        )}
      </ReadingContext.Provider>
      {editable === true && mayEdit && !unread && typeof toolInput === 'string' && (
        <EditedInput original={toolInput} edited={edited} onEdit={setEdited} />
      )}
      {!mayAnswer && <p class="hint">This device may only look; somebody else has to answer.</p>}
      {mayAnswer && unread && (
        <p class="hint more" role="status">
          There is more to read before this can be allowed.{' '}
          <button type="button" class="link" onClick={readOn}>
            Read on
          </button>
        </p>
      )}
      {mayAnswer && (
        <div class="ask-actions" role="group" aria-label="Answer">
          {allowing.map((option, index) => (
            <button
              key={option.id}
              type="button"
              class={index === 0 ? 'primary' : ''}
              disabled={answering || unread}
              onClick={() => choose(option)}
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
              onClick={() => choose(option)}
            >
              {option.label}
            </button>
          ))}
        </div>
      )}
      {mayAnswer && denying.length > 0 && (
        <label class="reason-field">
          <span>Reason, if you deny (the agent reads it)</span>
          <input
            value={reason}
            disabled={answering}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
      )}
    </div>
  );
}

/** Where the changes themselves are shown, some arguments repeat them. */
function Arguments({ input, besideEdits }: { readonly input: ToolInput; readonly besideEdits: boolean }) {
  if (!besideEdits) return <ToolInputView input={input} />;
  return (
    <>
      <ToolInputView input={input} without={repeatedNames} />
      <ReadingContext.Provider value={undefined}>
        <details class="folded">
          <summary>Arguments</summary>
          <ToolInputView input={input} />
        </details>
      </ReadingContext.Provider>
    </>
  );
}
