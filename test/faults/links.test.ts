// Three hosts on one PostgreSQL with links between them: editors of every protocol, each on another host,
// show and drive one session, and go on when its owner is killed.
import { methods } from '@agentclientprotocol/sdk';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSecrets } from '../../src/io/auth/secrets.ts';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AcpEditor, AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import { startPostgres } from '../kit/postgres.ts';
import type { PostgresServer } from '../kit/postgres.ts';
import type { Loose, ReceivedNotification, Wire } from '../kit/wire.ts';
import { expectKept, send, spokenOf } from './shownIsKept.ts';

let server: PostgresServer;
const homes: Home[] = [];
const hosts: Served[] = [];

beforeAll(async () => {
  server = await startPostgres();
  const database = server.database('links');
  for (let at = 0; at < 3; at += 1) {
    const made = newHome();
    made.env['PARLEY_STORE'] = database;
    homes.push(made);
    hosts.push(await made.serve('--no-open'));
  }
}, 120_000);
afterAll(async () => {
  for (const each of homes) await each.dispose();
  await server.dispose();
});

/** The same folder for all hosts, as on a shared disk. */
const workspace = () => homes[0]?.workspace ?? '';
const nameOf = (at: number) => `${hostname()}:${homes[at]?.env['PARLEY_HOME'] ?? ''}`;
const ownerOf = (session: string) =>
  server.sql(
    `SELECT h.name FROM parley.sessions s JOIN parley.hosts h ON h.id = s.owner WHERE s.id = '${session}'`,
    'links',
  );

/** One session, shown by an AHP client on the first host, ECA on the second and ACP on the third. */
interface Watchers {
  readonly ahp: AhpClient;
  readonly chat: string;
  readonly eca: Wire;
  readonly acp: AcpEditor;
  readonly close: () => Promise<void>;
}

async function watchers(
  id: string,
  text: string,
  permit?: (params: Loose) => Promise<Loose>,
): Promise<Watchers> {
  const [first, second, third] = [served(0), home(1), home(2)];
  const ahp = await ahpClient(first);
  const session = `parley:/${id}`;
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${workspace()}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  send(ahp, chat, [`${id}#1`, text]);
  await ahp.until(chat, (state) => state.activeTurn !== undefined);
  const eca = await ecaClient(second);
  const found = async () => (await eca.request('chat/open', { chatId: id })).found === true;
  await eventually(found, 'the session on the second host');
  const acp = await acpEditor(third, permit);
  const load = async () =>
    acp.agent
      .request(methods.agent.session.load, { sessionId: id, cwd: workspace(), mcpServers: [] })
      .then(() => true)
      .catch(() => false);
  await eventually(load, 'the session on the third host');
  return {
    ahp,
    chat,
    eca,
    acp,
    async close() {
      await Promise.allSettled([ahp.close(), eca.close(), acp.close()]);
    },
  };
}

function served(at: number): Served {
  const host = hosts[at];
  if (!host) throw new Error(`There is no host ${at}.`);
  return host;
}

function home(at: number): Home {
  const found = homes[at];
  if (!found) throw new Error(`There is no home ${at}.`);
  return found;
}

const said = ({ said: all }: Wire) =>
  all
    .filter(
      ({ method, params }) =>
        method === 'chat/contentReceived' && params.role === 'assistant' && params.content.type === 'text',
    )
    .map(({ params }) => params.content.text)
    .join('');
const heard = ({ updates }: AcpEditor) =>
  updates
    .map(({ update }: Loose) => (update.sessionUpdate === 'agent_message_chunk' ? update.content.text : ''))
    .join('');
const toolOf = (state: Loose) =>
  state.activeTurn?.responseParts.find((part: Loose) => part.kind === 'toolCall')?.toolCall;
const isContent = (type: string) => (each: ReceivedNotification) =>
  each.method === 'chat/contentReceived' && each.params.content.type === type;

