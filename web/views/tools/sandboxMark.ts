// How a call ran, from the host's words, and whether people should look twice.
import { sandboxText } from '../../../client/callText.ts';
import { isRecord } from '../../../src/base/isRecord.ts';

export interface SandboxMarkText {
  readonly text: string;
  readonly isOutside: boolean;
}

export function sandboxMark(told: unknown): SandboxMarkText | undefined {
  const text = sandboxText(told);
  if (text === undefined || !isRecord(told)) return undefined;
  const isOutside = told['confined'] === false && !isUsual.has(told['because']);
  return { text: text.charAt(0).toUpperCase() + text.slice(1), isOutside };
}

/** The modes in which every command is asked about or allowed by a rule, and what no sandbox is for. */
const isUsual: ReadonlySet<unknown> = new Set(['plan', 'ask', 'edits', 'server']);
