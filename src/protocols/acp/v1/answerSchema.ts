// Reads what an agent answers to the requests of a client. What is missing counts as not supported.
import * as z from 'zod';
import { goodItems, meta, orElse, orNothing } from './lenient.ts';
import { configOptions, models, modes } from './settingsSchema.ts';

/** A capability that is an object: present means yes. */
const marker = orNothing(z.looseObject({}));
const flag = orElse(z.boolean(), false);

const promptCapabilities = z.object({ image: flag, audio: flag, embeddedContext: flag });
const sessionCapabilities = z.object({
  list: marker,
  resume: marker,
  close: marker,
  delete: marker,
  fork: marker,
  additionalDirectories: marker,
  /** Unstable. */
  systemPrompt: orNothing(z.object({ mode: orNothing(z.object({ override: marker })) })),
});
const noPrompt = { image: false, audio: false, embeddedContext: false };

/** Agents of version 1 always take programs. `acp` is unstable. */
const mcpCapabilities = z.object({ stdio: orElse(z.boolean(), true), http: flag, sse: flag, acp: flag });
const noServers = { stdio: true, http: false, sse: false, acp: false };

const agentCapabilities = z.object({
  loadSession: flag,
  promptCapabilities: orElse(promptCapabilities, noPrompt),
  mcpCapabilities: orElse(mcpCapabilities, noServers),
  sessionCapabilities: orElse(sessionCapabilities, {}),
  auth: orElse(z.object({ logout: marker }), {}),
  _meta: meta,
});

export type AgentCapabilities = z.output<typeof agentCapabilities>;

const noCapabilities: AgentCapabilities = {
  loadSession: false,
  promptCapabilities: noPrompt,
  mcpCapabilities: noServers,
  sessionCapabilities: {},
  auth: {},
};

/** Before there were terminal methods some agents told the command of theirs in the extension member. */
const terminalAuth = z.object({
  'terminal-auth': z.object({ command: z.string(), args: goodItems(z.string()).catch([]) }),
});

const authMethod = z.object({
  type: z.string().catch('agent'),
  id: z.string(),
  name: z.string().catch(''),
  description: orNothing(z.string()),
  args: orNothing(goodItems(z.string())),
  env: orNothing(z.record(z.string(), z.string())),
  _meta: orNothing(terminalAuth),
  /** Of a kind that was dropped again: what must be set before the agent starts. */
  vars: orNothing(goodItems(z.object({ name: z.string() }))),
});

export type AuthMethod = z.output<typeof authMethod>;

export const initializeAnswer = z.object({
  protocolVersion: z.int().catch(1),
  agentCapabilities: orElse(agentCapabilities, noCapabilities),
  agentInfo: orNothing(
    z.object({ name: z.string().catch(''), title: orNothing(z.string()), version: z.string().catch('') }),
  ),
  authMethods: orElse(goodItems(authMethod), []),
  _meta: meta,
});

export type InitializeAnswer = z.output<typeof initializeAnswer>;

const settings = {
  modes: orNothing(modes),
  configOptions: orNothing(configOptions),
  models: orNothing(models),
  _meta: meta,
};

/** Of session/new and session/fork. */
export const newSessionAnswer = z.object({ sessionId: z.string(), ...settings });

/** Of session/load and session/resume, which some agents answer with nothing. */
export const openSessionAnswer = z.object(settings).catch({});

export type SessionSettingsAnswer = z.output<typeof openSessionAnswer>;

export const configAnswer = z.object({ configOptions });

const sessionInfo = z.object({
  sessionId: z.string(),
  cwd: z.string().catch(''),
  title: orNothing(z.string()),
  updatedAt: orNothing(z.string()),
});

export const listAnswer = z.object({
  sessions: orElse(goodItems(sessionInfo), []),
  nextCursor: orNothing(z.string()),
});

const count = orNothing(z.number().min(0));

const wholePromptAnswer = z.object({
  stopReason: orNothing(z.string()),
  usage: orNothing(
    z.object({
      totalTokens: count,
      inputTokens: count,
      outputTokens: count,
      cachedReadTokens: count,
      cachedWriteTokens: count,
    }),
  ),
  _meta: meta,
});

/** What is no object says as little as an empty one. */
export const promptAnswer = wholePromptAnswer.catch({});

/** What some agents say of the tokens of a turn in their extension member. */
export const quotaMeta = z.object({ token_count: z.object({ input_tokens: count, output_tokens: count }) });

export type PromptAnswer = z.output<typeof promptAnswer>;
