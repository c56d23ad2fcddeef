// Schemas of the values that a version 1 host receives inside actions and requests.
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
} from '../../shapes.ts';

export const stringOrMarkdown = z.union([text, object({ markdown: text })]);

const icon = object({ src: text }, { contentType: text, sizes: list(text), theme: text });

const contentRefOptions = { sizeHint: number, contentType: text };

const contentRef = object({ uri: text }, contentRefOptions);

const fileEditSide = object({ uri: text, content: contentRef });

const fileEditOptions = {
  before: fileEditSide,
  after: fileEditSide,
  diff: object({}, { added: number, removed: number }),
};

export const modelSelection = object({ id: text }, { config: dictionary(text) });

export const userMessage = object(
  { text },
  { attachments: list(object({ type: text, uri: text }, { displayName: text })) },
);

export const answer = tagged('state', answerStates());

function answerStates() {
  const freeform = { freeformValues: list(text) };
  const value = tagged('kind', {
    text: fields({ value: text }),
    number: fields({ value: number }),
    boolean: fields({ value: flag }),
    selected: fields({ value: text }, freeform),
    'selected-many': fields({ value: list(text) }, freeform),
  });
  return { draft: fields({ value }), submitted: fields({ value }), skipped: fields({}, freeform) };
}

export const toolDefinition = object(
  { name: text },
  {
    title: text,
    description: text,
    inputSchema: anything,
    outputSchema: anything,
    annotations: object(
      {},
      { title: text, readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag },
    ),
    _meta: anything,
  },
);

export const toolResultContent = openTagged('type', {
  text: fields({ text }),
  embeddedResource: fields({ data: text, contentType: text }),
  resource: fields({ uri: text }, contentRefOptions),
  fileEdit: fields({}, fileEditOptions),
  terminal: fields({ resource: text, title: text }),
  subagent: fields({ resource: text, title: text }, { agentName: text, description: text }),
});

export const toolCallResult = object(
  { success: flag, pastTenseMessage: stringOrMarkdown },
  {
    content: list(toolResultContent),
    structuredContent: anything,
    error: object({ message: text }, { code: text }),
  },
);

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
