import { expect, test } from 'vitest';
import { testWorld } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Agent } from '../../host/agent.ts';
import { Host } from '../../host/host.ts';
import type { Session } from '../../host/session/session.ts';
import { Clients, grace } from './clients.ts';
import { knownClients, takeNote } from './notes.ts';

const idle: Agent = {
  info: { id: 'idle', name: 'Idle', description: '', models: [] },
  open: () => Promise.reject(new Error('never asked')),
};

/** A host whose timers run when the test says so. */
async function start(store = new MemoryStore()) {
  const world = testWorld(store);
  const timers: { readonly milliseconds: number; readonly run: () => void; off: boolean }[] = [];
  const after = (milliseconds: number, run: () => void) => {
    const timer = { milliseconds, run, off: false };
    timers.push(timer);
    return () => {
      timer.off = true;
    };
  };
  const host = await Host.start({ ...world, clock: { ...world.clock, after } }, [idle]);
  const session = host.create({ id: 's', roots: [] }, { kind: 'host' }) as Session;
  const clients = new Clients(host);
  const activate = (client: string) => {
    session.dispatch(
      { kind: 'record', fact: { kind: 'client.joined', client: { id: client, tools: [] } } },
      { kind: 'host' },
    );
    clients.setActive(client, session, []);
  };
  return {
    host,
    session,
    clients,
    timers,
    activate,
    pass: () => timers.splice(0).forEach(({ off, run }) => off || run()),
  };
}

const client = { id: 'c1', principal: 'owner', version: '1.0.0' };

test('a client that does not come back is not active any more', async () => {
  const { clients, session, timers, activate, pass } = await start();
  const leave = clients.enter(client, () => {});
  activate('c1');
  leave();
  expect([
    timers.map(({ milliseconds }) => milliseconds),
    clients.counts('c1'),
    session.head.clients.length,
  ]).toEqual([[grace], true, 1]);
  pass();
  expect([clients.counts('c1'), session.head.clients.length]).toEqual([false, 0]);
});

test('what it was running for an agent has failed then, and not before', async () => {
  const { clients, session, activate, pass } = await start();
  const leave = clients.enter(client, () => {});
  activate('c1');
  const place = { chat: 's', turn: 't' };
  session.dispatch({ kind: 'startTurn', ...place, message: { id: 'm', text: '' } }, { kind: 'host' });
  for (const [tool, server] of [
    ['mine', 'c1'],
    ['theirs', 'c2'],
  ] as const) {
    session.dispatch(
      {
        kind: 'report',
        ...place,
        report: {
          kind: 'tool.started',
          tool,
          name: 'x',
          title: 'x',
          toolKind: 'other',
          source: 'client',
          server,
        },
      },
      { kind: 'host' },
    );
    session.dispatch(
      { kind: 'report', ...place, report: { kind: 'tool.running', tool, basis: { how: 'agent' } } },
      { kind: 'host' },
    );
  }
  const results = () =>
    session.head.chats['s']?.active?.items.map((item) => item.type === 'tool' && item.result?.status);
  leave();
  expect(results()).toEqual([undefined, undefined]);
  pass();
  expect(results()).toEqual(['failed', undefined]);
});

test('one that comes back in time stays active', async () => {
  const { clients, session, activate, pass } = await start();
  const leave = clients.enter(client, () => {});
  activate('c1');
  leave();
  clients.enter(client, () => {});
  pass();
  expect([clients.counts('c1'), session.head.clients.length]).toEqual([true, 1]);
});

test('an older connection that ends late takes nothing from the newer one', async () => {
  const { clients, timers, activate } = await start();
  const closed: string[] = [];
  const leave = clients.enter(client, () => closed.push('old'));
  activate('c1');
  clients.enter(client, () => closed.push('new'));
  leave();
  expect([closed, timers, clients.counts('c1')]).toEqual([['old'], [], true]);
});

test('the latest clients are known after a restart, and no more than a bounded number', async () => {
  const store = new MemoryStore();
  const first = await start(store);
  for (let i = 0; i < 300; i += 1) first.clients.enter({ ...client, id: `c${i}` }, () => {});
  const { seq } = first.host.own.head;
  first.clients.enter({ ...client, id: 'c299' }, () => {});
  expect(first.host.own.head.seq).toBe(seq);
  await first.host.own.settled();
  const again = new Clients(await Host.start(testWorld(store), [idle]));
  expect(['c0', 'c43', 'c44', 'c299'].map((id) => again.known(id)?.principal)).toEqual([
    undefined,
    undefined,
    'owner',
    'owner',
  ]);
});

test('whoever may only look leaves nothing in the log, and makes nobody be forgotten', async () => {
  const { clients, host } = await start();
  clients.enter(client, () => {});
  const { seq } = host.own.head;
  for (let i = 0; i < 600; i += 1)
    clients.enter({ id: `v${i}`, principal: 'phone', version: '1.0.0' }, () => {}, { visits: true });
  clients.enter({ id: 'other', principal: 'tablet', version: '1.0.0' }, () => {}, { visits: true });
  expect(host.own.head.seq).toBe(seq);
  expect(['c1', 'v0', 'v599', 'other'].map((id) => clients.known(id)?.principal)).toEqual([
    'owner',
    undefined,
    'phone',
    'tablet',
  ]);
});

test('one principal with many clients does not make others be forgotten, and each is one small entry', async () => {
  const { clients, host } = await start();
  clients.enter({ ...client, principal: 'somebody' }, () => {});
  for (let i = 0; i < 600; i += 1) clients.enter({ ...client, id: `c-${i}` }, () => {});
  expect(clients.known('c1')?.principal).toBe('somebody');
  const { seq } = host.own.head;
  clients.enter({ ...client, id: 'last' }, () => {});
  expect([host.own.head.seq - seq, knownClients(host.own.head).length]).toEqual([2, 256]);
});

test('clients that format 1 kept in one note are known until newer ones take their room', async () => {
  const { clients, host } = await start();
  host.own.dispatch(takeNote({ note: 'clients', known: [{ ...client, id: 'old' }] }), { kind: 'host' });
  expect(clients.known('old')?.principal).toBe('owner');
  for (let i = 0; i < 256; i += 1) clients.enter({ ...client, id: `c-${i}` }, () => {});
  expect([clients.known('old'), knownClients(host.own.head).length]).toEqual([undefined, 256]);
});
