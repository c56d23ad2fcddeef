// Schemas of the values that a version 1 host receives, where they are not those of AHP 1.0.
import {
  dictionary,
  fields,
  list,
  number,
  object,
  openTagged,
  tagged,
  text,
  openWord,
} from '../../shapes.ts';
import { icon } from '../../v1_0/schema/content.ts';
import { toolCallResultFields, toolDefinition, toolResultVariants } from '../../v1_0/schema/tools.ts';

const contentRefOptions = { sizeHint: number, contentType: text };

const fileEditSide = object({ uri: text, content: object({ uri: text }, contentRefOptions) });

const fileEditOptions = {
  before: fileEditSide,
  after: fileEditSide,
  diff: object({}, { added: number, removed: number }),
};

export const modelSelection = object({ id: text }, { config: dictionary(text) });

const messageAttachment = object(
  { type: openWord<'file' | 'directory' | 'selection'>(), uri: text },
  { displayName: text },
);

export const userMessage = object({ text }, { attachments: list(messageAttachment) });

export const toolResultContent = openTagged('type', {
  ...toolResultVariants,
  resource: fields({ uri: text }, contentRefOptions),
  fileEdit: fields({}, fileEditOptions),
  terminal: fields({ resource: text, title: text }),
});

export const toolCallResult = object(toolCallResultFields.required, {
  ...toolCallResultFields.optional,
  content: list(toolResultContent),
});

/** `nonce` tells when a customization that a client brings has to be read again. */
const customizationRef = object(
  { uri: text, displayName: text },
  { description: text, icons: list(icon), nonce: text },
);

export const activeClient = object(
  { clientId: text, tools: list(toolDefinition) },
  { displayName: text, customizations: list(customizationRef) },
);

export const terminalClaim = tagged('kind', {
  client: fields({ clientId: text }),
  session: fields({ session: text }, { turnId: text, toolCallId: text }),
});

/** By the names of their wire types. */
export const contentTypes = {
  modelSelection,
  messageAttachment,
  userMessage,
  toolResultContent,
  toolCallResult,
  customizationRef,
  activeClient,
  terminalClaim,
};
