// Reads tool calls of an agent. A bad item is kept as it came and never makes the call wrong.
import * as z from 'zod';
import { contentBlock } from './contentSchema.ts';
import type { ReadContentBlock } from './contentSchema.ts';
import { goodItems, meta, orNothing } from './lenient.ts';
import { raw } from './raw.ts';
import type { Raw } from './raw.ts';

export interface UnknownContent {
  readonly type: 'unknown';
  readonly raw: Raw;
}

export type ReadToolContent =
  | { readonly type: 'content'; readonly content: ReadContentBlock }
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly oldText?: string | undefined;
      readonly newText: string;
    }
  | { readonly type: 'terminal'; readonly terminalId: string }
  | UnknownContent;

const unknown = raw.transform((value): UnknownContent => ({ type: 'unknown', raw: value }));

export const anyContent = z.union([contentBlock, unknown]);

/** The specification's own pages show a block without its wrapper. */
const toolContent: z.ZodType<ReadToolContent> = z.union([
  z.object({ type: z.literal('content'), content: contentBlock }),
  z.object({
    type: z.literal('diff'),
    path: z.string(),
    oldText: orNothing(z.string()),
    newText: z.string(),
  }),
  z.object({ type: z.literal('terminal'), terminalId: z.string() }),
  contentBlock.transform((content): ReadToolContent => ({ type: 'content', content })),
  unknown,
]);

const toolContents = z.union([
  z.array(toolContent),
  z.null().transform(() => undefined),
  toolContent.transform((one) => [one]),
]);

const location = z.object({ path: z.string(), line: orNothing(z.int()) });

/** Of tool_call, tool_call_update and the call of a permission request: what is absent stays as it was. */
export const toolCall = z.object({
  toolCallId: z.string(),
  title: orNothing(z.string()),
  name: orNothing(z.string()),
  kind: orNothing(z.string()),
  status: orNothing(z.enum(['pending', 'in_progress', 'completed', 'failed'])),
  content: toolContents.optional(),
  locations: orNothing(goodItems(location)),
  rawInput: raw.optional(),
  rawOutput: raw.optional(),
  _meta: meta,
});

export type ReadToolCall = z.output<typeof toolCall>;
