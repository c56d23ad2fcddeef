// What an agent may ask of a client that offers it: files, terminals and forms. The requests as we send them,
// the answers as we read them.
import * as z from 'zod';
import { meta } from './lenient.ts';

export const readTextFile = 'fs/read_text_file';
export const writeTextFile = 'fs/write_text_file';
export const createTerminal = 'terminal/create';
export const terminalOutput = 'terminal/output';
export const waitForExit = 'terminal/wait_for_exit';
export const killTerminal = 'terminal/kill';
export const releaseTerminal = 'terminal/release';
export const createElicitation = 'elicitation/create';
export const completeElicitation = 'elicitation/complete';

export const readTextFileResult = z.object({ content: z.string(), _meta: meta });

export const createTerminalResult = z.object({ terminalId: z.string(), _meta: meta });

export const terminalOutputResult = z.object({
  output: z.string(),
  truncated: z.boolean().catch(false),
  _meta: meta,
});

export const waitForExitResult = z.object({
  exitCode: z.int().nullish().catch(null),
  signal: z.string().nullish().catch(null),
  _meta: meta,
});

export const elicitationResult = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.record(z.string(), z.json()).nullish(), _meta: meta }),
  z.object({ action: z.enum(['decline', 'cancel']), _meta: meta }),
]);
