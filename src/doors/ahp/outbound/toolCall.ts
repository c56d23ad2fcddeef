// Builds the AHP form of a tool call from its state in the log. Pure.
import type { Step } from '../../../host/session/session.ts';
import { allows } from '../../../model/event.ts';
import { attributedTitle, editedBy, howItRan, originName } from '../../../model/howItRan.ts';
import type { Ask, AskOption, ChatId, ToolId } from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { Chat, State, ToolItem, Turn } from '../../../model/state.ts';
import { isRecord } from '../../../base/isRecord.ts';
import { present } from '../../../base/present.ts';
import type {
  ConfirmationOption,
  PendingToolCall,
  ToolCallConfirmationReason,
  ToolCallContributor,
  ToolCallResult,
  ToolCallState,
} from '../../../protocols/ahp/v1_0/toolCall.ts';
import type { Meta } from '../../../protocols/ahp/v1_0/content.ts';
import { chatOf } from './chat.ts';
import { clientResult, editsOf, inputText, liveContent, shownContent } from './content.ts';
import { offeredAnswers } from './offeredAnswers.ts';
import { askedMessage, askedTitle, kindMeta } from './shownCall.ts';
import type { ToolPlace } from './content.ts';

export type Approval = Extract<Ask, { readonly kind: 'approval' }>;

/** What may have changed: the call itself, or only its output. */
export type ToolChange = 'call' | 'output';

/** A tool call of a turn with everything the session says about it. */
export function toolCallIn(
  state: State,
  { chat, turn }: { readonly chat: Chat; readonly turn: Turn },
  tool: ToolItem,
): ToolCallState {
  const place = { session: state.id, chat: chat.id, turn: turn.id, tool: tool.id };
  const ask = tool.status === 'asking' ? pendingApproval(chat, tool.id) : undefined;
  return toolCall(tool, place, {
    ask: ask && offeredAnswers(state, ask),
    held: heldResult(tool),
  });
}

interface CallForm<Call, Action> {
  readonly view: (state: State, place: { readonly chat: Chat; readonly turn: Turn }, tool: ToolItem) => Call;
  readonly between: (before: Call | undefined, after: Call) => readonly Action[];
}

/** What an entry changes about a call of the running turn, in the form of one version. */
export function callActions<Call, Action>(
  { chat, tool }: { readonly chat: ChatId; readonly tool: ToolId },
  { before, after }: Step,
  { view, between }: CallForm<Call, Action>,
): readonly Action[] {
  const callIn = (state: State): Call | undefined => {
    const found = chatOf(state, chat);
    const turn = found?.active ?? found?.turns.at(-1);
    const item = findTool(turn, tool);
    return found && turn && item && view(state, { chat: found, turn }, item);
  };
  const now = callIn(after);
  return now && chatOf(before, chat) ? between(callIn(before), now) : [];
}

/** Completes a call that its turn has stopped, if it has shown something. */
export function stoppedCall<Call extends { readonly status: string }, Action>(
  place: { readonly chat: ChatId; readonly tool: ToolId },
  step: Step,
  { view, between }: CallForm<Call, Action>,
): readonly Action[] {
  return callActions(place, step, {
    view,
    between: (before, after) =>
      after.status === 'completed' && before?.status !== 'completed' ? between(before, after) : [],
  });
}

/** Whether a user has to confirm the result of a client tool. */
export function isHeld({ status, held }: ToolItem): boolean {
  return status === 'running' && held !== undefined;
}

/** The result of a client tool, in the client's original form if it was stored. */
function heldResult({ held, title }: ToolItem): ToolCallResult | undefined {
  return held && (clientResult(held) ?? { success: held.status === 'done', pastTenseMessage: title });
}

interface Around {
  /** The open question about the call; undefined if it does not wait. */
  readonly ask?: Approval | undefined;
  readonly held?: ToolCallResult | undefined;
}

function toolCall(tool: ToolItem, place: ToolPlace, { ask, held }: Around): ToolCallState {
  const phase = phaseOf(tool);
  switch (phase) {
    case 'streaming':
      return present({
        status: 'streaming' as const,
        ...baseOf(tool),
        _meta: undefined,
        partialInput: tool.inputText === '' ? undefined : tool.inputText,
        invocationMessage: tool.title,
      });
    case 'pending':
      return pendingCall(tool, place, ask);
    case 'running': {
      if (held)
        return present({
          status: 'pending-result-confirmation' as const,
          ...invoked(tool),
          ...confirmation(tool),
          ...resultFields(held),
        });
      const content = liveContent(tool, place);
      return present({
        status: 'running' as const,
        ...invoked(tool),
        ...confirmation(tool),
        // How a call runs is told with its content, even if there is none: a running call has no other news.
        content: content.length > 0 || tool.sandbox ? content : undefined,
      });
    }
    case 'completed':
      return completed(tool, place, held);
    case 'denied':
      if (held)
        return present({
          status: 'cancelled' as const,
          ...invoked(tool),
          reason: 'result-denied' as const,
          selectedOption: confirmation(tool).selectedOption,
        });
      return present({
        status: 'cancelled' as const,
        ...invoked(tool),
        reason: 'denied' as const,
        reasonMessage: refusal(tool),
        selectedOption: deniedBy(tool),
      });
    case 'skipped':
      return { status: 'cancelled', ...invoked(tool), reason: 'skipped' };
    default:
      return phase satisfies never;
  }
}

