// What AHP says about messages and tool results and the model has no field for. The log has it in a shape of
// our own, which is checked when it is read: the log does not move with AHP. Fields that no version of AHP
// had when they came are kept in `other`.
import * as z from 'zod';
import { present } from '../../base/present.ts';
import { renameFields, restoreFields } from '../../base/rename.ts';
import type { FieldNames } from '../../base/rename.ts';
import type { Json } from '../../model/event.ts';
import type { Message, MessageAttachment } from '../../protocols/ahp/v1_0/message.ts';
import { contentTypes } from '../../protocols/ahp/v1_0/schema/content.ts';
import { toolResultContent } from '../../protocols/ahp/v1_0/schema/tools.ts';
import type { ToolCallResult, ToolResultContent } from '../../protocols/ahp/v1_0/toolCall.ts';
import { parse } from '../../protocols/ahp/shapes.ts';
import { json, jsonRecord } from './outbound/wireJson.ts';
import type { JsonRecord } from './outbound/wireJson.ts';

const text = z.string().optional();
const number = z.number().optional();
const flag = z.boolean().optional();
/** What was read from JSON is JSON, however deep. */
const record = z.record(z.string(), z.unknown().transform(json));
const other = record.optional();

const position = z.looseObject({ line: z.number(), character: z.number() });
const range = z.looseObject({ start: position, end: position });

const attachment = z.object({
  kind: z.enum(['text', 'data', 'link', 'comments', 'chat', 'other']),
  label: text,
  display: text,
  /** The part of the message that mentions it. */
  mention: range.optional(),
  selected: z.object({ range, other }).optional(),
  /** What a model reads instead of the label. */
  text,
  /** Absent where the attachment of the message has the same data. */
  data: text,
  mediaType: text,
  uri: text,
  size: number,
  revision: text,
  target: text,
  ids: z.array(z.string()).optional(),
  until: text,
  meta: record.optional(),
  /** The same in the form of a client of version 1. */
  place: z.object({ kind: z.string(), uri: z.string(), name: text, other }).optional(),
  other,
});

const messageDetails = z.object({
  author: z.object({ kind: z.string(), other }).optional(),
  agent: z.object({ uri: z.string(), other }).optional(),
  modelOptions: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  /** One per attachment of the message; one that cannot be read does not take the others with it. */
  attachments: z.array(attachment.nullable().catch(null)).optional(),
  meta: record.optional(),
});

type MessageDetails = z.output<typeof messageDetails>;
type StoredAttachment = z.output<typeof attachment>;

