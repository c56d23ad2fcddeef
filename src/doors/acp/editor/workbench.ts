// The workbench of one client: its open files, including unsaved text, and its terminals,
// according to its capabilities.
import { errorText } from '../../../base/errorText.ts';
import type { Clock, FileProblem } from '../../../host/ports.ts';
import type { Workbench } from '../../../host/workspace/workbench.ts';
import type { ChatId } from '../../../model/event.ts';
import { readTextFile, readTextFileResult, writeTextFile } from '../../../protocols/acp/v1/abilities.ts';
import type { ClientCapabilities } from '../../../protocols/acp/v1/agentSchema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { runInTerminal } from './clientTerminal.ts';
import { readingTime, SilentEditor, writingTime } from './editorRequests.ts';
import type { EditorRequests } from './editorRequests.ts';

export interface BenchOptions {
  readonly requests: EditorRequests;
  readonly chat: ChatId;
  readonly capabilities: ClientCapabilities;
  readonly clock: Clock;
  /** Called when a tool call runs in a terminal of the client. */
  readonly shown: (tool: string, terminal: string) => void;
  /** Called when the editor did not answer in time, with a sentence for the user. */
  readonly gaveUp: (text: string) => void;
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
async function read(
  { requests, chat, gaveUp }: BenchOptions,
  path: string,
): Promise<string | FileProblem | undefined> {
  if (requests.isSilent) return undefined;
  try {
    const result = await requests.sendAboutFile(readTextFile, { sessionId: chat, path }, readingTime);
    const answer = readTextFileResult.safeParse(result);
    return answer.success ? answer.data.content : undefined;
  } catch (error) {
    return error instanceof SilentEditor ? givenUp(gaveUp, `${path} was not read`, error) : undefined;
  }
}

/**
 * A refusal of the client counts. If it has disconnected or lacks the method, the host
 * writes the file itself.
 */
async function write(
  { requests, chat, gaveUp }: BenchOptions,
  path: string,
  content: string,
): Promise<FileProblem | 'gone' | undefined> {
  if (requests.isSilent) return 'gone';
  try {
    await requests.sendAboutFile(writeTextFile, { sessionId: chat, path, content }, writingTime);
    return undefined;
  } catch (error) {
    if (error instanceof SilentEditor)
      return givenUp(gaveUp, `it is not known whether ${path} was written`, error);
    const code = error instanceof RpcError ? error.code : undefined;
    if (code === rpcCodes.connectionClosed || code === rpcCodes.methodNotFound) return 'gone';
    return {
      problem: 'failed',
      message: `The editor did not write ${path}: ${errorText(error)}`,
    };
  }
}

/** What the agent and the user are told. */
function givenUp(gaveUp: BenchOptions['gaveUp'], what: string, { message }: SilentEditor): FileProblem {
  const text = `${message.slice(0, -1)}; ${what}. Files are read from and written to disk from now on.`;
  gaveUp(text);
  return { problem: 'failed', message: text };
}
