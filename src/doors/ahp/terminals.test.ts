import { afterEach, beforeEach, expect, test } from 'vitest';
import { attach, connect } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { connectV1 } from '../../../test/kit/ahp/integer1/client.ts';
import { FakeTerminals } from '../../../test/kit/fakeTerminals.ts';
import { rig } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { resourceFiles } from '../../../test/kit/realFiles.ts';
import type { Loose } from '../../../test/kit/wire.ts';
import { fileUri } from '../../base/fileUri.ts';
import type { AhpOptions } from './options.ts';
import { TerminalHub } from '../../host/terminals/terminalHub.ts';

const uri = 'ahp-terminal:/t1';

let on: Rig;
let fake: FakeTerminals;
let hub: TerminalHub;
let ports: Pick<AhpOptions, 'terminals'>;
let one: AhpClient;

beforeEach(async () => {
  on = await rig();
  fake = new FakeTerminals();
  hub = new TerminalHub(on.host, fake);
  ports = { terminals: () => hub };
  one = await connect(on.host, { id: 'one', ports });
});

afterEach(async () => {
  await one.close();
  for (const pty of fake.opened) pty.end();
  await on.close();
});

const claim = { kind: 'client', clientId: 'one' } as const;

async function opened() {
  await one.request('createTerminal', {
    channel: uri,
    claim,
    name: 'Mine',
    cwd: 'file:///w',
    cols: 100,
    rows: 30,
  });
  await one.subscribe(uri);
  const pty = fake.opened.at(-1);
  if (!pty) throw new Error('nothing was opened');
  return pty;
}

test('a terminal is made, listed in the root, followed and disposed of', async () => {
  expect(one.views.get('ahp-root://').terminals).toEqual([]);
  const pty = await opened();
  expect(one.views.get('ahp-root://').terminals).toEqual([{ resource: uri, title: 'Mine', claim }]);
  expect(one.views.get(uri)).toEqual({
    title: 'Mine',
    cwd: 'file:///w',
    cols: 100,
    rows: 30,
    content: [],
    claim,
    isPty: true,
    lifecycle: { status: 'running' },
  });
  await expect(one.request('createTerminal', { channel: uri, claim })).rejects.toMatchObject({
    code: -32010,
  });
  await expect(
    one.request('createTerminal', {
      channel: 'ahp-terminal:/t2',
      claim: { kind: 'client', clientId: 'two' },
    }),
  ).rejects.toMatchObject({ code: -32009 });
  await expect(
    one.request('createTerminal', {
      channel: 'ahp-terminal:/t2',
      claim: { kind: 'session', session: 'script:/none', chat: 'ahp-chat:/none' },
    }),
  ).rejects.toMatchObject({ code: -32001 });
  await expect(one.request('createTerminal', { channel: 'script:/t2', claim })).rejects.toMatchObject({
    code: -32602,
  });
  for (const size of [{ cols: -5 }, { rows: 0 }, { cols: 1.5 }, { rows: 100_000 }])
    await expect(
      one.request('createTerminal', { channel: 'ahp-terminal:/t2', claim, ...size }),
    ).rejects.toMatchObject({ code: -32602 });
  pty.say('hello ');
  pty.say('world');
  await one.wait(({ params }) => params?.action?.type === 'terminal/data');
  expect(one.views.get(uri).content).toEqual([{ type: 'unclassified', value: 'hello world' }]);
  const gone = one.request('disposeTerminal', { channel: uri });
  pty.end();
  expect(await gone).toBeNull();
  expect(one.views.get('ahp-root://').terminals).toEqual([]);
  await expect(one.request('disposeTerminal', { channel: uri })).rejects.toMatchObject({ code: -32008 });
  await expect(one.subscribe(uri)).rejects.toMatchObject({ code: -32008 });
  expect(one.problems).toEqual([]);
});

test('a terminal needs a folder that is there', async () => {
  const able = await connect(on.host, { id: 'able', ports: { ...ports, files: resourceFiles() } });
  const make = (channel: string, cwd: string) =>
    able.request('createTerminal', { channel, claim: { kind: 'client', clientId: 'able' }, cwd });
  for (const cwd of ['file:///no/such/folder', fileUri(import.meta.filename)])
    await expect(make('ahp-terminal:/t3', cwd)).rejects.toMatchObject({ code: -32008 });
  expect(await make('ahp-terminal:/t3', fileUri(import.meta.dirname))).toBeNull();
  await able.close();
});

