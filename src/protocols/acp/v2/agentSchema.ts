// Reads what a client of version 2 sends, as far as it differs from version 1.
import * as z from 'zod';
import { meta, orElse, orNothing } from '../v1/lenient.ts';
import { openSessionParams } from '../v1/agentSchema.ts';

const marker = orNothing(z.looseObject({}));

const clientCapabilities = z.object({
  auth: orNothing(z.object({ terminal: marker, _meta: meta })),
  elicitation: orNothing(z.object({ form: marker, url: marker, _meta: meta })),
  _meta: meta,
});

export type ClientCapabilities = z.output<typeof clientCapabilities>;

/** A client that asks for version 2 in its form; anything else is a request of version 1. */
export const initializeParams = z.object({
  protocolVersion: z.int().min(2).max(65_535),
  info: z.object({ name: z.string(), title: orNothing(z.string()), version: z.string(), _meta: meta }),
  capabilities: orElse(clientCapabilities, {}),
  _meta: meta,
});

export const loginParams = z.object({ methodId: z.string(), _meta: meta });

export const resumeParams = openSessionParams.extend({
  replayFrom: z.looseObject({ type: z.string() }).nullish(),
});

export type ResumeParams = z.output<typeof resumeParams>;

export const setConfigOptionParams = z.object({
  sessionId: z.string(),
  configId: z.string(),
  type: z.string(),
  value: z.union([z.string(), z.boolean()]),
  _meta: meta,
});
