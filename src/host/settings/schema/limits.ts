// The settings that limit agents and tools.
import * as z from 'zod';
import { count, money, optional, percent } from './values.ts';

const sessionLimits = z.strictObject({
  steps: optional(count, 'Maximum number of tool calls per session.', 1000),
  tokens: optional(count, 'Maximum number of tokens per session.', 5_000_000),
  money: optional(money, 'Maximum cost of a session in USD.', 10),
});

export const limits = z.strictObject({
  steps: optional(
    count,
    'Maximum number of model requests per turn; for external agents, of tool calls. Default: 100.',
    50,
  ),
  tokens: optional(count, 'Maximum number of tokens per turn.', 500_000),
  money: optional(money, 'Maximum cost of a turn in USD.', 0.5),
  session: optional(sessionLimits, 'Limits for all turns of a session together.', { money: 10 }),
  outputLines: optional(
    count,
    "Maximum number of lines of a tool's output that the model sees. Default: 2000.",
    500,
  ),
  outputBytes: optional(
    count,
    "Maximum number of bytes of a tool's output that the model sees. Default: 50000.",
    20_000,
  ),
  commandTimeout: optional(count, 'Timeout of a command in milliseconds. Default: 60000.', 120_000),
  readLines: optional(
    count,
    'Number of lines read from a file if the model gives none. Default: 2000.',
    1000,
  ),
  editorTimeout: optional(
    count,
    'Timeout in milliseconds for requests to the editor, such as diagnostics. Default: 30000.',
    10_000,
  ),
  compactAt: optional(
    percent,
    'Context usage in percent at which a conversation is compacted. Default: 75.',
    60,
  ),
  silence: optional(
    count,
    'Timeout in milliseconds for a model that sends no data. Default: 120000.',
    60_000,
  ),
  serverKeepAlive: optional(
    count,
    'Interval in milliseconds for pings to an idle MCP server; a server that does not answer is ' +
      'restarted. Default: 30000.',
    60_000,
  ),
  serverTimeout: optional(
    count,
    'Timeout in milliseconds for the start of an MCP server and for a call without progress. ' +
      'Default: 60000.',
    120_000,
  ),
});
