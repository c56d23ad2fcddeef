import { expect, test } from 'vitest';
import { rig, testClient } from '../../../test/kit/host.ts';
import { pushService } from '../../../test/kit/pushService.ts';
import type { Devices } from '../../io/auth/devices.ts';
import type { DeviceSubscription, PushFile } from '../../io/push/pushFile.ts';
import { createVapidKeys } from '../../io/push/webPush.ts';
import type { PushSubscription } from '../../io/push/webPush.ts';
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
  const at = (index: number, device: string) => elsewhere((services[index] ?? refusing).subscription, device);
  let list: readonly DeviceSubscription[] = [
    at(0, 'control'),
    at(1, 'observe'),
    elsewhere(refusing.subscription, 'gone'),
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
    { host: made.host, devices: { ...noDevices, ...devices }, file, fetch: fetchHere },
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

test('a device that may not run commands reaches nothing in this network, and delays nobody', async () => {
  const made = await rig();
  const services = await Promise.all([pushService(), pushService()]);
  const [inside, outside] = services;
  const keys = { keys: inside?.subscription.keys ?? { p256dh: '', auth: '' } };
  const places = ['169.254.169.254', '10.0.0.1', '[::1]', 'localhost', 'printer.local'];
  let list: readonly DeviceSubscription[] = [
    { ...(inside?.subscription ?? { endpoint: '', ...keys }), device: 'observe' },
    ...places.map((place) => ({ endpoint: `https://${place}/`, ...keys, device: `observe ${place}` })),
    { endpoint: 'http://8.8.8.8/never', ...keys, device: 'approve' },
    { ...(outside?.subscription ?? { endpoint: '', ...keys }), device: 'control' },
  ];
  const all = list.map(({ device: id }) => ({ id, role: roleOf(id), name: id, since: 0 }));
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
  const asked: string[] = [];
  const answers = (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push(url);
    return url.endsWith('/never') ? new Promise<Response>(() => {}) : fetch(url, init);
  };
  const place = { session: 's', chat: 's', ask: 'a', isApproval: true };
  void pushAsk({ host: made.host, devices: { ...noDevices, list: () => all }, file, fetch: answers }, place);
  await expect.poll(() => outside?.received.length).toBe(1);
  expect(inside?.received).toEqual([]);
  expect(asked.toSorted()).toEqual(['http://8.8.8.8/never', outside?.subscription.endpoint].toSorted());
  expect(list.map(({ device }) => device)).toEqual(['approve', 'control']);
  for (const service of services) service.close();
  await made.close();
});

function roleOf(device: string): 'observe' | 'approve' | 'control' {
  if (device === 'control' || device === 'approve') return device;
  return 'observe';
}

/** Push services are on the internet; here they are on this machine. */
function elsewhere({ endpoint, keys }: PushSubscription, device: string): DeviceSubscription {
  return { endpoint: endpoint.replace('127.0.0.1', '8.8.8.8'), keys, device };
}

const fetchHere: typeof fetch = (input, init) =>
  fetch((input instanceof Request ? input.url : String(input)).replace('8.8.8.8', '127.0.0.1'), init);

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
