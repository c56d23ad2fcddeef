// The private door of `parley run`: one prompt in a new or an earlier session. Everything that needs approval
// is denied.
import * as z from 'zod';
import { present } from '../../base/present.ts';
import { onAbort } from '../../base/waiting.ts';
import type { Door } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import { NotStored } from '../../host/session/logStore.ts';
import type { Session } from '../../host/session/session.ts';
import { autonomyLevels } from '../../model/event.ts';
import type {
  Answer,
  Ask,
  Autonomy,
  Entry,
  Event,
  EventOf,
  Origin,
  Outcome,
  Problem,
  Rule,
} from '../../model/event.ts';
import { findTool } from '../../model/state.ts';
import type { Chat } from '../../model/state.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { RetryLimit } from './retryLimit.ts';
import { runSession } from './runSession.ts';
import { SpendingLimit } from './spendingLimit.ts';

const rule = z.strictObject({
  tool: z.string(),
  command: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
});

const wishes = z.strictObject({
  prompt: z.string().min(1),
  roots: z.array(z.string()),
  /** The session to continue: its ID or a unique prefix; or the newest one of the folder. */
  session: z.string().optional(),
  newest: z.literal(true).optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  autonomy: z.enum(autonomyLevels).optional(),
  effort: z.string().optional(),
  /** How long the turn may take, in milliseconds. */
  timeout: z.number().positive().optional(),
  /** How much the turn may cost, in US dollars. */
  maxCost: z.number().positive().optional(),
  allow: z.array(rule),
});

export type RunWishes = z.input<typeof wishes>;
export type CheckedWishes = z.output<typeof wishes>;

/** Sent before the entries. */
export interface RunStarted {
  readonly session: string;
  readonly turn: string;
  readonly agent: string;
  readonly model?: string;
  readonly mode?: string;
  readonly autonomy?: Autonomy;
  readonly roots: readonly string[];
}

/** What refused a tool: a rule, or that nobody was there to approve it. */
type Refusal = 'rule' | 'approval';

export interface DoorResult {
  readonly session: string;
  readonly outcome: Outcome;
  /** Absent if nothing was refused; a missing approval counts more than a rule. */
  readonly refused?: Refusal;
  /** Why the turn was stopped before its end; absent if nothing stopped it. */
  readonly stopped?: Problem;
}

const by: Origin = { kind: 'client', door: 'run', client: 'run', name: 'parley run' };
const denial = 'Not allowed. Add --allow, --auto or a rule in the settings.';

export function runDoor(): Door<Transport> {
  return {
    name: 'run',
    async serve(transport, host) {
      const stop = new AbortController();
      const peer: Peer = createPeer(transport, {
        handle: {
          request(method, params, { signal }) {
            const wished = wishes.safeParse(params);
            if (method !== 'run' || !wished.success)
              throw new RpcError(rpcCodes.invalidRequest, 'This connection only accepts the request run.');
            onAbort(signal, () => stop.abort());
            return runPrompt(host, wished.data, {
              signal: stop.signal,
              started: (facts) => peer.notify('started', facts),
              tell: (entry) => peer.notify('entry', entry),
            });
          },
          notification: (method) => {
            if (method === 'stop') stop.abort();
          },
        },
      });
      await peer.closed;
      stop.abort();
    },
  };
}

interface Listener {
  readonly signal: AbortSignal;
  readonly started: (facts: RunStarted) => void;
  readonly tell: (entry: Entry) => void;
}

