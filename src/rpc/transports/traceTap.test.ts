import { expect, test } from 'vitest';
import { createMemoryPair } from './memory.ts';
import { createPeer } from '../peer.ts';
import { createTap } from './traceTap.ts';

test('every message is written with time and direction, redacted, and passes unchanged', async () => {
  const lines: string[] = [];
  let clock = 100;
  const [here, there] = createMemoryPair();
  const tapped = createTap(here, {
    sink: { write: (line) => lines.push(line) },
    now: () => clock++,
    redact: (text) => text.replace(/secret-\w+/, '***'),
  });
  const client = createPeer(tapped, { handle: { request: () => null, notification: () => {} } });
  createPeer(there, { handle: { request: (_method, params) => params, notification: () => {} } });
  expect(await client.request('echo', { token: 'secret-abc' })).toEqual({ token: 'secret-abc' });
  client.close();
  expect(await client.closed).toEqual({ kind: 'local' });
  expect(lines).toEqual([
    '{"at":100,"direction":"out","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"echo\\",\\"params\\":{\\"token\\":\\"***\\"}}"}\n',
    '{"at":101,"direction":"in","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{\\"token\\":\\"***\\"}}"}\n',
  ]);
});