/** A call that waits for approval. */
export function pendingCall(tool: ToolItem, place: ToolPlace, ask: Approval | undefined): PendingToolCall {
  const { _meta: meta, ...call } = invoked(tool, ask);
  return present({
    status: 'pending-confirmation' as const,
    ...call,
    // Set while the call still waits, because the person who answers must see it.
    _meta: ask?.sandbox && tool.input !== undefined ? { ...meta, sandbox: ask.sandbox } : meta,
    confirmationTitle: ask && askedTitle(ask, call.invocationMessage),
    edits: editsOf(tool.preview, place),
    editable: ask?.editable,
    options: ask?.options.map(shownOption),
  });
}

/** Clients that are not ours show nothing but the label, so it names the rule. */
export function optionLabel({ label, rule }: AskOption): string {
  return rule === undefined ? label : `${label}: ${rule}`;
}

function shownOption(option: AskOption): ConfirmationOption {
  const { id, effect, rule, says } = option;
  const kind = allows({ effect }) ? 'approve' : 'deny';
  return { id, label: optionLabel(option), kind, _meta: present({ effect, rule, says }) };
}

/** The option by which a user let the call run. */
function allowedBy({ approval }: ToolItem, confirmed: ToolCallConfirmationReason) {
  const option = confirmed === 'user-action' ? approval?.option : undefined;
  return option && allows(option) ? shownOption(option) : undefined;
}

/** The option by which a user refused the call. */
function deniedBy({ approval }: ToolItem): ConfirmationOption | undefined {
  const option = approval?.option;
  return option && !allows(option) ? shownOption(option) : undefined;
}

/** The open approval of a tool call. */
export function pendingApproval(chat: Chat, tool: string): Approval | undefined {
  for (const { ask } of Object.values(chat.asks))
    if (ask.kind === 'approval' && ask.tool === tool) return ask;
  return undefined;
}

type Phase = 'streaming' | 'pending' | 'running' | 'completed' | 'denied' | 'skipped';

function phaseOf(tool: ToolItem): Phase {
  switch (tool.status) {
    case 'preparing':
      return 'streaming';
    case 'ready':
      return answeredPhase(tool);
    case 'asking':
      return 'pending';
    case 'running':
      return 'running';
    case 'ended':
      return endedPhase(tool);
    default:
      return tool.status satisfies never;
  }
}

/** An answered call is ready until the entry after the answer lets it run or ends it. */
function answeredPhase({ approval }: ToolItem): Phase {
  if (!approval) return 'streaming';
  if (approval.answer.kind === 'withdrawn') return 'running';
  return approval.option && allows(approval.option) ? 'running' : 'denied';
}

function endedPhase(tool: ToolItem): Phase {
  const { result } = tool;
  if (result?.status === 'done' || result?.status === 'failed') return 'completed';
  if (result?.status === 'denied') return 'denied';
  return wasStopped(tool) ? 'completed' : 'skipped';
}

/**
 * Whether the call had already shown something when its turn ended. Only a completed call keeps its
 * content, so it is shown as one that failed; a skipped call has none.
 */
function wasStopped({ status, result, runningAt, output, content, held }: ToolItem): boolean {
  const isCutOff = result?.status === 'cancelled' || result?.status === 'interrupted';
  if (status !== 'ended' || !isCutOff || runningAt === undefined || held) return false;
  return output !== '' || content.length > 0;
}

/** Reports of a client about its own tool are returned in their original form. */
function completed(tool: ToolItem, place: ToolPlace, held: ToolCallResult | undefined): ToolCallState {
  const result = tool.result?.status === 'done' || tool.result?.status === 'failed' ? tool.result : undefined;
  const said = held ?? (tool.source === 'client' ? clientResult(result) : undefined);
  if (said)
    return present({
      status: 'completed' as const,
      ...invoked(tool),
      ...confirmation(tool),
      ...resultFields(said),
    });
  const content = shownContent(tool, place, result);
  return present({
    status: 'completed' as const,
    ...invoked(tool),
    ...confirmation(tool),
    success: result?.status === 'done',
    pastTenseMessage: attributedTitle(tool),
    content: content.length > 0 ? content : undefined,
    error: problemOf(tool),
  });
}

function problemOf(tool: ToolItem): { readonly message: string } | undefined {
  if (tool.result?.status === 'failed') return { message: tool.result.error };
  return wasStopped(tool) ? { message: 'Stopped.' } : undefined;
}

