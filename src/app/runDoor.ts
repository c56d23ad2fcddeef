// The private door of `parley run`: one prompt in a new session. Everything that needs approval is denied.
import { onAbort } from '../base/waiting.ts';
import * as z from 'zod';
import type { Door } from '../host/door.ts';
import type { Host } from '../host/host.ts';
import type { Session } from '../host/session/session.ts';
import { isRejection } from '../model/command.ts';
import type { Answer, Ask, Entry, EventOf, Origin, Outcome } from '../model/event.ts';
import { createPeer } from '../rpc/peer.ts';
import type { Peer } from '../rpc/peer.ts';
import { RpcError, rpcCodes } from '../rpc/rpcError.ts';
import type { Transport } from '../rpc/transports/transport.ts';

const rule = z.strictObject({
  tool: z.string(),
  command: z.array(z.string()).optional(),
  paths: z.array(z.string()).optional(),
});

const wishes = z.strictObject({
  prompt: z.string().min(1),
  roots: z.array(z.string()),
  agent: z.string().optional(),
  model: z.string().optional(),
  allow: z.array(rule),
});

export type RunWishes = z.input<typeof wishes>;

export interface DoorResult {
  readonly session: string;
  readonly outcome: Outcome;
  /** Whether a tool was refused on the way. */
  readonly refused: boolean;
}

const by: Origin = { kind: 'client', door: 'run', client: 'run', name: 'parley run' };
const denial = 'Not allowed. Add --allow or a rule in the settings.';

export function runDoor(): Door<Transport> {
  return {
    name: 'run',
    async serve(transport, host) {
      const peer: Peer = createPeer(transport, {
        handle: {
          request(method, params, { signal }) {
            const wished = wishes.safeParse(params);
            if (method !== 'run' || !wished.success)
              throw new RpcError(rpcCodes.invalidParams, 'This connection only accepts the request run.');
            return runPrompt(host, wished.data, { signal, tell: (entry) => peer.notify('entry', entry) });
          },
          notification: () => {},
        },
      });
      await peer.closed;
    },
  };
}

interface Listener {
  readonly signal: AbortSignal;
  readonly tell: (entry: Entry) => void;
}

async function runPrompt(
  host: Host,
  { prompt, roots, agent, model, allow }: z.output<typeof wishes>,
  { signal, tell }: Listener,
): Promise<DoorResult> {
  const session = host.create(
    { roots, ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }) },
    by,
  );
  if (isRejection(session)) throw new RpcError(rpcCodes.invalidParams, session.message);
  const turn = host.ids.next();
  const stop = () =>
    void session.dispatch({ kind: 'stopTurn', chat: session.id, turn, next: host.ids.next() }, by);
  let refused = false;
  const ended = new Promise<Outcome>((resolve) => {
    const leave = session.follow((steps) => {
      for (const { entry } of steps) {
        const { event } = entry;
        tell(entry);
        if (event.kind === 'ask.opened') refuse(session, event);
        if (event.kind === 'tool.ended' && event.result.status === 'denied') refused = true;
        if (event.kind !== 'turn.ended' || event.turn !== turn) continue;
        leave();
        resolve(event.outcome);
      }
    });
  });
  const rules = allow.map(({ tool, command, paths }, at) => ({
    id: `allow-${at + 1}`,
    effect: 'allow' as const,
    tool,
    ...(command ? { command } : {}),
    ...(paths ? { paths } : {}),
    source: '--allow',
  }));
  if (rules.length > 0) session.dispatch({ kind: 'changeSession', changes: { rules } }, by);
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn, message: { id: host.ids.next(), text: prompt } },
    by,
  );
  const leave = onAbort(signal, stop);
  const outcome = await ended;
  leave();
  return { session: session.id, outcome, refused };
}

/** If another client has already answered, that answer stays. */
function refuse(session: Session, { chat, ask }: EventOf<'ask.opened'>): void {
  session.dispatch({ kind: 'answer', chat, ask: ask.id, answer: refusal(ask) }, by);
}

function refusal(ask: Ask): Answer {
  const option = ask.kind === 'approval' ? ask.options.find(({ effect }) => effect === 'deny') : undefined;
  return option
    ? { kind: 'option', option: option.id, reason: denial }
    : { kind: 'declined', reason: denial };
}
