// How a call ran, from the host's words, and how much that matters.
import { sandboxText } from '../../../client/callText.ts';
import { isRecord } from '../../../src/base/isRecord.ts';

export interface SandboxMarkText {
  readonly text: string;
  /** In the line of the call, as a warning there, or only where the call is unfolded. */
  readonly tone: 'plain' | 'bad' | 'quiet';
}

export function sandboxMark(told: unknown): SandboxMarkText | undefined {
  const text = sandboxText(told);
  if (text === undefined || !isRecord(told)) return undefined;
  const outside = isUsual.has(told['because']) ? 'quiet' : 'bad';
  return {
    text: text.charAt(0).toUpperCase() + text.slice(1),
    tone: told['confined'] === true ? 'plain' : outside,
  };
}

/** The modes in which every command is asked about or allowed by a rule, and what no sandbox is for. */
const isUsual: ReadonlySet<unknown> = new Set(['plan', 'ask', 'edits', 'server']);
