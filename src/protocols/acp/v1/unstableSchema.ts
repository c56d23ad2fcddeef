// Reads the params of methods that are not stable yet.
import * as z from 'zod';
import { contentBlock } from './contentSchema.ts';
import { meta } from './lenient.ts';

export const setTitleParams = z.object({ sessionId: z.string(), title: z.string(), _meta: meta });

/** Of the requests that make or open a session. It changes what is done, so it is read strictly. */
export const systemPrompt = z.object({ mode: z.string(), content: z.array(contentBlock), _meta: meta });

export type SystemPrompt = z.output<typeof systemPrompt>;