test(
  'an approval given on two hosts that do not own the session wins once',
  { timeout: 120_000 },
  async () => {
    let permit: (answer: Loose) => void = () => {};
    const asked = new Promise<Loose>((resolve) => {
      permit = resolve;
    });
    const write = 'say Listen.\ntool shell_command {"command":"echo once >> made.txt"}\nsay Done.';
    const { ahp, chat, eca, acp, close } = await watchers('approved', write, () => asked);
    await ahp.until(chat, (state) => toolOf(state)?.status === 'pending-confirmation');
    const run = await eca.wait(isContent('toolCallRun'));
    await eventually(() => acp.asked.length === 1, 'the question in the third editor');
    expect(said(eca)).toContain('Listen.');
    const option = acp.asked[0].options.find(({ kind }: Loose) => kind === 'allow_once').optionId;
    permit({ outcome: { outcome: 'selected', optionId: option } });
    eca.notify('chat/toolCallApprove', { chatId: 'approved', toolCallId: run.params.content.id });
    const { turns } = await ahp.until(chat, (state) => state.turns.length === 1);
    expect(turns[0]).toMatchObject({ state: 'complete' });
    expect(readFileSync(join(workspace(), 'made.txt'), 'utf8')).toBe('once\n');
    await eventually(
      () => said(eca).includes('Done.') && heard(acp).includes('Done.'),
      'the end on all hosts',
    );
    expect(ownerOf('approved')).toBe(nameOf(0));
    const answers = server.sql(
      "SELECT count(*) FROM parley.entries WHERE session = 'approved' AND event LIKE '%ask.answered%'",
      'links',
    );
    expect(answers).toBe('1');
    expect(acp.problems).toEqual([]);

    // Idle, so it moves to the host whose editor prompts it; the others follow.
    await eca.request('chat/prompt', { chatId: 'approved', message: 'say It moved.' });
    expect(ownerOf('approved')).toBe(nameOf(1));
    await ahp.until(chat, (state) => state.turns.length === 2);
    await eventually(() => heard(acp).includes('It moved.'), 'the turn on the third host');
    expect(ahp.seqs).toEqual([...new Set(ahp.seqs)].toSorted((a, b) => a - b));
    await expectStatus();
    await close();
  },
);

test('prompts from editors on different hosts at the same moment all run', { timeout: 120_000 }, async () => {
  const { ahp, chat, eca, acp, close } = await watchers('together', 'say Begun.');
  await ahp.until(chat, (state) => state.turns.length === 1);
  for (let round = 1; round <= 4; round += 1) {
    const prompt = [{ type: 'text' as const, text: `say ACP ${round}.\npause 300` }];
    const [inAcp, inEca] = await Promise.all([
      acp.agent.request(methods.agent.session.prompt, { sessionId: 'together', prompt }),
      eca.request('chat/prompt', { chatId: 'together', message: `say ECA ${round}.\npause 300` }),
    ]);
    expect([(inAcp as Loose).stopReason, inEca.status]).toEqual(['end_turn', 'prompting']);
    await ahp.until(chat, (state) => state.turns.length === 1 + 2 * round);
  }
  await eventually(() => said(eca).includes('ACP 4.') && heard(acp).includes('ECA 4.'), 'all words');
  await close();
});

/** A turn that goes on until somebody answers. */
const hold = 'say One.\ntool shell_command {"command":"echo never >> never.txt"}';

test('a queued message and a stop reach the owner with who gave them', { timeout: 120_000 }, async () => {
  const { ahp, chat, eca, acp, close } = await watchers('driven', hold);
  await eca.request('chat/prompt', { chatId: 'driven', message: 'say Two.' });
  await ahp.until(chat, (state) => (state.queuedMessages ?? []).length === 1);
  // Nobody deletes what works elsewhere, and is told where.
  await expect(eca.request('chat/delete', { chatId: 'driven' })).rejects.toThrow(nameOf(0));
  await acp.agent.notify(methods.agent.session.cancel, { sessionId: 'driven' });
  const { turns } = await ahp.until(chat, (state) => state.turns.length === 2);
  expect(turns.map(({ state }: Loose) => state)).toEqual(['cancelled', 'complete']);
  expect(ownerOf('driven')).toBe(nameOf(0));
  const by = server.sql(
    "SELECT string_agg(by, ' ') FROM parley.entries WHERE session = 'driven' AND event LIKE '%message.queued%'",
    'links',
  );
  expect(by).toContain('"door":"eca"');
  await close();
});

