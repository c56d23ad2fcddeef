// The approval of a tool call: what the call would do, and the controls to allow, edit or deny it.
import { useRef, useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { FileEdit } from '../../../src/protocols/ahp/v1_0/content.ts';
import type {
  ConfirmationOption,
  PendingToolCall,
  ToolInput,
} from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { ReadTrackingContext, useReadTracking } from '../../state/readTracking.ts';
import { useHasRole } from '../../state/role.ts';
import { pathOf } from '../../text/format.ts';
import { FileEditView } from '../diff/FileEditView.tsx';
import { approvalHeading } from '../tools/callLine.ts';
import { repeatedNames, ToolInputView } from '../tools/ToolInputView.tsx';
import { parseObject } from '../../text/parseObject.ts';
import { Answers } from './Answers.tsx';
import type { AnswerKeys } from './Answers.tsx';
import { AskCard } from './AskCard.tsx';
import { CallFacts } from './CallFacts.tsx';
import { EditedInput } from './EditedInput.tsx';
import type { InputEdit } from './EditedInput.tsx';
import { FullText } from './FullText.tsx';
import { forEdited } from './scopes.ts';
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
  return <Approval key={contentKey(call)} call={call} turnId={turnId} />;
}

/** Everything that has to be read before the call may be allowed. */
export function contentKey({ toolCallId, toolInput, edits, confirmationTitle }: PendingToolCall): string {
  return JSON.stringify([toolCallId, toolInput, edits, confirmationTitle]);
}

function Approval({ call, turnId }: ConfirmationProps) {
  const mayAnswer = useHasRole('approve');
  const { unread, showNext, markers } = useReadTracking();
  const [edit, setEdit] = useState<InputEdit>({ kind: 'none' });
  const keys = useRef<AnswerKeys>({});
  const { answering, allow, deny } = useDecision(call, turnId, edit);
  const editable = useEditable(call, unread);
  const begin = () => setEdit({ kind: 'begun' });
  const title = approvalHeading(call, call.confirmationTitle ?? call.invocationMessage);
  const isLong = title.length > longTitle;
  return (
    <AskCard
      id={call.toolCallId}
      title={isLong ? cutTitle(title) : visibleText(title)}
      onKeyDown={(event) => pressKey(event, keys.current)}
    >
      <ReadTrackingContext.Provider value={markers}>
        {isLong && <FullText text={visibleText(title)} label="What is asked" />}
        <CallContent call={call} showInput={edit.kind === 'none'} />
      </ReadTrackingContext.Provider>
      {editable !== undefined && edit.kind !== 'none' && (
        <EditedInput original={editable} edit={edit} onEdit={setEdit} />
      )}
      {mayAnswer && unread && <UnreadHint onShowNext={showNext} />}
      {mayAnswer ? (
        <Answers
          options={edit.kind === 'none' ? optionsOf(call) : forEdited(optionsOf(call))}
          answering={answering}
          mayAllow={!unread && edit.kind !== 'invalid'}
          keys={keys}
          onAllow={allow}
          onDeny={deny}
          onEdit={editable !== undefined && edit.kind === 'none' ? begin : undefined}
        />
      ) : (
        <ViewOnlyHint />
      )}
    </AskCard>
  );
}

function optionsOf({ options = [] }: PendingToolCall): readonly ConfirmationOption[] {
  return options.length > 0 ? options : defaultOptions;
}

/** The input, if this user may edit it now: only what was read can be edited. */
function useEditable({ editable, toolInput }: PendingToolCall, unread: boolean): string | undefined {
  const mayEdit = useHasRole('control');
  return editable === true && mayEdit && !unread && typeof toolInput === 'string' ? toolInput : undefined;
}

/** The head cuts longer titles. */
const longTitle = 300;

function cutTitle(title: string): string {
  return `${visibleText(title.slice(0, longTitle))}… (${title.length - longTitle} more characters)`;
}

