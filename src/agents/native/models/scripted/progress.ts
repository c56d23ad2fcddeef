// How far a turn has come in its script: read from the messages after the one that began it, and from the
// summary that has replaced some of them.
import { isRecord } from '../../../../base/isRecord.ts';
import type { CallResult, ModelMessage, ModelRequest } from '../../model.ts';
import { compactChat } from '../../tools/conversation/compactChat.ts';

export interface ScriptProgress {
  /** How many answers with calls were given. */
  readonly calls: number;
  /** The result of the last call. */
  readonly last?: Pick<CallResult, 'status' | 'text'>;
}

/** The progress, and what the user or the host has said since. */
export function progressOf({ messages, start }: ModelRequest): {
  readonly progress: ScriptProgress;
  readonly said: ModelMessage | undefined;
} {
  const before = progressIn(messages[start - 1]);
  // After a summary of ended calls comes the request to go on.
  const later = messages.slice(start + (before.calls > 0 ? 2 : 1));
  const ended = later.flatMap((message) => (message.role === 'tool' ? [message.results] : []));
  const last = ended.at(-1)?.at(-1) ?? before.last;
  const said = later.at(-1);
  return {
    progress: { calls: before.calls + ended.length, ...(last && { last }) },
    said: said?.role === 'user' ? said : undefined,
  };
}

/** Whether the message asks for a summary: it then names the tool that takes one. */
export function asksForSummary(message: ModelMessage): boolean {
  return textOf(message).includes(compactChat.name);
}

export function summaryOf({ calls, last }: ScriptProgress): string {
  return JSON.stringify({ calls, ...(last && { last: { status: last.status, text: last.text } }) });
}

export function textOf(message: ModelMessage | undefined): string {
  return message?.role === 'user'
    ? message.content
        .map((each) => (each.type === 'text' ? each.text : ''))
        .join('\n')
        .trim()
    : '';
}

/** No progress if the message is not a summary of ours. */
function progressIn(message: ModelMessage | undefined): ScriptProgress {
  const [, text = ''] = /^Summary [^\n]*\n\n(\{.*\})$/s.exec(textOf(message)) ?? [];
  try {
    const value: unknown = JSON.parse(text);
    return isProgress(value) ? value : { calls: 0 };
  } catch {
    return { calls: 0 };
  }
}

function isProgress(value: unknown): value is ScriptProgress {
  return isRecord(value) && typeof value['calls'] === 'number' && isResult(value['last'] ?? noResult);
}

function isResult(value: unknown): boolean {
  return isRecord(value) && typeof value['status'] === 'string' && typeof value['text'] === 'string';
}

const noResult = { status: '', text: '' };
