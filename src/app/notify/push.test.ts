import { expect, test } from 'vitest';
import { rig, testClient } from '../../../test/kit/host.ts';
import { pushService } from '../../../test/kit/pushService.ts';
import type { Devices } from '../../io/auth/devices.ts';
import type { DeviceSubscription, PushFile } from '../../io/push/pushFile.ts';
import { createVapidKeys } from '../../io/push/webPush.ts';
import { pushAsk } from './push.ts';
import { followAsks } from './waitingAsks.ts';
import type { NewAsk } from './waitingAsks.ts';

test('an ask is told once, with what each device may do, and to nobody who was signed out', async () => {
  const made = await rig();
  const services = await Promise.all(['control', 'observe', 'gone', 'revoked'].map(() => pushService()));
  const refusing = await pushService({ status: 410 });
  const roles = [
    { id: 'control', role: 'control' },
    { id: 'observe', role: 'observe' },
    { id: 'gone', role: 'approve' },
  ] as const;
  const devices: Pick<Devices, 'list'> = {
    list: () => roles.map((device) => ({ ...device, name: device.id, since: 0 })),
  };
  const at = (index: number, device: string) => ({ ...(services[index] ?? refusing).subscription, device });
  let list: readonly DeviceSubscription[] = [
    at(0, 'control'),
    at(1, 'observe'),
    { ...refusing.subscription, device: 'gone' },
    at(3, 'revoked'),
  ];
  const vapid = createVapidKeys();
  const file: PushFile = {
    keys: () => vapid,
    list: () => list,
    put: () => {},
    remove(device) {
      list = list.filter((each) => each.device !== device);
      return true;
    },
  };
  const asked: NewAsk[] = [];
  const leave = followAsks(made.host, (ask) => asked.push(ask));
  const session = await made.create('s');
  made.scripts.set('*', async (turn) => {
    await turn.ask({ kind: 'question', message: 'Which?', questions: [] });
  });
  session.dispatch(
    { kind: 'startTurn', chat: 's', turn: 'one', message: { id: 'm', text: 'go' } },
    testClient,
  );
  await expect.poll(() => asked.length).toBe(1);
  const [ask] = asked;
  if (!ask) throw new Error('Nothing waits.');
  await pushAsk(
    { host: made.host, devices: { ...noDevices, ...devices }, file, fetch },
    { ...ask, isApproval: true },
  );
  const said = services.map(({ received }) => received.map(({ text }) => JSON.parse(text) as unknown));
  const { isApproval: _, ...place } = ask;
  expect(said).toEqual([[{ ...place, mayAnswer: true }], [{ ...place, mayAnswer: false }], [], []]);
  expect(list.map(({ device }) => device)).toEqual(['control', 'observe']);
  leave();
  for (const service of [...services, refusing]) service.close();
  await made.close();
});

const never = () => {
  throw new Error('This is not asked here.');
};
const noDevices: Devices = {
  newCode: never,
  redeem: never,
  redeemForPage: never,
  find: never,
  findByProof: never,
  list: never,
  revoke: never,
  change: never,
  follow: never,
};
