// Runs the calls of one answer: what only looks runs side by side, what may change something runs alone and in order.
import type { TurnContext, Verdict } from '../../../host/agent.ts';
import type { Json } from '../../../model/event.ts';
import type { Call } from './answer.ts';
import { callTool } from './callTool.ts';
import type { CallOptions } from './callTool.ts';
import type { SeenResult } from './modelMessages.ts';
import { compactChat, summaryIn } from '../tools/conversation/compactChat.ts';
import { failed } from '../tools/tool.ts';

export interface Ran {
  readonly call: Call;
  readonly input: Json;
  readonly result: SeenResult;
  readonly stop?: true;
}

/** How many calls run side by side; each may be a program, or an agent with calls of its own. */
const abreast = 8;

/** How many calls of one answer run at all. */
const most = 100;

/** The results in the order of the calls. After a stop the rest does not run; a human may end the turn with a refusal, too. */
export async function runCalls(
  calls: readonly Call[],
  turn: TurnContext,
  options: CallOptions,
): Promise<readonly Ran[] | 'stop'> {
  const ran: Ran[] = [];
  for (const group of groupsOf(calls.slice(0, most), options)) {
    if (turn.signal.aborted) break;
    const places = placesInLine(group.length, turn);
    const done = await Promise.all(
      group.map((call, at) => run(call, places[at] ?? { turn, leave: () => {} }, options)),
    );
    if (done.some(({ stop }) => stop)) return 'stop';
    ran.push(...done);
  }
  return turn.signal.aborted ? ran : [...ran, ...calls.slice(most).map((call) => leftOut(call, turn))];
}

function leftOut(call: Call, turn: TurnContext): Ran {
  const text = `Not run: of one answer ${most} calls are run at most. Call it again where it is still needed.`;
  turn.report({ kind: 'tool.ended', tool: call.id, result: failed(text) });
  return { call, input: {}, result: { id: call.id, name: call.name, status: 'failed', text } };
}

interface Place {
  readonly turn: TurnContext;
  /** Lets the next one ask. */
  readonly leave: () => void;
}

async function run(call: Call, { turn, leave }: Place, options: CallOptions): Promise<Ran> {
  try {
    const called = await callTool(call, turn, options);
    if (call.name === compactChat.name && called.result.status === 'done')
      turn.log.compact(summaryIn(called.input), call.id);
    return { call, ...called };
  } finally {
    leave();
  }
}

/** People are asked about one call after the other, in the order of the calls, until one of their refusals ends the turn. */
function placesInLine(count: number, turn: TurnContext): readonly Place[] {
  let before: Promise<Verdict | undefined> = Promise.resolve(undefined);
  return Array.from({ length: count }, () => {
    const mine = before;
    let resolve: (verdict: Verdict | undefined) => void = () => {};
    before = new Promise((done) => (resolve = done));
    return {
      turn: {
        ...turn,
        async approve(request, withdrawn) {
          const last = await mine;
          const verdict = last && 'stop' in last ? last : await turn.approve(request, withdrawn);
          resolve(verdict);
          return verdict;
        },
      },
      leave: () => void mine.then(resolve),
    };
  });
}

/** Neighbours that may run side by side; a later call may depend on what an earlier one changed. */
function groupsOf(calls: readonly Call[], { tools }: CallOptions): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  let open = false;
  for (const call of calls) {
    const tool = tools.get(call.name);
    const harmless =
      tool !== undefined &&
      tool.server === undefined &&
      tool.name !== compactChat.name &&
      (tool.kind === 'read' || tool.kind === 'search' || tool.kind === 'think');
    if (open && harmless && (groups.at(-1)?.length ?? 0) < abreast) groups.at(-1)?.push(call);
    else groups.push([call]);
    open = harmless;
  }
  return groups;
}
