// Schemas of the small values and of messages. Every export is named after its wire type.
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
  openWord,
} from '../../shapes.ts';

export const jsonPrimitive = z.union([text, number, flag, z.null()]);

export const stringOrMarkdown = z.union([text, object({ markdown: text })]);

export const icon = object(
  { src: text },
  { contentType: text, sizes: list(text), theme: openWord<'light' | 'dark'>() },
);

const textPosition = object({ line: number, character: number });

export const textRange = object({ start: textPosition, end: textPosition });

const textSelection = object({ range: textRange });

export const contentRefOptions = { sizeHint: number, contentType: text, nonce: text };

export const contentRef = object({ uri: text }, contentRefOptions);

const fileEditSide = object({ uri: text, content: contentRef });

export const fileEditOptions = {
  before: fileEditSide,
  after: fileEditSide,
  diff: object({}, { added: number, removed: number }),
};

export const fileEdit = object({}, fileEditOptions);

export const errorInfo = object({ errorType: text, message: text }, { stack: text, _meta: anything });

export const modelSelection = object({ id: text }, { config: dictionary(jsonPrimitive) });

export const agentSelection = object({ uri: text });

const messageOrigin = object({
  kind: openWord<'user' | 'agent' | 'tool' | 'automation' | 'systemNotification'>(),
});

const attachmentOptions = { range: textRange, displayKind: text, _meta: anything };

const messageAttachment = openTagged('type', {
  simple: fields({ label: text }, { ...attachmentOptions, modelRepresentation: text }),
  embeddedResource: fields(
    { label: text, data: text, contentType: text },
    { ...attachmentOptions, selection: textSelection },
  ),
  resource: fields(
    { label: text, uri: text },
    { ...attachmentOptions, ...contentRefOptions, selection: textSelection },
  ),
  annotations: fields({ label: text, resource: text }, { ...attachmentOptions, annotationIds: list(text) }),
  chat: fields({ label: text, resource: text }, { ...attachmentOptions, endTurn: text }),
});

export const message = object(
  { text, origin: messageOrigin },
  { attachments: list(messageAttachment), model: modelSelection, agent: agentSelection, _meta: anything },
);

const freeform = { freeformValues: list(text) };

const chatInputAnswerValue = tagged('kind', {
  text: fields({ value: text }),
  number: fields({ value: number }),
  boolean: fields({ value: flag }),
  selected: fields({ value: text }, freeform),
  'selected-many': fields({ value: list(text) }, freeform),
});

export const chatInputAnswer = tagged('state', {
  draft: fields({ value: chatInputAnswerValue }),
  submitted: fields({ value: chatInputAnswerValue }),
  skipped: fields({}, freeform),
});

export const chatInputResponseKind = z.enum(['accept', 'decline', 'cancel']);

/** By the names of their wire types. */
export const contentTypes = {
  uri: text,
  jsonPrimitive,
  stringOrMarkdown,
  icon,
  textPosition,
  textRange,
  textSelection,
  contentRef,
  fileEditSide,
  fileEdit,
  errorInfo,
  modelSelection,
  agentSelection,
  messageOrigin,
  messageAttachment,
  message,
  chatInputAnswerValue,
  chatInputAnswer,
  chatInputResponseKind,
};