test(
  'kill -9 of the owner: what was shown is kept, and the session goes on elsewhere',
  { timeout: 120_000 },
  async () => {
    const stream = 'stream 5 word\npause 20\n'.repeat(400);
    const { ahp, chat, eca, acp, close } = await watchers('killed', stream);
    const other = await ahpClient(served(1));
    await other.subscribe(chat);
    const longEnough = (text: string) => text.length > 200;
    await other.until(chat, (state) => state.activeTurn && longEnough(spokenOf(state.activeTurn)));
    await eventually(() => longEnough(said(eca)) && longEnough(heard(acp)), 'words on all hosts');
    await served(0).killAlone();
    await ahp.peer.closed;
    ahp.last();
    const shown = { owner: ahp.states.get(chat), eca: said(eca), acp: heard(acp) };
    const kept = await other.until(
      chat,
      (state) => state.activeTurn === undefined && state.turns.length === 1,
    );
    expectKept(shown.owner, kept, 'the client of the owner');
    const all = spokenOf(kept.turns[0]);
    for (const text of [shown.eca, shown.acp]) expect(all.startsWith(text.trim()), text).toBe(true);
    await eventually(() => said(eca).length >= all.length && heard(acp).length >= all.length, 'all words');
    send(other, chat, ['killed#2', 'say We go on.']);
    await other.until(chat, (state) => state.turns.length === 2);
    await eventually(
      () => said(eca).includes('We go on.') && heard(acp).includes('We go on.'),
      'the next turn',
    );
    other.last();
    expect(other.seqs).toEqual([...new Set(other.seqs)].toSorted((a, b) => a - b));
    const uneven = server.sql(
      'SELECT session FROM parley.entries GROUP BY session HAVING count(*) <> max(seq) OR min(seq) <> 1',
      'links',
    );
    expect(uneven).toBe('');
    await close();
    await other.close();
    hosts[0] = await home(0).serve('--no-open');
  },
);

test('nothing that is secret on a host is in the database', async () => {
  const code = /code=(\S+)/.exec((await home(1).run('devices', 'add').done).out)?.[1] ?? '';
  expect(code.length).toBeGreaterThan(10);
  const secrets = hosts.flatMap(({ token }, at) => {
    const folder = String(home(at).env['PARLEY_HOME']);
    openSecrets(join(folder, 'secrets.json')).set(`key-${at}`, `sk-of-a-provider-${at}`);
    const files = readdirSync(folder).filter((name) => /^(secrets|push)\.json$|\.pem$/.test(name));
    const long = files.flatMap(
      (name) => readFileSync(join(folder, name), 'utf8').match(/[\w+/=-]{16,}/g) ?? [],
    );
    return [token, ...long];
  });
  const tables = server
    .sql("SELECT tablename FROM pg_tables WHERE schemaname = 'parley'", 'links')
    .split('\n');
  expect(tables).toEqual(
    expect.arrayContaining(['entries', 'devices', 'owners', 'sign_in_codes', 'link_keys']),
  );
  for (const table of tables) {
    const all = server.sql(`SELECT t FROM parley.${table} t`, 'links');
    expect(
      [...secrets, code].filter((secret) => all.includes(secret)),
      table,
    ).toEqual([]);
    // PEM and DER of a private key.
    expect(all).not.toMatch(/PRIVATE KEY|MC4CAQAwBQYDK2Vw/);
  }
  expect(server.sql('SELECT count(*) FROM parley.link_keys', 'links')).toBe('3');
});

/** The doctor and /healthz name the links, and only to those who may know. */
async function expectStatus(): Promise<void> {
  const { port, token } = served(2);
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/healthz`, { headers })).json() as Promise<Loose>;
  const { links } = await ask({ authorization: `Bearer ${token}` });
  expect(links).toContainEqual({
    host: nameOf(1),
    url: `http://127.0.0.1:${served(1).port}/`,
    isUp: true,
    sessions: 1,
  });
  expect(await ask({})).not.toHaveProperty('links');
  const { out } = await home(2).doctor();
  expect(out).toContain(`The link to ${nameOf(1)} is open`);
}
