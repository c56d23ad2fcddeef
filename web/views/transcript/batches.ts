// Which calls of a turn that wait for approval can be answered together. Pure.
import { createContext } from 'preact';
import type { ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { ConfirmationOption, PendingToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { approvalHeading } from '../tools/callLine.ts';

export interface WaitingBatch {
  readonly calls: readonly PendingToolCall[];
  readonly split: () => void;
}

/** The calls of the turn that wait together; undefined if each has a card of its own. */
export const BatchContext = createContext<WaitingBatch | undefined>(undefined);

export function batchIn(parts: readonly ResponsePart[]): readonly PendingToolCall[] {
  return batchOf(
    parts.flatMap((part) =>
      part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation' ? [part.toolCall] : [],
    ),
  );
}

/** Empty unless there are several that can be allowed once. */
export function batchOf(calls: readonly PendingToolCall[]): readonly PendingToolCall[] {
  const able = calls.filter((call) => onceOption(call) !== undefined && refusal(call) !== undefined);
  return able.length > 1 ? able : [];
}

/** The one option that allows this call alone; undefined where the host does not say which that is. */
export function onceOption(call: PendingToolCall): ConfirmationOption | undefined {
  return onlyOne(call, 'approve', 'allow');
}

export function refusal(call: PendingToolCall): ConfirmationOption | undefined {
  return onlyOne(call, 'deny', 'deny');
}

function onlyOne(
  { options = [] }: PendingToolCall,
  wanted: ConfirmationOption['kind'],
  effect: string,
): ConfirmationOption | undefined {
  const [option, second] = options.filter(
    ({ kind, _meta: ours }) => kind === wanted && ours?.['effect'] === effect,
  );
  return second === undefined ? option : undefined;
}

/** Such as "Run 3 commands?", "Create 98 files?", or "Allow 4 calls?" where they differ. */
export function batchTitle(calls: readonly PendingToolCall[]): string {
  const headings = calls.map((call) => approvalHeading(call, call.invocationMessage));
  const [verb = ''] = headings[0]?.split(' ') ?? [];
  const noun = nouns.get(verb);
  const isSame = noun !== undefined && headings.every((heading) => heading.startsWith(`${verb} `));
  return isSame ? `${verb} ${calls.length} ${noun}?` : `Allow ${calls.length} calls?`;
}

const nouns: ReadonlyMap<string, string> = new Map([
  ...['Create', 'Delete', 'Edit', 'Overwrite', 'Read', 'Write'].map((verb) => [verb, 'files'] as const),
  ['Run', 'commands'],
]);
