// The requests of a browser that wants to be told when a session waits, and of its notification: what
// waits, and the answer to it. `device` and `role` are set by the connection and not by the client.
import * as z from 'zod';
import { present } from '../../base/present.ts';
import type { Host } from '../../host/host.ts';
import { roles } from '../../host/policy/roles.ts';
import type { PushFile } from '../../io/push/pushFile.ts';
import { isRejection } from '../../model/command.ts';
import { findTool } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { WaitingAsk } from '../notify/waitingAsks.ts';
import { name, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

const place = z.object({ session: name, chat: name, ask: name });

export function pushMethods(
  host: Host,
  file: () => Promise<PushFile>,
): { readonly [name: string]: ControlMethod } {
  return {
    'push/key': async () => ({ key: (await file()).keys().publicKey }),
    'push/subscribe': async (params) => {
      const { subscriptionSchema } = await import('../../io/push/pushFile.ts');
      const { device, role, ...subscription } = readParams(
        subscriptionSchema.extend({ device: z.string().optional(), role: z.enum(roles).optional() }),
        params,
      );
      if (device === undefined) throw invalid('Only a device that was signed in by a link can be told.');
      if (!subscription.endpoint.startsWith('https:'))
        throw invalid('endpoint: the address of a push service begins with https:');
      const { mayReach } = await import('../notify/pushPlaces.ts');
      if (!(await mayReach(role ?? 'observe', subscription.endpoint)))
        throw invalid('endpoint: only a device with the role control can name a place in this network.');
      (await file()).put(device, subscription);
      return null;
    },
    'push/unsubscribe': async (params) => {
      const { device } = readParams(z.object({ device: z.string().optional() }), params);
      return device !== undefined && (await file()).remove(device);
    },
    'push/waiting': async (params) => {
      const where = readParams(place, params);
      return describe(await stateOf(host, where), where) ?? null;
    },
    'push/answer': async (params, _, by) => {
      const { allow, ...where } = readParams(place.extend({ allow: z.boolean() }), params);
      const session = await openSession(host, where);
      const ask = session.state.chats[where.chat]?.asks[where.ask]?.ask;
      if (ask?.kind !== 'approval') throw invalid('This was answered already.');
      const option = ask.options.find(({ effect }) => effect === (allow ? 'allow' : 'deny'));
      if (!option) throw invalid('This can be answered on its page only.');
      const { chat, ask: id } = where;
      const answer = { kind: 'option', option: option.id } as const;
      const refused = session.dispatch({ kind: 'answer', chat, ask: id, answer, withinSession: true }, by);
      if (refused) throw invalid(refused.message);
      return null;
    },
  };
}

function invalid(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message);
}

async function openSession(host: Host, { session }: WaitingAsk) {
  const found = host.opened(session) ?? (await host.open(session));
  if (isRejection(found)) throw invalid(found.message);
  return found;
}

async function stateOf(host: Host, where: WaitingAsk): Promise<State> {
  return (await openSession(host, where)).state;
}

/** The whole text that the answer is about; undefined if nothing waits there any more. */
function describe(state: State, { chat: id, ask: askId }: WaitingAsk) {
  const chat = state.chats[id];
  const ask = chat?.asks[askId]?.ask;
  if (!chat || !ask) return undefined;
  const tool = ask.kind === 'approval' ? findTool(chat.active, ask.tool) : undefined;
  const input = tool?.input;
  const command =
    typeof input === 'object' && input !== null && 'command' in input && typeof input['command'] === 'string'
      ? input['command']
      : undefined;
  return present({
    title: ask.kind === 'approval' ? ask.title : ask.message,
    session: state.title,
    folder: state.roots[0],
    command,
  });
}
