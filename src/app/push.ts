// Tells the browsers that asked for it when a session waits for a person, also while no page is open. The message
// has ids only: the browser fetches what it shows over its own connection.
import { mayAs } from '../host/policy/roles.ts';
import type { Host } from '../host/host.ts';
import type { Devices } from '../io/auth/devices.ts';
import type { PushFile } from '../io/push/pushFile.ts';
import { sendPush } from '../io/push/webPush.ts';
import type { AskId, ChatId, SessionId } from '../model/event.ts';
import type { State } from '../model/state.ts';

export interface PushOptions {
  readonly host: Host;
  readonly devices: Devices;
  readonly file: PushFile;
  readonly fetch: typeof fetch;
}

/** Which ask waits. */
export interface WaitingAsk {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly ask: AskId;
}

/** Returns what ends it. */
export function pushWaiting(options: PushOptions): () => void {
  const { host, devices, file } = options;
  const told = new Map<SessionId, ReadonlySet<AskId>>();
  devices.follow((id) => {
    if (!devices.list().some((device) => device.id === id)) file.remove(id);
  });
  return host.follow((change) => {
    if (change.kind !== 'changed' && change.kind !== 'added') return;
    const state = host.opened(change.summary.id)?.state;
    if (!state) return;
    const open = openAsks(state);
    const known = told.get(state.id);
    told.set(state.id, new Set(open.map(({ ask }) => ask)));
    for (const each of open)
      if (!known?.has(each.ask))
        tell(options, each).catch((error: unknown) => host.report(error, 'a push message'));
  });
}

interface OpenAsk extends WaitingAsk {
  readonly isApproval: boolean;
}

function openAsks(state: State): readonly OpenAsk[] {
  return Object.values(state.chats).flatMap(({ id: chat, asks }) =>
    Object.values(asks).map(({ ask }) => ({
      session: state.id,
      chat,
      ask: ask.id,
      isApproval: ask.kind === 'approval',
    })),
  );
}

async function tell({ host, devices, file, fetch: ask }: PushOptions, waiting: OpenAsk): Promise<void> {
  const { isApproval, ...place } = waiting;
  for (const { device: id, ...subscription } of file.list()) {
    const device = devices.list().find((each) => each.id === id);
    if (!device) {
      file.remove(id);
      continue;
    }
    const payload = { ...place, mayAnswer: isApproval && mayAs(device.role, 'approve') };
    const result = await sendPush(ask, { subscription, payload, vapid: file.keys(), now: host.clock.now() });
    if (result === 'gone') file.remove(id);
    else if (result !== 'sent') host.report(new Error(result.problem), 'a push message');
  }
}
