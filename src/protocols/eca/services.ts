// What a client may send about everything beside the chats: providers, jobs, MCP servers,
// completion and rewriting.
import * as z from 'zod';
import { flag, maybe, nothing, position, range, text } from './fields.ts';

const words = z.record(z.string(), text);
const named = z.object({ name: text });

const server = {
  name: text,
  command: maybe(text),
  args: maybe(z.array(text)),
  env: maybe(words),
  url: maybe(text),
  headers: maybe(words),
  clientId: maybe(text),
  clientSecret: maybe(text),
  oauthPort: maybe(z.number().int()),
  authScope: maybe(text),
  disabled: flag,
};

export const serviceRequests = {
  'providers/list': nothing,
  'providers/login': z.object({ provider: text, method: maybe(text) }),
  'providers/loginInput': z.object({ provider: text, data: words }),
  'providers/logout': z.object({ provider: text }),
  'jobs/list': nothing,
  'jobs/kill': z.object({ jobId: text }),
  'jobs/readOutput': z.object({ jobId: text }),
  'mcp/addServer': z.object({ ...server, scope: maybe(text), workspaceUri: maybe(text) }),
  'mcp/updateServer': z.object(server),
  'mcp/removeServer': named,
  'completion/inline': z.object({ docText: text, docVersion: z.number(), position, path: maybe(text) }),
  'rewrite/prompt': z.object({ id: text, text, prompt: text, path: maybe(text), range }),
} as const;

export const serviceNotifications = {
  'mcp/startServer': named,
  'mcp/stopServer': named,
  'mcp/connectServer': named,
  'mcp/logoutServer': named,
  'mcp/disableServer': named,
  'mcp/enableServer': named,
} as const;

export type McpServerConfig = Omit<z.output<(typeof serviceRequests)['mcp/updateServer']>, 'name'>;
