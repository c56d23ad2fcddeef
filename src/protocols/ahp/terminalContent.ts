// What a terminal shows, alike in every version: plain output, and commands that shell integration has
// recognised. It knows no action and no terminal state.
import { replaceAt } from './immutable.ts';

export interface TerminalUnclassifiedPart {
  readonly type: 'unclassified';
  readonly value: string;
}

export interface TerminalCommandPart {
  readonly type: 'command';
  readonly commandId: string;
  readonly commandLine: string;
  readonly output: string;
  readonly timestamp: number;
  readonly isComplete: boolean;
  readonly exitCode?: number;
  readonly durationMs?: number;
}

export type TerminalContentPart = TerminalUnclassifiedPart | TerminalCommandPart;

type Content = readonly TerminalContentPart[];

/**
 * Output belongs to the running command or continues the plain text before it; otherwise it
 * begins new plain text.
 */
export function appendOutput(content: Content, data: string): Content {
  const last = content.at(-1);
  if (last?.type === 'command' && !last.isComplete) {
    return replaceAt(content, content.length - 1, { ...last, output: last.output + data });
  }
  if (last?.type === 'unclassified') {
    return replaceAt(content, content.length - 1, { ...last, value: last.value + data });
  }
  return [...content, { type: 'unclassified', value: data }];
}

export function beginCommand(
  content: Content,
  command: Pick<TerminalCommandPart, 'commandId' | 'commandLine' | 'timestamp'>,
): Content {
  const { commandId, commandLine, timestamp } = command;
  return [...content, { type: 'command', commandId, commandLine, output: '', timestamp, isComplete: false }];
}

/** The content itself when no such command is known. */
export function finishCommand(
  content: Content,
  end: Pick<TerminalCommandPart, 'commandId' | 'exitCode' | 'durationMs'>,
): Content {
  const index = content.findIndex((part) => part.type === 'command' && part.commandId === end.commandId);
  const part = content[index];
  if (part?.type !== 'command') return content;
  const { exitCode: _exitCode, durationMs: _durationMs, ...begun } = part;
  return replaceAt(content, index, {
    ...begun,
    isComplete: true,
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    ...(end.durationMs === undefined ? {} : { durationMs: end.durationMs }),
  });
}
