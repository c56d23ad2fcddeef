// Reads what a session of an agent can be set to: modes, config options, and the models of agents
// that are older than both.
import * as z from 'zod';
import { goodItems, orNothing } from './lenient.ts';

const description = orNothing(z.string());

const mode = z.object({ id: z.string(), name: z.string().catch(''), description });

export const modes = z.object({ currentModeId: z.string(), availableModes: goodItems(mode) });

export const models = z.object({
  currentModelId: z.string(),
  availableModels: goodItems(z.object({ modelId: z.string(), name: z.string().catch(''), description })),
});

const choice = z.object({ value: z.string(), name: z.string().catch(''), description });

/** Flat, or in groups whose names only order them. */
const choices = z.array(z.unknown()).transform((list) =>
  list.flatMap((item) => {
    const group = z.object({ options: goodItems(choice) }).safeParse(item);
    if (group.success) return group.data.options;
    const one = choice.safeParse(item);
    return one.success ? [one.data] : [];
  }),
);

const common = { id: z.string(), name: z.string().catch(''), description, category: orNothing(z.string()) };

export const configOption = z.discriminatedUnion('type', [
  z.object({ type: z.literal('select'), ...common, currentValue: z.string(), options: choices }),
  z.object({ type: z.literal('boolean'), ...common, currentValue: z.boolean() }),
]);

export type ReadConfigOption = z.output<typeof configOption>;

export const configOptions = goodItems(configOption);
