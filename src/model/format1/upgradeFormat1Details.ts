// What format 1 kept as AHP 1.0 had it on the wire, in the shapes that format 2 has for it. Describes formats
// of the past, as its caller does.
import { renameFields } from '../../base/rename.ts';
import type { FieldNames } from '../../base/rename.ts';
import type { Json } from '../event.ts';

interface Old {
  readonly [key: string]: Json;
}

/** A message: `meta.ahp` becomes `details`; the rest of `meta` are extensions. */
export function messageFromFormat1(message: Old): Old {
  const { meta, ...rest } = message;
  if (meta === undefined) return message;
  const { ahp, ...extensions } = recordIn(meta);
  const details = detailsFromFormat1(recordIn(ahp));
  return {
    ...rest,
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
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
  const { type } = content;
  if (type !== 'text' && type !== 'embeddedResource') return null;
  const known = type === 'text' ? ['type', 'text'] : ['type', 'data', 'contentType'];
  const rest = Object.entries(content).filter(([field]) => !known.includes(field));
  return rest.length > 0 ? Object.fromEntries(rest) : null;
}

/** The contents of a tool: `data.ahp` and binary data of external agents become contents of ours. */
export function contentFromFormat1(content: Json | undefined): readonly Json[] | undefined {
  return isList(content) ? content.map((each) => knownContent(recordIn(each))) : undefined;
}

function knownContent(content: Old): Old {
  if (content['type'] !== 'data') return content;
  const { ahp, type, mimeType, data } = recordIn(content['value']);
  if (ahp !== undefined) return clientContent(recordIn(ahp));
  const isBinary = (type === 'audio' || type === 'blob') && typeof mimeType === 'string';
  return isBinary && typeof data === 'string' ? { type: 'blob', mediaType: mimeType, data } : content;
}

/** One content of a client's tool. */
export function clientContent(content: Old): Old {
  const { type, text, contentType, data } = content;
  if (type === 'text') return { type, text: textIn(text) };
  if (type !== 'embeddedResource') return { type: 'data', value: producedContent(content) };
  const mediaType = textIn(contentType);
  return { type: mediaType.startsWith('image/') ? 'image' : 'blob', mediaType, data: textIn(data) };
}

const contentKinds: Readonly<Record<string, string>> = {
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

/** What the model has no content for, in the shape that the door reads. */
function producedContent({ type = null, ...fields }: Old): Old {
  const kind = wordIn(contentKinds, type);
  return kind === undefined
    ? { produced: 'other', other: { type, ...fields } }
    : { ...renameFields(fields, contentNames), produced: kind };
}

function wordIn(words: Readonly<Record<string, string>>, word: Json): string | undefined {
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function recordIn(value: Json | undefined): Old {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}
