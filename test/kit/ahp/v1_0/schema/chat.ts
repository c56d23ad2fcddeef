// Schemas of a chat, its turns, tool calls and questions, as a host sends them. Every export is
// named after its wire type.
import * as z from 'zod';
import {
  anything,
  dictionary,
  fields,
  flag,
  list,
  number,
  object,
  openTagged,
  tagged,
  text,
} from '../../../../../src/protocols/ahp/shapes.ts';
import {
  chatInputAnswer,
  chatInputResponseKind,
  contentRef,
  contentRefOptions,
  errorInfo,
  fileEdit,
  message,
  stringOrMarkdown,
} from '../../../../../src/protocols/ahp/v1_0/schema/content.ts';
import { sideChatSelection } from '../../../../../src/protocols/ahp/v1_0/schema/requests.ts';
import { mcpAuthRequirement, toolResultContent } from '../../../../../src/protocols/ahp/v1_0/schema/tools.ts';

const meta = { _meta: anything };

/** A bitset: bits of later versions are carried along. */
export const sessionStatus = z.int().nonnegative();

export const usageInfo = object(
  {},
  { ...meta, inputTokens: number, outputTokens: number, model: text, cacheReadTokens: number },
);

export const changesSummary = object({}, { additions: number, deletions: number, files: number });

const option = object({ id: text, label: text }, { description: text, recommended: flag });

const question = { id: text, message: text };

const questionOptions = { title: text, required: flag };

const numberQuestion = fields(question, {
  ...questionOptions,
  min: number,
  max: number,
  defaultValue: number,
});

const selectOptions = { ...questionOptions, allowFreeformInput: flag };

const chatInputQuestion = openTagged('kind', {
  text: fields(question, { ...questionOptions, format: text, min: number, max: number, defaultValue: text }),
  number: numberQuestion,
  integer: numberQuestion,
  boolean: fields(question, { ...questionOptions, defaultValue: flag }),
  'single-select': fields({ ...question, options: list(option) }, selectOptions),
  'multi-select': fields(
    { ...question, options: list(option) },
    { ...selectOptions, min: number, max: number },
  ),
});

export const chatInputRequest = object(
  { id: text },
  {
    message: text,
    url: text,
    questions: list(chatInputQuestion),
    answers: dictionary(chatInputAnswer),
    ...meta,
  },
);

export const confirmationOption = object({ id: text, label: text, kind: text }, { group: number });

export const toolCallContributor = openTagged('kind', {
  client: fields({ clientId: text }),
  mcp: fields({ customizationId: text }),
});

export const toolCallRiskAssessment = openTagged('status', {
  loading: fields({ kind: text }),
  complete: fields({ kind: text, reason: stringOrMarkdown, safety: number }),
});

export const toolInput = z.union([text, contentRef]);

const toolCall = { toolCallId: text, toolName: text, displayName: text };
const toolCallOptions = { ...meta, intention: text, contributor: toolCallContributor };
const invoked = { ...toolCall, invocationMessage: stringOrMarkdown };
const invokedOptions = { ...toolCallOptions, toolInput };
const confirmed = { ...invoked, confirmed: text };
const confirmedOptions = { ...invokedOptions, selectedOption: confirmationOption };
const result = { success: flag, pastTenseMessage: stringOrMarkdown };
const resultOptions = {
  content: list(toolResultContent),
  structuredContent: anything,
  error: object({ message: text }, { code: text }),
};

export const toolCallState = openTagged('status', {
  streaming: fields(toolCall, {
    ...toolCallOptions,
    partialInput: text,
    invocationMessage: stringOrMarkdown,
  }),
  'pending-confirmation': fields(invoked, {
    ...invokedOptions,
    confirmationTitle: stringOrMarkdown,
    riskAssessment: toolCallRiskAssessment,
    edits: object({ items: list(fileEdit) }),
    editable: flag,
    options: list(confirmationOption),
  }),
  running: fields(confirmed, { ...confirmedOptions, content: list(toolResultContent) }),
  'auth-required': fields(
    { ...confirmed, auth: mcpAuthRequirement },
    { ...confirmedOptions, content: list(toolResultContent) },
  ),
  'pending-result-confirmation': fields(
    { ...confirmed, ...result },
    { ...confirmedOptions, ...resultOptions },
  ),
  completed: fields({ ...confirmed, ...result }, { ...confirmedOptions, ...resultOptions }),
  cancelled: fields(
    { ...invoked, reason: text },
    {
      ...invokedOptions,
      reasonMessage: stringOrMarkdown,
      userSuggestion: message,
      selectedOption: confirmationOption,
    },
  ),
});

const errorPart = fields({ error: errorInfo }, { resumable: flag });

export const errorResponsePart = tagged('kind', { error: errorPart });

export const responsePart = openTagged('kind', {
  markdown: fields({ id: text, content: text }),
  reasoning: fields({ id: text, content: text }),
  contentRef: fields({ uri: text }, contentRefOptions),
  systemNotification: fields({ content: stringOrMarkdown }, meta),
  toolCall: fields({ toolCall: toolCallState }),
  inputRequest: fields({ request: chatInputRequest }, { response: chatInputResponseKind }),
  error: errorPart,
});

const turnParts = { id: text, message, responseParts: list(responsePart) };

export const turn = object(
  { ...turnParts, state: text },
  { startedAt: text, duration: number, usage: usageInfo, error: errorInfo },
);

const activeTurn = object({ ...turnParts, startedAt: text }, { usage: usageInfo });

const pendingMessage = object({ id: text, message });

export const chatOrigin = openTagged('kind', {
  user: fields({}),
  fork: fields({ chat: text, turnId: text }),
  sideChat: fields({ chat: text, turnId: text }, { selection: sideChatSelection }),
  tool: fields({ chat: text, toolCallId: text }),
});

export const changeset = object(
  { label: text, uriTemplate: text, changeKind: text },
  { description: text, capabilities: object({}, { review: anything }) },
);

const chatFields = { resource: text, title: text, status: sessionStatus, modifiedAt: text };

const chatSummaryOptions = {
  activity: text,
  origin: chatOrigin,
  interactivity: text,
  workingDirectories: list(text),
  movable: flag,
  changes: changesSummary,
};

export const chatSummary = object(chatFields, chatSummaryOptions);

export const partialChatSummary = object({}, { ...chatFields, ...chatSummaryOptions });

export const backgroundWork = object(
  { id: text, kind: text, label: text, startedAt: text },
  { ...meta, command: text, terminal: text, chat: text },
);

const chatState = object(
  { ...chatFields, turns: list(turn) },
  {
    ...meta,
    ...chatSummaryOptions,
    turnsNextCursor: text,
    activeTurn,
    steeringMessage: pendingMessage,
    queuedMessages: list(pendingMessage),
    draft: message,
    changesets: list(changeset),
    backgroundWork: list(backgroundWork),
    canvases: list(z.union([text, anything])),
  },
);

/** By the names of their wire types. */
export const chatTypes = {
  sessionStatus,
  usageInfo,
  changesSummary,
  chatInputQuestion,
  chatInputRequest,
  confirmationOption,
  toolCallContributor,
  toolCallRiskAssessment,
  toolInput,
  toolCallState,
  errorResponsePart,
  responsePart,
  turn,
  activeTurn,
  pendingMessage,
  chatOrigin,
  changeset,
  chatSummary,
  partialChatSummary,
  backgroundWork,
  chatState,
};
