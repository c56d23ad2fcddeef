// A PostgreSQL that does not answer, while its connections stay open: turns wait, clients and monitoring are
// told within a second, nothing is cut, and the work goes on when it answers again.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import { ahpClient, ecaClient } from '../kit/clients.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import { startPostgres } from '../kit/postgres.ts';
import type { PostgresServer } from '../kit/postgres.ts';
import type { Loose } from '../kit/wire.ts';
import { send, spokenOf } from './shownIsKept.ts';
import { expectWithin } from '../kit/timeLimit.ts';

/** Longer than the wait for one answer of the database if somebody asks for it, in seconds. */
const freeze = Number(process.env['PARLEY_FREEZE_SECONDS'] ?? 4);

let server: PostgresServer;
let home: Home;

beforeAll(async () => {
  server = await startPostgres();
  home = newHome();
  home.env['PARLEY_STORE'] = server.database('frozen');
}, 120_000);
afterAll(async () => {
  server.thaw();
  await home.dispose();
  await server.dispose();
});

test('a frozen database', { timeout: 120_000 + freeze * 1_000 }, async () => {
  const host = await home.serve('--no-open');
  const eca = await ecaClient(home);
  const ahp = await ahpClient(host);
  const session = 'parley:/frozen';
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  send(ahp, chat, ['one', 'stream 5 word\npause 20\n'.repeat(150)]);
  const reach = (holds: (state: Loose) => boolean, what: string) =>
    eventually<Loose>(() => {
      ahp.last();
      const state = ahp.states.get(chat);
      return state && holds(state) ? state : undefined;
    }, what);
  await reach(({ activeTurn }) => activeTurn && spokenOf(activeTurn).length > 100, 'words');

  server.freeze();
  onTestFinished(() => server.thaw());
  const frozenAt = performance.now();
  const told = () => eca.said.filter(({ method }) => method === '$/showMessage').map(({ params }) => params);
  await eventually(() => told().length > 0, 'the news for the client');
  await expectWithin(2_000, frozenAt);
  expect(told()).toMatchObject([{ type: 'warning', message: expect.stringContaining('does not answer') }]);
  const news = () => ahp.said.filter(({ method }) => method === '_parley/storageChanged');
  // Each client has a connection of its own.
  await eventually(() => news().length > 0, 'the news for the other client');
  expect(news()).toMatchObject([{ params: { waiting: true } }]);
  const askedAt = performance.now();
  expect(await statusOf(host)).toBe(503);
  await expectWithin(2_000, askedAt);
  const heard = spokenOf((await reach(() => true, 'the state')).activeTurn).length;
  await pause(freeze * 1_000);
  expect(spokenOf((await reach(() => true, 'the state')).activeTurn).length).toBe(heard);

  server.thaw();
  const { turns } = await reach(({ activeTurn }) => activeTurn === undefined, 'the end of the turn');
  expect([turns.at(-1).state, spokenOf(turns.at(-1)).match(/word/g)?.length]).toEqual(['complete', 750]);
  await eventually(() => told().length > 1 && news().length > 1, 'the news that it is back');
  expect([told()[1], news()[1]]).toMatchObject([{ type: 'info' }, { params: { waiting: false } }]);
  await eventually(async () => (await statusOf(host)) === 200, 'the health of the host');
});

test('an external agent that floods waits, too', { timeout: 120_000 + freeze * 1_000 }, async () => {
  const agent = await bundle(join(import.meta.dirname, '..', 'kit', 'referenceAgent.ts'));
  onTestFinished(() => agent.dispose());
  const own = newHome();
  onTestFinished(() => own.dispose());
  own.env['PARLEY_STORE'] = server.database('flooded');
  await own.run('agents', 'add', 'ref', '--', process.execPath, agent.path).done;
  const host = await own.serve('--no-open');
  const ahp = await ahpClient(host);
  const session = 'parley:/flooded';
  const place = { channel: session, workingDirectories: [`file://${own.workspace}`] };
  await ahp.request('createSession', { ...place, provider: 'ref' });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  const done = join(own.workspace, 'done.txt');
  const frozen = join(own.workspace, 'frozen.txt');
  const wait = `do until [ -e ${frozen} ]; do sleep 0.1; done`;
  send(ahp, chat, ['one', `say on\n${wait}\nflood 12000\nput ${done} "all"\nsay off`]);
  const turn = () => {
    ahp.last();
    const state = ahp.states.get(chat);
    return state?.activeTurn ?? state?.turns.at(-1);
  };
  await eventually(() => turn() && spokenOf(turn()).includes('on'), 'words');
  server.freeze();
  onTestFinished(() => server.thaw());
  writeFileSync(frozen, '');
  await pause(freeze * 1_000);
  expect(existsSync(done)).toBe(false);
  server.thaw();
  await eventually(() => turn()?.state === 'complete', 'the end of the turn');
  expect([spokenOf(turn()).match(/x/g)?.length, existsSync(done)]).toEqual([12_000_000, true]);
});

async function statusOf({ port }: Served): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
}