async function runPrompt(
  host: Host,
  wished: CheckedWishes,
  { signal, started, tell }: Listener,
): Promise<DoorResult> {
  const { session, restore } = await runSession(host, wished, { by, rules: rulesOf(wished, host) });
  const turn = host.ids.next();
  started(factsOf(session, turn));
  let stopped: Problem | undefined;
  const stop = (why: Problem) => {
    stopped ??= why;
    void session.dispatch({ kind: 'stopTurn', chat: session.id, turn, next: host.ids.next() }, by);
  };
  const exceeded = limits(wished);
  let refused: Refusal | undefined;
  let finish: (outcome: Outcome) => void = () => {};
  // The end of a turn that could not be stored never comes.
  const lose = ({ message }: Error) => finish({ kind: 'failed', problem: { code: 'not-stored', message } });
  const ended = new Promise<Outcome>((resolve) => {
    const unloss = session.onLoss((cause) => lose(new NotStored(cause)));
    const unfollow = session.follow((steps) => {
      for (const { entry } of steps) {
        const { event } = entry;
        tell(entry);
        if (event.kind === 'ask.opened') refuse(session, event);
        if (event.kind === 'tool.ended' && event.result.status === 'denied' && refused !== 'approval')
          refused = event.result.rule === undefined ? 'approval' : 'rule';
        const over = exceeded(event);
        if (over) stop(over);
        if (event.kind !== 'turn.ended' || event.turn !== turn) continue;
        finish(event.outcome);
      }
    });
    finish = (outcome) => {
      unloss();
      unfollow();
      resolve(outcome);
    };
  });
  const rejection = session.dispatch(
    { kind: 'startTurn', chat: session.id, turn, message: { id: host.ids.next(), text: wished.prompt } },
    by,
  );
  if (rejection) throw new RpcError(rpcCodes.invalidRequest, rejection.message);
  // Another host may own the session, and refuse the turn.
  session.settled().catch(lose);
  const leave = onAbort(signal, () => stop({ code: 'stopped', message: 'The run was stopped.' }));
  const recall = wished.timeout === undefined ? () => {} : stopAfter(host, wished.timeout, stop);
  const outcome = await ended;
  leave();
  recall();
  restore();
  return present({ session: session.id, outcome, refused, stopped });
}

/** Tells why the run must stop after an event. */
function limits({ maxCost, timeout }: CheckedWishes): (event: Event) => Problem | undefined {
  const spending = new SpendingLimit(maxCost);
  const retries = new RetryLimit();
  return (event) => {
    if (event.kind === 'usage.reported') return spending.exceededBy(event);
    return event.kind === 'notice.added' && timeout === undefined ? retries.exceededBy(event) : undefined;
  };
}

function factsOf({ id, head }: Session, turn: string): RunStarted {
  const { agent, model, mode, autonomy, roots } = head;
  return {
    session: id,
    turn,
    agent,
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(autonomy === undefined ? {} : { autonomy: autonomy.level }),
    roots,
  };
}

/** Returns the function that calls the time limit off. */
function stopAfter(host: Host, timeout: number, stop: (why: Problem) => void): () => void {
  const message = `The run took longer than ${timeout / 1_000} s (--timeout).`;
  return host.clock.after(timeout, () => stop({ code: 'time', message }));
}

function rulesOf({ allow }: CheckedWishes, { ids, clock }: Host): readonly Rule[] {
  return allow.map(({ tool, command, paths }) => ({
    id: ids.next(),
    effect: 'allow' as const,
    tool,
    ...(command ? { command } : {}),
    ...(paths ? { paths } : {}),
    source: '--allow',
    made: { by, at: clock.now() },
  }));
}

/** If another client has already answered, that answer stays. */
function refuse(session: Session, { chat, ask }: EventOf<'ask.opened'>): void {
  const answer =
    ask.kind === 'approval'
      ? refusal(ask, session.head.chats[chat])
      : ({ kind: 'declined', reason: denial } as const);
  session.dispatch({ kind: 'answer', chat, ask: ask.id, answer }, by);
}

function refusal({ tool, options }: Extract<Ask, { kind: 'approval' }>, chat: Chat | undefined): Answer {
  const call = findTool(chat?.active, tool);
  // The permission mode auto is about files and commands.
  const reason =
    call?.toolKind === 'other'
      ? `Not allowed. Add --allow ${call.name}, --full or a rule in the settings.`
      : denial;
  const option = options.find(({ effect }) => effect === 'deny');
  return option ? { kind: 'option', option: option.id, reason } : { kind: 'declined', reason };
}
