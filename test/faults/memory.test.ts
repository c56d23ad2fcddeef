// Memory of the real program under input that is too large: a line beyond the limit costs little more than
// the limit, is refused, and the session works on.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { newHome } from '../kit/parley.ts';
import { inTime } from '../kit/patience.ts';
import type { Loose } from '../kit/wire.ts';

/** The limit of a message, as in src/rpc/transports/transport.ts. */
const limit = 64;

test(
  'a line of 100 MiB is refused and costs at most 1.75 times the limit',
  { timeout: 120_000 },
  async () => {
    const home = newHome();
    const { child } = home.run('acp', '--standalone');
    const { stdin, stdout } = child;
    if (!stdin || !stdout) throw new Error('no streams');
    const waiting = new Map<number | null, (message: Loose) => void>();
    createInterface({ input: stdout }).on('line', (line) => {
      const message: Loose = JSON.parse(line);
      if (message.method === undefined) waiting.get(message.id)?.(message);
    });
    const answer = (id: number | null): Promise<Loose> =>
      inTime(new Promise((resolve) => waiting.set(id, resolve)), () => `the answer ${id}`);
    let last = 0;
    const ask = async (method: string, params: object): Promise<Loose> => {
      last += 1;
      const answered = answer(last);
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
      return (await answered).result;
    };
    const memory = (what: 'VmRSS' | 'VmHWM') => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
    };
    try {
      await ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await ask('session/new', { cwd: home.workspace, mcpServers: [] });
      const prompt = () =>
        ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'say Hello.' }] });
      await prompt();
      const before = memory('VmRSS');
      const refused = answer(null);
      const piece = Buffer.alloc(1024 * 1024, 'x');
      for (let n = 0; n < 100; n += 1)
        await new Promise<void>((resolve, reject) => {
          stdin.write(piece, (error) => (error ? reject(error) : resolve()));
        });
      stdin.write('\n');
      expect((await refused).error).toEqual({ code: -32_600, message: 'Message is too large' });
      expect(await prompt()).toEqual({ stopReason: 'end_turn' });
      const cost = memory('VmHWM') - before;
      process.stdout.write(`a line of 100 MiB cost ${cost.toFixed(0)} MiB\n`);
      expect(cost).toBeLessThan(1.75 * limit);
    } finally {
      stdin.end();
      await home.dispose();
    }
  },
);