function useDecision({ toolCallId }: PendingToolCall, turnId: string, edit: InputEdit) {
  const { answering, answer } = useAnswer();
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
  const deny = (option: ConfirmationOption, reason: string): void => {
    const reasonMessage = reason.trim() === '' ? undefined : reason.trim();
    answer({ ...decision(option), approved: false, reason: 'denied', ...present({ reasonMessage }) });
  };
  return { answering, allow, deny };
}

/** Letters answer while the card or one of its buttons has the focus, but not while the user types. */
export function pressKey(event: KeyboardEvent, keys: AnswerKeys): void {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
  if (target.matches('textarea, input:not([type=radio]), pre')) return;
  const run = keys[event.key.toLowerCase()];
  if (!run) return;
  event.preventDefault();
  run();
}

interface CallContentProps {
  readonly call: PendingToolCall;
  readonly showInput: boolean;
}

export function CallContent({ call, showInput }: CallContentProps) {
  const { intention, riskAssessment, edits, toolInput } = call;
  return (
    <>
      {intention !== undefined && <p class="note">{visibleText(intention)}</p>}
      {riskAssessment && <Risk assessment={riskAssessment} />}
      {edits?.items.map((edit, index) => (
        <FileEditView key={index} edit={edit} unfolded />
      ))}
      {showInput && toolInput !== undefined && <Arguments input={toolInput} edits={edits?.items} />}
      {showInput && runsProgram(call) && <CallFacts call={call} />}
    </>
  );
}

/** Parley says so of its calls; of those of other hosts, the command line does. */
function runsProgram({ toolInput, _meta: ours }: PendingToolCall): boolean {
  const kind = ours?.['kind'];
  if (kind !== undefined) return kind === 'execute';
  return toolInput !== undefined && commandIn(toolInput) !== undefined;
}

export function UnreadHint({ onShowNext }: { readonly onShowNext: () => void }) {
  return (
    <p class="unread-hint" role="status">
      You can agree once you have seen all of it.{' '}
      <button type="button" class="link" onClick={onShowNext}>
        Go to the next part
      </button>
    </p>
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

interface ArgumentsProps {
  readonly input: ToolInput;
  readonly edits: readonly FileEdit[] | undefined;
}

/** Beside the edits, the arguments that repeat them are folded and need not be read. */
function Arguments({ input, edits }: ArgumentsProps) {
  const command = commandIn(input);
  if (command !== undefined) return <Command input={input} command={command} />;
  if (!edits) return <ToolInputView input={input} />;
  return (
    <>
      <ToolInputView input={input} without={[...repeatedNames, ...namesShownBy(edits, input)]} />
      <ReadTrackingContext.Provider value={undefined}>
        <details class="details">
          <summary>Arguments{sizeOf(input)}</summary>
          <ToolInputView input={input} />
        </details>
      </ReadTrackingContext.Provider>
    </>
  );
}

/** The names of arguments whose value the edits show: the path of a file, and whether all places change. */
function namesShownBy(edits: readonly FileEdit[], input: ToolInput): readonly string[] {
  const paths = edits.flatMap(({ before, after }) =>
    [before, after].map((each) => `/${pathOf(each?.uri ?? '')}`),
  );
  const isShown = (name: string, value: unknown) =>
    typeof value === 'string'
      ? value !== '' && paths.some((path) => path.endsWith(`/${value}`))
      : typeof value === 'boolean' && ['all_occurrences', 'replace_all'].includes(name);
  const fields = typeof input === 'string' ? parseObject(input) : undefined;
  return Object.entries(fields ?? {}).flatMap(([name, value]) => (isShown(name, value) ? [name] : []));
}

/** A command line, then its other arguments. */
function Command({ input, command }: { readonly input: ToolInput; readonly command: string }) {
  return (
    <>
      <FullText text={visibleText(command)} label="Command" kind="command" />
      {typeof input === 'string' && parseObject(input) && (
        <ToolInputView input={input} without={['command']} />
      )}
    </>
  );
}

/** Undefined unless the input is a command line: text, or an object with a member of that name. */
function commandIn(input: ToolInput): string | undefined {
  if (typeof input !== 'string' || input.trim() === '') return undefined;
  const fields = parseObject(input);
  if (!fields) return input;
  return typeof fields['command'] === 'string' ? fields['command'] : undefined;
}
