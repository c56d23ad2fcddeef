// Next-edit suggestions and the documents they are about: what clients send, and the types of what we answer.
// Not stable; positions count from zero.
import * as z from 'zod';
import { goodItems, meta, orNothing } from './lenient.ts';

export const encodings = ['utf-8', 'utf-16', 'utf-32'] as const;

export type PositionEncoding = (typeof encodings)[number];

const marker = orNothing(z.looseObject({}));

/** The kinds of suggestions a client can show besides edits. */
export const clientNes = orNothing(
  z.object({ jump: marker, rename: marker, searchAndReplace: marker, _meta: meta }),
);

export const clientEncodings = orNothing(goodItems(z.enum(encodings)));

const position = z.object({ line: z.int().min(0), character: z.int().min(0) });

export type Position = z.output<typeof position>;

const range = z.object({ start: position, end: position });

const document = { sessionId: z.string(), uri: z.string() };

export const startNesParams = z.object({ workspaceUri: orNothing(z.string()), _meta: meta });

export const closeNesParams = z.object({ sessionId: z.string(), _meta: meta });

const context = z.object({
  recentFiles: orNothing(goodItems(z.object({ uri: z.string(), text: z.string() }))),
  relatedSnippets: orNothing(
    goodItems(z.object({ uri: z.string(), excerpts: goodItems(z.object({ text: z.string() })) })),
  ),
  editHistory: orNothing(goodItems(z.object({ uri: z.string(), diff: z.string() }))),
  diagnostics: orNothing(
    goodItems(z.object({ uri: z.string(), range, severity: z.string().catch('error'), message: z.string() })),
  ),
});

export type NesContext = z.output<typeof context>;

export const suggestParams = z.object({
  ...document,
  version: z.int(),
  position,
  selection: orNothing(range),
  triggerKind: z.string().catch('automatic'),
  context: orNothing(context),
  _meta: meta,
});

export type SuggestParams = z.output<typeof suggestParams>;

export const acceptParams = z.object({ sessionId: z.string(), id: z.string() });

export const rejectParams = z.object({
  sessionId: z.string(),
  id: z.string(),
  reason: orNothing(z.string()),
});

export const didOpenParams = z.object({
  ...document,
  languageId: z.string().catch(''),
  version: z.int(),
  text: z.string(),
});

export const didChangeParams = z.object({
  ...document,
  version: z.int(),
  contentChanges: z.array(z.object({ range: range.nullish(), text: z.string() })),
});

export type DocumentChange = z.output<typeof didChangeParams>['contentChanges'][number];

/** Of document/didClose. What was saved or looked at is told without being used. */
export const documentParams = z.object(document);
