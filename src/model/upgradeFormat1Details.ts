// What format 1 kept as AHP 1.0 had it on the wire, in the shapes that format 2 has for it. Describes formats
// of the past, as its caller does.
import { renameFields } from '../base/rename.ts';
import type { FieldNames } from '../base/rename.ts';
import type { Json } from './event.ts';

interface Old {
  readonly [key: string]: Json;
}

/** A message: `meta.ahp` becomes `details`. */
export function messageFromFormat1(message: Old): Old {
  const { ahp, ...meta } = recordIn(message['meta']);
  if (ahp === undefined) return message;
  const { meta: _, ...rest } = message;
  const details = detailsFromFormat1(recordIn(ahp));
  return {
    ...rest,
    ...(Object.keys(meta).length > 0 ? { meta } : {}),
    ...(Object.keys(details).length > 0 ? { details } : {}),
  };
}

/** The details of a message, from the parts of it that were kept. */
export function detailsFromFormat1({ origin, attachments, model, agent, _meta }: Old): Old {
  const { config } = recordIn(model);
  return {
    ...(origin === undefined ? {} : { author: renameFields(recordIn(origin), { kind: 'kind' }) }),
    ...(agent === undefined ? {} : { agent: renameFields(recordIn(agent), { uri: 'uri' }) }),
    ...(config === undefined ? {} : { modelOptions: config }),
    ...(isList(attachments) ? { attachments: attachments.map((each) => attachment(recordIn(each))) } : {}),
    ...(_meta === undefined ? {} : { meta: _meta }),
  };
}

const attachmentKinds: Readonly<Record<string, string>> = {
  simple: 'text',
  embeddedResource: 'data',
  resource: 'link',
  annotations: 'comments',
  chat: 'chat',
};

const attachmentNames: FieldNames = {
  label: 'label',
  displayKind: 'display',
  range: 'mention',
  selection: ['selected', { range: 'range' }],
  modelRepresentation: 'text',
  data: 'data',
  contentType: 'mediaType',
  uri: 'uri',
  sizeHint: 'size',
  nonce: 'revision',
  resource: 'target',
  annotationIds: 'ids',
  endTurn: 'until',
  _meta: 'meta',
};

/**
 * Images and sounds are in the attachments of the message. A client of version 1 has written
 * its own words beside.
 */
function attachment({ type = null, ...fields }: Old): Old {
  const kind = wordIn(attachmentKinds, type);
  if (kind === undefined) return { kind: 'other', other: { type, ...fields } };
  const { data, ...light } = fields;
  const isMedia =
    typeof fields['contentType'] === 'string' && /^(?:image|audio)\//.test(fields['contentType']);
  const { meta, ...stored } = renameFields(isMedia || data === undefined ? light : fields, attachmentNames);
  const { 'ahp.v1': place, ...rest } = recordIn(meta);
  return {
    ...stored,
    kind,
    ...(meta === undefined || (place !== undefined && Object.keys(rest).length === 0) ? {} : { meta: rest }),
    ...(place === undefined
      ? {}
      : { place: renameFields(recordIn(place), { type: 'kind', uri: 'uri', displayName: 'name' }) }),
  };
}

/** A result: `raw.ahp` becomes `structured` and `details`, and `data.ahp` in its content another shape. */
export function resultFromFormat1(result: Old): Old {
  const content = contentFromFormat1(result['content']);
  const { ahp } = recordIn(result['raw']);
  if (ahp === undefined) return { ...result, ...(content ? { content } : {}) };
  const { raw: _, ...rest } = result;
  return { ...rest, content: content ?? [], ...resultDetails(recordIn(ahp)) };
}

/** What format 2 has of a client's result besides its content and its status. */
export function resultDetails({ structuredContent, pastTenseMessage: said = '', error, content }: Old): Old {
  const summary =
    typeof said === 'string'
      ? { text: said }
      : { ...renameFields(recordIn(said), { markdown: 'text' }), markdown: true };
  const details = {
    summary,
    ...(error === undefined
      ? {}
      : { error: renameFields(recordIn(error), { message: 'message', code: 'code' }) }),
    ...(isList(content) ? { content: content.map((each) => unknownFields(recordIn(each))) } : {}),
  };
  return { ...(structuredContent === undefined ? {} : { structured: structuredContent }), details };
}

function unknownFields(content: Old): Json {
  const { type, contentType } = content;
  const isImage =
    type === 'embeddedResource' && typeof contentType === 'string' && contentType.startsWith('image/');
  if (type !== 'text' && !isImage) return null;
  const known = isImage ? ['type', 'data', 'contentType'] : ['type', 'text'];
  const rest = Object.entries(content).filter(([field]) => !known.includes(field));
  return rest.length > 0 ? Object.fromEntries(rest) : null;
}

/** The contents of a tool: `data.ahp` becomes data of another shape. */
export function contentFromFormat1(content: Json | undefined): readonly Json[] | undefined {
  return isList(content) ? content.map((each) => knownContent(recordIn(each))) : undefined;
}

function knownContent(content: Old): Old {
  const { ahp } = recordIn(content['value']);
  return content['type'] !== 'data' || ahp === undefined
    ? content
    : { type: 'data', value: produced(recordIn(ahp)) };
}

const contentKinds: Readonly<Record<string, string>> = {
  embeddedResource: 'file',
  resource: 'link',
  fileEdit: 'edit',
  terminal: 'terminal',
  subagent: 'chat',
};

const referenceNames: FieldNames = {
  uri: 'uri',
  sizeHint: 'size',
  contentType: 'mediaType',
  nonce: 'revision',
};
const sideNames: FieldNames = { uri: 'uri', content: ['content', referenceNames] };

const contentNames: FieldNames = {
  ...referenceNames,
  data: 'data',
  before: ['before', sideNames],
  after: ['after', sideNames],
  diff: ['lines', { added: 'added', removed: 'removed' }],
  resource: 'target',
  title: 'title',
  isPty: 'interactive',
  result: ['ended', { exitCode: 'exitCode', preview: 'output', truncated: 'truncated' }],
  agentName: 'agent',
  description: 'description',
};

/** Data in the shape of format 2, from one content of a client's tool. */
export function produced({ type = null, ...fields }: Old): Old {
  const kind = wordIn(contentKinds, type);
  return kind === undefined
    ? { produced: 'other', other: { type, ...fields } }
    : { ...renameFields(fields, contentNames), produced: kind };
}

function wordIn(words: Readonly<Record<string, string>>, word: Json): string | undefined {
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function recordIn(value: Json | undefined): Old {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}
