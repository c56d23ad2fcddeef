// Reads what a client sends to an agent: the params of its requests and its answers to ours. Lenient exactly
// where the schema says so.
import * as z from 'zod';
import { contentBlock } from './contentSchema.ts';
import { listOrEmpty, meta, orElse, orNothing } from './lenient.ts';
import { clientEncodings, clientNes } from './nesSchema.ts';
import { mcpServerAcp, systemPrompt } from './unstableSchema.ts';

/** A capability that is an object: present means yes. */
const marker = orNothing(z.looseObject({}));
const flag = orElse(z.boolean(), false);
const noFiles = { readTextFile: false, writeTextFile: false };

const clientCapabilities = z.object({
  fs: orElse(z.object({ readTextFile: flag, writeTextFile: flag, _meta: meta }), noFiles),
  terminal: flag,
  auth: orElse(z.object({ terminal: flag, _meta: meta }), { terminal: false }),
  /** Unstable. */
  plan: marker,
  subagents: marker,
  nes: clientNes,
  positionEncodings: clientEncodings,
  elicitation: orNothing(z.object({ form: marker, url: marker, _meta: meta })),
  session: orNothing(
    z.object({
      notices: marker,
      compaction: marker,
      configOptions: orNothing(z.object({ boolean: marker, _meta: meta })),
      _meta: meta,
    }),
  ),
  _meta: meta,
});

export type ClientCapabilities = z.output<typeof clientCapabilities>;

const noCapabilities: ClientCapabilities = { fs: noFiles, terminal: false, auth: { terminal: false } };

const implementation = z.object({
  name: z.string(),
  title: orNothing(z.string()),
  version: z.string(),
  _meta: meta,
});

export type Implementation = z.output<typeof implementation>;

export const initializeParams = z.object({
  protocolVersion: z.int().min(0).max(65_535),
  clientCapabilities: orElse(clientCapabilities, noCapabilities),
  clientInfo: orNothing(implementation),
  _meta: meta,
});

export const noParams = z.object({ _meta: meta });

export const authenticateParams = z.object({ methodId: z.string(), _meta: meta });

const pair = z.object({ name: z.string(), value: z.string(), _meta: meta });

/** A server without a type is started as a process; some clients write the type all the same. */
const mcpServer = z.union([
  z.object({
    type: z.enum(['http', 'sse']),
    name: z.string(),
    url: z.string(),
    headers: listOrEmpty(pair),
    _meta: meta,
  }),
  z.object({
    type: z.literal('stdio').optional(),
    name: z.string(),
    command: z.string(),
    args: listOrEmpty(z.string()),
    env: listOrEmpty(pair),
    _meta: meta,
  }),
  /** Unstable. */
  mcpServerAcp,
]);

export type McpServer = z.output<typeof mcpServer>;

export const mcpServerList = listOrEmpty(mcpServer);

const place = {
  /** Unstable. */
  systemPrompt: systemPrompt.nullish().transform((prompt) => prompt ?? undefined),
  cwd: z.string(),
  additionalDirectories: listOrEmpty(z.string()),
  mcpServers: mcpServerList,
  _meta: meta,
};

export const newSessionParams = z.object(place);

export type NewSessionParams = z.output<typeof newSessionParams>;

/** Of session/load and session/resume alike. */
export const openSessionParams = z.object({ sessionId: z.string(), ...place });

export type OpenSessionParams = z.output<typeof openSessionParams>;

export const listSessionsParams = z.object({
  cwd: z.string().nullish(),
  cursor: z.string().nullish(),
  /** Unstable. */
  archived: z.enum(['exclude', 'include', 'only']).nullish(),
  _meta: meta,
});

export type ListSessionsParams = z.output<typeof listSessionsParams>;

/** Of session/close, session/delete and session/cancel alike. */
export const sessionParams = z.object({ sessionId: z.string(), _meta: meta });

export const promptParams = z.object({ sessionId: z.string(), prompt: z.array(contentBlock), _meta: meta });

export type PromptParams = z.output<typeof promptParams>;

/** The SDK of autumn 2025 sends its wish for another model here by mistake. */
export const setModeParams = z.union([
  z.object({ sessionId: z.string(), modeId: z.string(), _meta: meta }),
  z.object({ sessionId: z.string(), modelId: z.string(), _meta: meta }),
]);

export const setConfigOptionParams = z.object({
  sessionId: z.string(),
  configId: z.string(),
  value: z.union([z.string(), z.boolean()]),
  _meta: meta,
});

/** Of session/set_model, which the specification has dropped and older clients still call. */
export const setModelParams = z.object({ sessionId: z.string(), modelId: z.string(), _meta: meta });

export const permissionResult = z.object({
  outcome: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('selected'), optionId: z.string(), _meta: meta }),
    z.object({ outcome: z.literal('cancelled') }),
  ]),
  _meta: meta,
});
