// Reads the content blocks of a prompt; knows no method. Annotations and sizes are hints and
// never make a block wrong.
import * as z from 'zod';
import { goodItems, meta, orNothing } from './lenient.ts';

const annotations = orNothing(
  z.object({
    audience: orNothing(goodItems(z.enum(['assistant', 'user']))),
    lastModified: orNothing(z.string()),
    priority: orNothing(z.number()),
    _meta: meta,
  }),
);

const common = { annotations, _meta: meta };
const mimeType = orNothing(z.string());

const resource = z.union([
  z.object({ uri: z.string(), text: z.string(), mimeType, _meta: meta }),
  z.object({ uri: z.string(), blob: z.string(), mimeType, _meta: meta }),
]);

export const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...common }),
  z.object({
    type: z.literal('image'),
    data: z.string(),
    mimeType: z.string(),
    uri: orNothing(z.string()),
    ...common,
  }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string(), ...common }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    mimeType,
    title: orNothing(z.string()),
    description: orNothing(z.string()),
    size: orNothing(z.int()),
    ...common,
  }),
  z.object({ type: z.literal('resource'), resource, ...common }),
]);

export type ReadContentBlock = z.output<typeof contentBlock>;
