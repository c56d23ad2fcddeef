// Tells the browsers that asked for it that a session waits for a person, also while no page is open. The
// message has ids only: the browser fetches what it shows over its own connection.
import { mayAs } from '../../host/policy/roles.ts';
import type { Host } from '../../host/host.ts';
import type { Devices } from '../../io/auth/devices.ts';
import type { DeviceSubscription, PushFile } from '../../io/push/pushFile.ts';
import { mayReach } from './pushPlaces.ts';
import { sendPush } from '../../io/push/webPush.ts';
import type { NewAsk } from './waitingAsks.ts';

export interface PushOptions {
  readonly host: Host;
  readonly devices: Devices;
  readonly file: PushFile;
  readonly fetch: typeof fetch;
}

/** A device that is not signed in any more gets nothing; no device delays what others are told. */
export async function pushAsk(
  { host, devices, file, fetch: ask }: PushOptions,
  { isApproval, ...place }: NewAsk,
): Promise<void> {
  const send = async ({ device: id, ...subscription }: DeviceSubscription): Promise<void> => {
    const device = devices.list().find((each) => each.id === id);
    if (!device || !(await mayReach(device.role, subscription.endpoint))) return void file.remove(id);
    const payload = { ...place, mayAnswer: isApproval && mayAs(device.role, 'approve') };
    const result = await sendPush(ask, { subscription, payload, vapid: file.keys(), now: host.clock.now() });
    if (result === 'gone') file.remove(id);
    else if (result !== 'sent') host.report(new Error(result.problem), 'a push message');
  };
  await Promise.all(file.list().map(send));
}
