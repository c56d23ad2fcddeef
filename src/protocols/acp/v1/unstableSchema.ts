// Reads the params of methods that are not stable yet.
import * as z from 'zod';
import { contentBlock } from './contentSchema.ts';
import { meta } from './lenient.ts';

export const setTitleParams = z.object({ sessionId: z.string(), title: z.string(), _meta: meta });

/** Of the requests that make or open a session. It changes what is done, so it is read strictly. */
export const systemPrompt = z.object({ mode: z.string(), content: z.array(contentBlock), _meta: meta });

export type SystemPrompt = z.output<typeof systemPrompt>;

/** A server that the client keeps itself; its name on the wire was called `id` once. */
export const mcpServerAcp = z.union([
  z.object({ type: z.literal('acp'), name: z.string(), serverId: z.string(), _meta: meta }),
  z.object({ type: z.literal('acp'), name: z.string(), id: z.string(), _meta: meta }),
]);

export type McpServerAcp = z.output<typeof mcpServerAcp>;

export const mcpMessage = 'mcp/message';
export const mcpConnect = 'mcp/connect';
export const mcpDisconnect = 'mcp/disconnect';

/** What a message to a server comes back with. */
export const mcpOutcome = z.union([
  z.object({ result: z.json() }),
  z.object({ error: z.looseObject({ code: z.int(), message: z.string() }) }),
]);

/** How an agent opens a connection to a server of its client, by either name that the server had. */
export const connectParams = z.union([
  z.object({ serverId: z.string() }),
  z.object({ acpId: z.string() }).transform(({ acpId }) => ({ serverId: acpId })),
]);

export const disconnectParams = z.object({ connectionId: z.string() });

export const mcpConnected = z.object({ connectionId: z.string() });

const inner = { method: z.string(), params: z.record(z.string(), z.json()).nullish() };

/**
 * What a server says unasked: of a running request, or in the earlier form over its connection,
 * where it may also ask.
 */
export const mcpMessageParams = z.union([
  z.object({ serverId: z.string(), requestId: z.string(), ...inner }),
  z.object({ connectionId: z.string(), ...inner }),
]);

export type McpMessageParams = z.output<typeof mcpMessageParams>;

export const setProviderParams = z.object({
  providerId: z.string(),
  apiType: z.string(),
  baseUrl: z.string(),
  headers: z.record(z.string(), z.string()).nullish(),
  _meta: meta,
});

export const disableProviderParams = z.object({ providerId: z.string(), _meta: meta });
