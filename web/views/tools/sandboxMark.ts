// How a call ran, from the host's words: in the sandbox, or outside by whose word.
import { isRecord } from '../../../src/base/isRecord.ts';

export interface SandboxMarkText {
  readonly text: string;
  readonly isOutside: boolean;
}

export function sandboxMark(told: unknown): SandboxMarkText | undefined {
  if (!isRecord(told) || typeof told['confined'] !== 'boolean') return undefined;
  const { confined, network, allowedBy } = told;
  if (confined) {
    const detail = typeof network === 'string' ? networkTexts.get(network) : undefined;
    return { text: detail === undefined ? 'Sandbox' : `Sandbox, ${detail}`, isOutside: false };
  }
  const who = typeof allowedBy === 'string' ? `, allowed by ${allowedBy}` : '';
  return { text: `Outside the sandbox${who}`, isOutside: true };
}

const networkTexts: ReadonlyMap<string, string> = new Map([
  ['on', 'network on'],
  ['ask', 'network asked'],
]);
