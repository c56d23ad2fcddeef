// The workbench of one client: its open files, including unsaved text, and its terminals,
// according to its capabilities.
import { errorText } from '../../../base/errorText.ts';
import type { Clock, FileProblem } from '../../../host/ports.ts';
import type { Workbench } from '../../../host/workspace/workbench.ts';
import type { ChatId } from '../../../model/event.ts';
import { readTextFile, readTextFileResult, writeTextFile } from '../../../protocols/acp/v1/abilities.ts';
import type { ClientCapabilities } from '../../../protocols/acp/v1/agentSchema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { runInTerminal } from './clientTerminal.ts';

export interface BenchOptions {
  readonly peer: Peer;
  readonly chat: ChatId;
  readonly capabilities: ClientCapabilities;
  readonly clock: Clock;
  /** Called when a tool call runs in a terminal of the client. */
  readonly shown: (tool: string, terminal: string) => void;
}

/** Undefined for a client without these capabilities. */
export function benchOf(options: BenchOptions): Workbench | undefined {
  const { fs, terminal } = options.capabilities;
  if (!fs.readTextFile && !fs.writeTextFile && !terminal) return undefined;
  return {
    ...(fs.readTextFile && { readText: (path: string) => read(options, path) }),
    ...(fs.writeTextFile && { writeText: (path: string, text: string) => write(options, path, text) }),
    ...(terminal && ({ run: (command, tool) => runInTerminal(options, command, tool) } satisfies Workbench)),
  };
}

/** Undefined on any error of the client; the caller then reads the file from disk. */
async function read({ peer, chat }: BenchOptions, path: string): Promise<string | undefined> {
  const result = await peer.request(readTextFile, { sessionId: chat, path }).catch(() => undefined);
  const answer = readTextFileResult.safeParse(result);
  return answer.success ? answer.data.content : undefined;
}

/**
 * A refusal of the client counts. If it has disconnected or lacks the method, the host
 * writes the file itself.
 */
async function write(
  { peer, chat }: BenchOptions,
  path: string,
  content: string,
): Promise<FileProblem | 'gone' | undefined> {
  try {
    await peer.request(writeTextFile, { sessionId: chat, path, content });
    return undefined;
  } catch (error) {
    const code = error instanceof RpcError ? error.code : undefined;
    if (code === rpcCodes.connectionClosed || code === rpcCodes.methodNotFound) return 'gone';
    return {
      problem: 'failed',
      message: `The editor did not write ${path}: ${errorText(error)}`,
    };
  }
}