test('what a client does comes back to it, and to others as news', async () => {
  const pty = await opened();
  const two = await connect(on.host, { id: 'two', ports });
  await two.subscribe(uri);
  for (const action of [
    { type: 'terminal/input', data: 'ls\n' },
    { type: 'terminal/resized', cols: 80, rows: 24 },
    { type: 'terminal/titleChanged', title: 'Other' },
    { type: 'terminal/titleChanged', title: 'Other' },
    { type: 'terminal/cleared' },
  ]) {
    expect((await one.echo(one.dispatch(uri, action))).params).toMatchObject({
      channel: uri,
      action,
      origin: { clientId: 'one' },
    });
  }
  expect([pty.typed, pty.sizes]).toEqual(['ls\n', [[80, 24]]]);
  expect(two.views.get(uri)).toEqual(one.views.get(uri));
  expect(two.said.some(({ params }) => params?.action?.type === 'terminal/input')).toBe(false);
  expect(two.views.get('ahp-root://').terminals).toMatchObject([{ title: 'Other' }]);
  expect(
    (await two.echo(two.dispatch(uri, { type: 'terminal/input', data: 'rm' }))).params.rejectionReason,
  ).toMatch(/another owner/);
  expect(
    (
      await two.echo(
        two.dispatch(uri, { type: 'terminal/claimed', claim: { kind: 'client', clientId: 'two' } }),
      )
    ).params.rejectionReason,
  ).toMatch(/another owner/);
  expect(
    (await one.echo(one.dispatch(uri, { type: 'terminal/data', data: 'forged' }))).params.rejectionReason,
  ).toMatch(/Only the host/);
  expect(
    (await one.echo(one.dispatch(uri, { type: 'terminal/resized', cols: 0, rows: 0 }))).params
      .rejectionReason,
  ).toMatch(/size/);
  await one.echo(one.dispatch(uri, { type: 'terminal/claimed', claim: { kind: 'client', clientId: 'two' } }));
  await two.echo(two.dispatch(uri, { type: 'terminal/input', data: 'mine' }));
  expect(pty.typed).toBe('ls\nmine');
  expect(two.views.get('ahp-root://').terminals).toMatchObject([{ claim: { clientId: 'two' } }]);
  pty.end({ exitCode: 3 });
  await two.wait(({ params }) => params?.action?.type === 'terminal/exited');
  expect(two.views.get(uri).lifecycle).toEqual({ status: 'exited', exitCode: 3 });
  const fresh = (await two.peer.request('subscribe', { channel: uri })) as Loose;
  expect(two.views.get(uri)).toEqual(fresh.snapshot.state);
  expect([...one.problems, ...two.problems]).toEqual([]);
  await two.close();
});

test('both generations see one terminal, each in its own words', async () => {
  const pty = await opened();
  const old = await connectV1(on.host, { id: 'old', ports });
  expect(old.views.get('agenthost:/root').terminals).toEqual([{ resource: uri, title: 'Mine', claim }]);
  await old.subscribe(uri);
  pty.say('text');
  await old.action('terminal/data');
  pty.end({ exitCode: 0 });
  await old.action('terminal/exited');
  expect(old.views.get(uri)).toEqual({
    title: 'Mine',
    cwd: 'file:///w',
    cols: 100,
    rows: 30,
    content: [{ type: 'unclassified', value: 'text' }],
    claim,
    exitCode: 0,
  });
  expect(
    await old.request('createTerminal', {
      terminal: 'agenthost-terminal:/t2',
      claim: { kind: 'client', clientId: 'old' },
    }),
  ).toBeNull();
  await old.subscribe('agenthost-terminal:/t2');
  expect(
    (await old.echo(old.dispatch({ type: 'terminal/input', terminal: 'agenthost-terminal:/t2', data: 'x' })))
      .params,
  ).toMatchObject({ action: { terminal: 'agenthost-terminal:/t2' } });
  expect(
    (await old.echo(old.dispatch({ type: 'terminal/exited', terminal: 'agenthost-terminal:/t2' }))).params
      .rejectionReason,
  ).toMatch(/Only the host/);
  old.dispatch({ type: 'terminal/input', terminal: 'agenthost-terminal:/none', data: 'x' });
  expect(one.views.get('ahp-root://').terminals).toHaveLength(2);
  expect(old.problems).toEqual([]);
  await old.close();
});

test('a client that comes back is shown the terminal as it is', async () => {
  const pty = await opened();
  await one.close();
  pty.say('meanwhile');
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const back = attach(on.host, { id: 'one', ports }, one);
  const result = await back.request('reconnect', {
    channel: 'ahp-root://',
    clientId: 'one',
    lastSeenServerSeq: one.lastSeen(),
    subscriptions: ['ahp-root://', uri],
  });
  expect(result.type).toBe('snapshot');
  expect(back.views.get(uri).content).toEqual([{ type: 'unclassified', value: 'meanwhile' }]);
  await back.close();
});

test('numbers grow, however much comes without an entry, and go on for a client that comes back', async () => {
  const pty = await opened();
  for (let line = 1; line <= 300; line += 1) {
    pty.say(`${line}\n`);
    await one.wait(({ params }) => params?.action?.data === `${line}\n`);
  }
  expect(one.views.get(uri).content).toMatchObject([{ value: expect.stringMatching(/^1\n(.*\n)*300\n$/) }]);
  expect(one.problems).toEqual([]);
  await one.close();
  const back = attach(on.host, { id: 'one', ports }, one);
  const subscriptions = ['ahp-root://', uri];
  const lastSeenServerSeq = one.lastSeen();
  const asked = { channel: 'ahp-root://', clientId: 'one', lastSeenServerSeq, subscriptions };
  expect((await back.request('reconnect', asked)).type).toBe('snapshot');
  pty.say('more');
  await back.wait(({ params }) => params?.action?.data === 'more');
  expect([back.problems, back.lastSeen() > one.lastSeen()]).toEqual([[], true]);
  await back.close();
});

test('without numbers a client still hears what takes none, and a subscription is refused in words', async () => {
  await opened();
  await on.create('s1');
  on.store.takePosition = () => Promise.reject(new Error('away'));
  for (let n = 0; n < 140; n += 1) one.dispatch(uri, { type: 'terminal/input', data: 'x' });
  const refused = await one.echo(one.dispatch(uri, { type: 'terminal/resized', cols: 0, rows: 0 }));
  expect(refused.params.rejectionReason).toEqual(expect.any(String));
  await expect(one.subscribe('script:/s1')).rejects.toThrow('The database does not answer');
}, 40_000);

test('a host without terminals offers none', async () => {
  const bare = await connect(on.host, { id: 'bare' });
  expect(bare.views.get('ahp-root://')).not.toHaveProperty('terminals');
  await expect(
    bare.request('createTerminal', { channel: uri, claim: { kind: 'client', clientId: 'bare' } }),
  ).rejects.toMatchObject({ code: -32601 });
  await bare.close();
});