function resultFields({
  success,
  pastTenseMessage,
  content,
  structuredContent,
  error,
}: ToolCallResult): ToolCallResult {
  return present({ success, pastTenseMessage, content, structuredContent, error });
}

/**
 * The title of a call becomes more exact while it is prepared, and AHP cannot rename a call, so its
 * name is shown instead.
 */
function baseOf(tool: ToolItem) {
  const { id, name, source, server } = tool;
  const words = name.replace(/[_\s-]+/g, ' ').trim();
  const displayName = words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
  return present({
    toolCallId: id,
    toolName: name,
    displayName,
    contributor: contributorOf(source, server),
    _meta: metaOf(tool),
  });
}

/** Which kind of call it is, who decided about it, and how and for how many milliseconds it ran. */
function metaOf(tool: ToolItem): Meta | undefined {
  const { approval } = tool;
  const editor = editedBy(tool);
  const meta = present({
    ...kindMeta(tool),
    decidedBy: approval && originName(approval.by),
    decision: approval && (approval.option?.label ?? approval.answer.kind),
    effect: approval?.option?.effect,
    editedBy: editor && originName(editor),
    original: tool.original && originalText(tool.original),
    duration: durationOf(tool),
    timeLimit: tool.result && 'timeLimit' in tool.result ? tool.result.timeLimit : undefined,
    sandbox: howItRan(tool),
    stopped: wasStopped(tool) || undefined,
  });
  return Object.keys(meta).length > 0 ? meta : undefined;
}

/** The whole command where it is one: titles are cut. */
function originalText({ title, input }: NonNullable<ToolItem['original']>): string {
  const command = isRecord(input) ? input['command'] : undefined;
  return typeof command === 'string' ? `$ ${command}` : title;
}

/** Only for calls that end with an action of their own: the others end with their turn. */
function durationOf(tool: ToolItem): number | undefined {
  const { result, runningAt, endedAt } = tool;
  const isOver = result?.status === 'done' || result?.status === 'failed' || wasStopped(tool);
  if (!isOver || runningAt === undefined || endedAt === undefined) return undefined;
  return Math.max(0, endedAt - runningAt);
}

/** Who lends the tool: a client, or a server, which is known to clients as a customization of that name. */
function contributorOf(
  source: ToolItem['source'],
  server: string | undefined,
): ToolCallContributor | undefined {
  if (server === undefined) return undefined;
  if (source === 'client') return { kind: 'client', clientId: server };
  return source === 'mcp' ? { kind: 'mcp', customizationId: server } : undefined;
}

/** The message and the kind of a call that ends with its turn without having run. */
export function endedWithTurn(tool: ToolItem) {
  const { invocationMessage, toolInput, _meta } = invoked({ ...tool, status: 'ended' });
  return present({ invocationMessage, toolInput, _meta });
}

/** Whether the message of a waiting call changes when its turn ends, or how it would have run was shown. */
export function losesMessage(tool: ToolItem, chat: Chat): boolean {
  if (tool.status !== 'asking') return false;
  const ask = pendingApproval(chat, tool.id);
  const { invocationMessage } = invoked(tool, ask);
  return ask?.sandbox !== undefined || invocationMessage !== endedWithTurn(tool).invocationMessage;
}

function invoked(given: ToolItem, ask?: Approval) {
  const tool = asItRuns(given);
  return {
    ...baseOf(tool),
    ...present({
      invocationMessage: attributedTitle(tool, askedMessage(tool, ask)),
      toolInput: tool.input === undefined ? undefined : inputText(tool.input),
    }),
  };
}

/** An answered call has the arguments of the answer before the entry that lets it run. */
function asItRuns(tool: ToolItem): ToolItem {
  const answer = tool.status === 'ready' ? tool.approval?.answer : undefined;
  return answer?.kind === 'option'
    ? { ...tool, ...present({ input: answer.input, title: answer.title }) }
    : tool;
}

/** Why a call was let run, and by which option. */
function confirmation(tool: ToolItem) {
  const confirmed = confirmedBy(tool);
  return present({ confirmed, selectedOption: allowedBy(tool, confirmed) });
}

function confirmedBy({ status, approval, basis }: ToolItem): ToolCallConfirmationReason {
  if (status === 'ready' && approval?.answer.kind === 'option') return 'user-action';
  return basis ? reasons[basis.how] : 'not-needed';
}

const reasons = { rule: 'setting', ask: 'user-action', agent: 'not-needed' } as const;

/** Why a call was denied: the reason of the user or of the rule. */
function refusal({ result, approval }: ToolItem): string | undefined {
  if (result?.status === 'denied' && result.ask === undefined) return result.reason;
  const answer = approval?.answer;
  if (answer?.kind === 'withdrawn') return answer.why;
  return answer?.kind === 'option' || answer?.kind === 'declined' ? answer.reason : undefined;
}
