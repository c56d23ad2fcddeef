// The first draft of ECA: what its clients send about a prompt, and what they are told. Older than every
// released client, and incompatible in these two places only.
import * as z from 'zod';
import { list, maybe, text } from './fields.ts';

const line = z.object({ line: z.number(), character: z.number() });

const context = z
  .union([
    z.object({
      type: z.literal('file'),
      path: text,
      selection: maybe(z.object({ startLine: z.number(), endLine: z.number() })),
      cursor: maybe(line),
    }),
    z.object({ type: z.literal('web'), url: text }),
    z.object({ type: z.literal('code'), content: text, language: maybe(text), description: maybe(text) }),
  ])
  .or(z.unknown().transform(() => undefined));

/** The later name for the contexts is understood too. */
export const draftPrompt = z.object({
  chatId: maybe(text),
  message: text,
  model: maybe(text),
  context: list(context),
  contexts: list(context),
});

export type DraftContext = z.output<typeof context>;

export interface DraftPromptResult {
  readonly chatId: string;
  readonly status: 'success' | 'connection-error';
  readonly resultMessage: string;
}

export interface DraftContentReceived {
  readonly chatId: string;
  readonly content: DraftContent;
  readonly isComplete: boolean;
  readonly metadata?: { readonly tokensUsed: number };
}

export type DraftContent =
  | { readonly type: 'text'; readonly text: string; readonly codeBlocks?: readonly CodeBlock[] }
  | {
      readonly type: 'fileChange';
      readonly description: string;
      readonly manualApproval: boolean;
      readonly file?: string;
      readonly changes?: readonly DraftChange[];
    };

export interface CodeBlock {
  readonly code: string;
  readonly language?: string;
}

/** A range is the lines that `content` replaces, counted from one, with the last included. */
export interface DraftChange {
  readonly kind: 'create' | 'change' | 'delete';
  readonly content?: string;
  readonly range?: { readonly startLine: number; readonly endLine: number };
}
