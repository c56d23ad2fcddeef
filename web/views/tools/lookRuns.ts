// Finished calls that only looked at something, one after the other: they are shown in one line. Pure.
import type { ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { CompletedToolCall, ToolCallState } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { callLine, rawOf } from './callLine.ts';

/** Both have to agree, because anybody can give a tool any name. */
const lookingTools = /^(?:read|view|list|search|grep|glob|find|directory)(?:_[a-z]+)*$/i;
const lookingVerbs: ReadonlySet<string> = new Set(['Listed', 'Read', 'Searched', 'Viewed']);

export function isLook(part: ResponsePart | undefined): boolean {
  return part?.kind === 'toolCall' && isLookingCall(part.toolCall);
}

function isLookingCall(call: ToolCallState): call is CompletedToolCall {
  return (
    call.status === 'completed' &&
    call.success &&
    lookingTools.test(call.toolName) &&
    (call.content ?? []).every(({ type }) => type === 'text' || type === 'resource') &&
    lookingVerbs.has(callLine(call).verb)
  );
}

/** The parts in order: a run of several looks with its calls. What a person has unfolded stays alone. */
export function withRuns(
  parts: readonly ResponsePart[],
  unfolded: ReadonlySet<string> = new Set(),
): readonly { readonly at: number; readonly run?: readonly CompletedToolCall[] }[] {
  const shown: { readonly at: number; readonly run?: readonly CompletedToolCall[] }[] = [];
  for (let at = 0; at < parts.length;) {
    const run = runAt(parts, at, unfolded);
    if (run.length > 1) shown.push({ at, run });
    else shown.push({ at });
    at += Math.max(1, run.length);
  }
  return shown;
}

function runAt(
  parts: readonly ResponsePart[],
  at: number,
  unfolded: ReadonlySet<string>,
): readonly CompletedToolCall[] {
  const run: CompletedToolCall[] = [];
  for (const part of parts.slice(at)) {
    if (part.kind !== 'toolCall' || !isLookingCall(part.toolCall)) break;
    if (unfolded.has(part.toolCall.toolCallId)) break;
    run.push(part.toolCall);
  }
  return run;
}

/** Such as "Read" and "cart.js, cart.test.js and 2 more", or "cart.js and 3 more, searched for total". */
export function runLine(calls: readonly CompletedToolCall[]): {
  readonly verb: string;
  readonly object: string;
} {
  const objects = new Map<string, string[]>();
  for (const call of calls) {
    const { verb, object } = callLine(call);
    objects.set(verb, [...(objects.get(verb) ?? []), rawOf(object)]);
  }
  const named = objects.size === 1 ? 2 : 1;
  const [first = '', ...others] = [...objects].map(([verb, all], index) => {
    const rest = all.length > named ? ` and ${all.length - named} more` : '';
    const text = `${all.slice(0, named).join(', ')}${rest}`;
    return index === 0 ? text : `${verb.toLowerCase()} ${text}`;
  });
  return { verb: [...objects.keys()][0] ?? '', object: [first, ...others].join(', ') };
}
