// Runs the calls of one answer: calls that only read run in parallel, all others run alone and in order.
import type { TurnContext, Verdict } from '../../../../host/agent.ts';
import type { Call } from '../answerRecorder.ts';
import { callTool } from './callTool.ts';
import type { CallOptions, CallOutcome } from './callTool.ts';
import { compactChat, summaryIn } from '../../tools/conversation/compactChat.ts';
import { failed } from '../../tools/tool.ts';

/** A call that has ended. */
export interface CallRecord extends CallOutcome {
  readonly call: Call;
}

/** How many calls run in parallel; each may be a program, or an agent with calls of its own. */
const maxParallel = 8;

/** How many calls of one answer run. */
const maxCalls = 100;

/**
 * The results in the order of the calls. After the turn was stopped, or the user ended it with a refusal,
 * the rest does not run.
 */
export async function runCalls(
  calls: readonly Call[],
  turn: TurnContext,
  options: CallOptions,
): Promise<readonly CallRecord[] | 'stop'> {
  const ran: CallRecord[] = [];
  for (const group of groupsOf(calls.slice(0, maxCalls), options)) {
    if (turn.signal.aborted) break;
    const slots = askSlots(group.length, turn);
    const done = await Promise.all(
      group.map((call, at) => run(call, slots[at] ?? { turn, release: () => {} }, options)),
    );
    if (done.some(({ stop }) => stop)) return 'stop';
    ran.push(...done);
  }
  return turn.signal.aborted ? ran : [...ran, ...calls.slice(maxCalls).map((call) => skip(call, turn))];
}

function skip(call: Call, turn: TurnContext): CallRecord {
  const text = `Not run: at most ${maxCalls} calls of one answer run. Call it again if it is still needed.`;
  turn.report({ kind: 'tool.ended', tool: call.id, result: failed(text) });
  return { call, input: {}, result: { id: call.id, name: call.name, status: 'failed', text } };
}

/** A call's turn to ask the user. */
interface AskSlot {
  readonly turn: TurnContext;
  /** Lets the next call ask. */
  readonly release: () => void;
}

async function run(call: Call, { turn, release }: AskSlot, options: CallOptions): Promise<CallRecord> {
  try {
    const called = await callTool(call, turn, options);
    if (call.name === compactChat.name && called.result.status === 'done')
      turn.log.compact(summaryIn(called.input), call.id, 'automatic');
    return { call, ...called };
  } finally {
    release();
  }
}

/** The user is asked about one call after the other, in their order, until a refusal ends the turn. */
function askSlots(count: number, turn: TurnContext): readonly AskSlot[] {
  let before: Promise<Verdict | undefined> = Promise.resolve(undefined);
  return Array.from({ length: count }, () => {
    const earlier = before;
    let resolve: (verdict: Verdict | undefined) => void = () => {};
    before = new Promise((done) => (resolve = done));
    return {
      turn: {
        ...turn,
        async approve(request, withdrawn) {
          const last = await earlier;
          const verdict = last && 'stop' in last ? last : await turn.approve(request, withdrawn);
          resolve(verdict);
          return verdict;
        },
      },
      release: () => void earlier.then(resolve),
    };
  });
}

/**
 * Groups of adjacent calls that may run in parallel; a later call may depend on what an earlier one changed.
 */
function groupsOf(calls: readonly Call[], { tools }: CallOptions): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  let open = false;
  for (const call of calls) {
    const tool = tools.get(call.name);
    const readsOnly =
      tool !== undefined &&
      tool.server === undefined &&
      tool.name !== compactChat.name &&
      (tool.kind === 'read' || tool.kind === 'search' || tool.kind === 'think');
    if (open && readsOnly && (groups.at(-1)?.length ?? 0) < maxParallel) groups.at(-1)?.push(call);
    else groups.push([call]);
    open = readsOnly;
  }
  return groups;
}
