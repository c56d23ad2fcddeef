// What one more client costs the host while an answer streams (G8): the CPU time of the real program for each
// word, with 1, 10 and 100 clients of the library on WebSockets. The words come as fast as they can, and all
// clients have to get all of them. Prints figures; has no limit.
import { resolve } from 'node:path';
import { connect } from '../client/node.ts';
import type { Session } from '../client/api.ts';
import { newHome } from '../test/kit/parley.ts';
import { fineCpuOf, median, print, record } from './kit.ts';

const sizes = [1, 10, 100];
const words = 5_000;
const rounds = 5;

const home = newHome(resolve('bin/parley.js'));
const host = await home.serve();
const at = { url: `http://127.0.0.1:${host.port}`, token: host.token };
const first = await connect(at);
const session = await first.create({ folder: home.workspace });
const followers: Session[] = [session];
const costs = new Map<number, number>();
for (const size of sizes) {
  while (followers.length < size) followers.push(await (await connect(at)).open(session.id));
  await stream(500);
  const each: number[] = [];
  for (let round = 0; round < rounds; round += 1) each.push(await stream(words));
  costs.set(size, median(each));
  print(`${String(size).padStart(3)} clients: ${median(each).toFixed(1)} µs CPU of the host per word`);
}
await home.dispose();
const most = sizes.at(-1) ?? 1;
const perClient = ((costs.get(most) ?? Number.NaN) - (costs.get(1) ?? Number.NaN)) / (most - 1);
record({ name: `fanOut: CPU per word and client, ${most} clients (G8)`, unit: 'us', parley: perClient });
// The library would connect again.
process.exit(0);

/** In microseconds for each word; resolves when every client has got the whole answer. */
async function stream(count: number): Promise<number> {
  const before = fineCpuOf(host.pid);
  const { id } = session.prompt(`stream ${count} word`);
  const lengths = new Set(await Promise.all(followers.map((follower) => lengthOf(follower, id))));
  if (lengths.size !== 1) throw new Error(`The clients got ${[...lengths].join(', ')} characters.`);
  return ((fineCpuOf(host.pid) - before) * 1_000) / count;
}

/** The length of an answer, once it has ended for a client. */
async function lengthOf(follower: Session, id: string): Promise<number> {
  const find = () => follower.turns().find((turn) => turn.id === id && turn.state !== 'running');
  if (!find())
    await new Promise<void>((done) => {
      const leave = follower.onChange(() => {
        if (!find()) return;
        leave();
        done();
      });
    });
  return find()?.text.length ?? 0;
}
