// Reading logs from a real PostgreSQL: long ones, long entries, and many sessions at once.
import { expect, test } from 'vitest';
import { chatCreated, created, Log, read, text, turnStarted } from '../../../../test/contracts/logStore.ts';
import { startPostgres } from '../../../../test/kit/postgres.ts';
import { PostgresStore } from './postgresStore.ts';

test('sessions that are read at once share statements, and each comes whole', async () => {
  const server = await startPostgres();
  const store = await PostgresStore.open({
    url: server.database('pages'),
    shown: 'the test database',
    name: 'test',
    version: '0',
    report: (problem) => expect(problem).toBeUndefined(),
    onLost: () => {},
  });
  const pieces = new Map<string, readonly string[]>([
    ['long', Array.from({ length: 1_500 }, (_, at) => `piece ${at}`)],
    ['large', Array.from({ length: 8 }, (_, at) => `${at}`.repeat(300_000))],
    ...Array.from({ length: 60 }, (_, at) => [`short-${at}`, [`word ${at}`]] as const),
  ]);
  for (const [id, said] of pieces) {
    const log = new Log(id);
    const words = said.map((each) => text(id, each));
    await store.write(log.batch([created(id), chatCreated(id), turnStarted(id), ...words], 'disk'));
  }

  let [statements, rows] = [0, 0];
  const { connection } = store;
  const query = connection.query.bind(connection);
  connection.query = async (asked) => {
    statements += 1;
    const answer = await query(asked);
    rows += answer.length;
    return answer;
  };
  const logs = await Promise.all([...pieces.keys()].map((id) => read(store, id)));
  const words = logs.map((log) =>
    log.flatMap(({ event }) => (event.kind === 'text.added' ? [event.text] : [])),
  );
  expect(words).toEqual([...pieces.values()]);
  expect(statements).toBeLessThan(pieces.size / 2);
  rows = 0;
  const one = async (id: string) => {
    for await (const { seq } of store.read(id, 1, 'one')) return seq;
    return undefined;
  };
  // Whoever reads at the same time still gets all.
  const [first, other, all] = await Promise.all([one('long'), one('short-0'), read(store, 'short-1')]);
  expect([first, other, all.length, rows]).toEqual([2, 2, 4, 1 + 1 + 4]);
  await store.close();
  await server.dispose();
});