const attachmentKinds = {
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

/** Where the wire has an attachment as a client of the first version wrote it. */
export const firstVersion = 'ahp.v1';

const placeNames: FieldNames = { type: 'kind', uri: 'uri', displayName: 'name' };

/** The details of a message that the model has no field for; undefined if there are none. */
export function storedMessage({ origin, attachments, model, agent, _meta }: Message): Json | undefined {
  const details = present({
    author: origin.kind === 'user' ? undefined : renameFields(jsonRecord(json(origin)), { kind: 'kind' }),
    agent: agent && renameFields(jsonRecord(json(agent)), { uri: 'uri' }),
    modelOptions: model?.config,
    attachments: attachments?.map((each) => {
      const stored = storedAttachment(each);
      return attachment.safeParse(stored).success ? stored : { kind: 'other', other: json(each) };
    }),
    meta: _meta && json(_meta),
  });
  return Object.keys(details).length > 0 ? details : undefined;
}

export function readMessage(details: Json | undefined): MessageDetails {
  if (details === undefined) return {};
  const read = messageDetails.safeParse(details);
  return read.success ? read.data : {};
}

function storedAttachment(wire: MessageAttachment): JsonRecord {
  const { type, ...fields } = jsonRecord(json(wire));
  const kind = wordIn(attachmentKinds, type);
  if (kind === undefined) return { kind: 'other', other: { type: type ?? null, ...fields } };
  const { [firstVersion]: place, ...meta } = jsonRecord(fields['_meta']);
  const { data: _, ...light } = fields;
  const stored = renameFields(isMedia(fields['contentType']) ? light : fields, attachmentNames);
  const known = place === undefined ? undefined : renameFields(jsonRecord(place), placeNames);
  if (!known) return { ...stored, kind };
  const { meta: __, ...rest } = stored;
  return { ...rest, ...(Object.keys(meta).length > 0 ? { meta } : {}), kind, place: known };
}

/** A stored attachment as it came; `data` is that of the message's own attachment. */
export function readAttachment(
  { kind, place, meta, ...stored }: StoredAttachment,
  data: string | undefined,
): MessageAttachment | undefined {
  const type = wordFor(attachmentKinds, kind);
  const old = place && { [firstVersion]: restoreFields(plain(place), placeNames) };
  const wire = {
    ...(data !== undefined && isMedia(stored.mediaType) ? { data } : {}),
    ...restoreFields(plain(stored), attachmentNames),
    ...(type === undefined ? {} : { type }),
    ...((meta ?? old) ? { _meta: { ...meta, ...old } } : {}),
  };
  const read = parse(contentTypes.messageAttachment, wire);
  return read.ok ? read.value : undefined;
}

function isMedia(contentType: Json | undefined): boolean {
  return typeof contentType === 'string' && /^(?:image|audio)\//.test(contentType);
}

const reference = { uri: z.string(), size: number, mediaType: text, revision: text, other };
const side = z.object({ uri: z.string(), content: z.object(reference), other });

const produced = z.object({
  produced: z.enum(['link', 'edit', 'terminal', 'chat', 'other']),
  mediaType: text,
  uri: text,
  size: number,
  revision: text,
  before: side.optional(),
  after: side.optional(),
  lines: z.object({ added: number, removed: number, other }).optional(),
  target: text,
  title: text,
  interactive: flag,
  ended: z.object({ exitCode: number, output: text, truncated: flag, other }).optional(),
  agent: text,
  description: text,
  other,
});

const contentKinds = {
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

/** Whether the model has a content for it. */
export function isKnown(
  wire: ToolResultContent,
): wire is Extract<ToolResultContent, { readonly type: 'text' | 'embeddedResource' }> {
  return wire.type === 'text' || wire.type === 'embeddedResource';
}

/** What a client's tool produced and the model has no content for. */
export function storedContent(wire: ToolResultContent): Json {
  const { type, ...fields } = jsonRecord(json(wire));
  const kind = wordIn(contentKinds, type);
  if (kind === undefined) return { produced: 'other', other: { type: type ?? null, ...fields } };
  const stored = { ...renameFields(fields, contentNames), produced: kind };
  return produced.safeParse(stored).success ? stored : { produced: 'other', other: json(wire) };
}

export function readContent(value: Json): ToolResultContent | undefined {
  const stored = produced.safeParse(value);
  if (!stored.success) return undefined;
  const { produced: kind, ...fields } = stored.data;
  const type = wordFor(contentKinds, kind);
  const wire = { ...restoreFields(plain(fields), contentNames), ...(type === undefined ? {} : { type }) };
  const read = parse(toolResultContent, wire);
  return read.ok ? read.value : undefined;
}

const resultDetails = z.object({
  /** What the tool did, for people. */
  summary: z.object({ text: z.string(), markdown: z.literal(true).optional(), other }),
  error: z.object({ message: z.string(), code: text, other }).optional(),
  /** For each content its fields that the model has no room for; absent where the client gave no list. */
  content: z.array(record.nullable()).optional(),
});

type ResultDetails = z.output<typeof resultDetails>;

const errorNames: FieldNames = { message: 'message', code: 'code' };

/** The details of a client tool's result that the model has no field for. */
export function storedResult({ pastTenseMessage: said, error, content }: ToolCallResult): Json {
  const summary =
    typeof said === 'string'
      ? { text: said }
      : { ...renameFields(jsonRecord(json(said)), { markdown: 'text' }), markdown: true };
  return present({
    summary,
    error: error && renameFields(jsonRecord(json(error)), errorNames),
    content: content?.map(unknownFields),
  });
}

/** Contents that the model knows have a field for these only. */
function unknownFields(wire: ToolResultContent): Json {
  if (!isKnown(wire)) return null;
  const known = wire.type === 'text' ? ['type', 'text'] : ['type', 'data', 'contentType'];
  const rest = Object.entries(jsonRecord(json(wire))).filter(([field]) => !known.includes(field));
  return rest.length > 0 ? Object.fromEntries(rest) : null;
}

export function readResult(
  details: Json | undefined,
): (Pick<ToolCallResult, 'pastTenseMessage' | 'error'> & Pick<ResultDetails, 'content'>) | undefined {
  if (details === undefined) return undefined;
  const read = resultDetails.safeParse(details);
  if (!read.success) return undefined;
  const { summary, error, content } = read.data;
  return present({
    pastTenseMessage: summary.markdown ? { ...summary.other, markdown: summary.text } : summary.text,
    error: error && { ...error.other, ...present({ message: error.message, code: error.code }) },
    content,
  });
}

function wordIn(words: Readonly<Record<string, string>>, word: Json | undefined): string | undefined {
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;
}

function wordFor(words: Readonly<Record<string, string>>, kind: string): string | undefined {
  return Object.entries(words).find(([, each]) => each === kind)?.[0];
}

/** What a schema has read, without its absent fields. */
function plain(value: object): JsonRecord {
  return jsonRecord(json(present(value)));
}
