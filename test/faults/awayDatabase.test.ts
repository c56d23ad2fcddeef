// A PostgreSQL that cannot be used for a while, and a host that is killed meanwhile: editors on stdio wait
// for the next host and its sessions, and go on as if nothing had happened.
import { methods } from '@agentclientprotocol/sdk';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acpEditor, ahpOnStdio, ecaClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import { startPostgres } from '../kit/postgres.ts';
import type { PostgresServer } from '../kit/postgres.ts';
import type { Loose } from '../kit/wire.ts';
import { send } from './shownIsKept.ts';

const database = 'away';
let server: PostgresServer;
let home: Home;

beforeAll(async () => {
  server = await startPostgres();
  home = newHome();
  home.env['PARLEY_STORE'] = server.database(database);
}, 120_000);
afterAll(async () => {
  await home.dispose();
  await server.dispose();
});

/** Sends a prompt and resolves when its answer has come. */
type Ask = (word: string) => Promise<void>;

async function onEca(): Promise<Ask> {
  const eca = await ecaClient(home);
  return async (word) => {
    await eca.request('chat/prompt', { chatId: 'eca', message: `say ${word}` });
    await eca.wait(({ params }) => params?.content?.type === 'text' && params.content.text.includes(word));
    await eca.wait(
      ({ method, params }) => method === 'chat/statusChanged' && params.status === 'idle',
      eca.said.length - 1,
    );
  };
}

async function onAcp(): Promise<Ask> {
  const { agent, updates } = await acpEditor(home);
  const { sessionId }: Loose = await agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  return async (word) => {
    const prompt = [{ type: 'text' as const, text: `say ${word}` }];
    await agent.request(methods.agent.session.prompt, { sessionId, prompt });
    expect(JSON.stringify(updates)).toContain(word);
  };
}

async function onAhp(): Promise<Ask> {
  const ahp = await ahpOnStdio(home);
  const session = 'parley:/ahp';
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  return async (word) => {
    send(ahp, chat, [word, `say ${word}`]);
    await ahp.until(chat, ({ turns }) =>
      turns.some(({ id, state }: Loose) => id === word && state === 'complete'),
    );
  };
}

const hostPid = () =>
  (JSON.parse(readFileSync(join(home.env['PARLEY_HOME'] ?? '', 'host.json'), 'utf8')) as { pid: number }).pid;

/** From now on nobody can claim a session, as with a database that is about to restart. */
function refuseClaims(): void {
  server.sql(
    `CREATE SCHEMA judge;
    CREATE SEQUENCE judge.refusals;
    CREATE FUNCTION judge.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('judge.refusals');
      RAISE EXCEPTION 'the database system is starting up' USING ERRCODE = '57P03';
    END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON parley.sessions FOR EACH ROW
      WHEN (NEW.id NOT LIKE '$%' AND NEW.owner IS NOT NULL) EXECUTE FUNCTION judge.refuse()`,
    database,
  );
}

test(
  'an editor on stdio waits for a database as long as no host can start',
  { timeout: 120_000 },
  async () => {
    const ask = await onAcp();
    await ask('before');
    const killed = hostPid();
    await server.kill();
    process.kill(killed, 'SIGKILL');
    const log = join(home.env['PARLEY_HOME'] ?? '', 'host.log');
    const failures = () => readFileSync(log, 'utf8').split('cannot reach the database').length - 1;
    await eventually(() => failures() > 8, 'many starts that fail');
    await server.start();
    await ask('after');
    expect(hostPid()).not.toBe(killed);
  },
);

test('editors on stdio outlive a host and a database that is away', { timeout: 120_000 }, async () => {
  const editors = [await onEca(), await onAcp(), await onAhp()];
  await Promise.all(editors.map((ask) => ask('first')));
  refuseClaims();
  const killed = hostPid();
  process.kill(killed, 'SIGKILL');
  const refusals = () => Number(server.sql('SELECT last_value FROM judge.refusals', database));
  await eventually(() => refusals() > 12, 'the next host, asked for the sessions of all editors');
  server.sql('DROP TRIGGER refuse ON parley.sessions', database);
  await Promise.all(editors.map((ask) => ask('second')));
  expect(hostPid()).not.toBe(killed);
});
