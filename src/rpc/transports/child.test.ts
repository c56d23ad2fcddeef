import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { untilGone } from '../../../test/kit/living.ts';
import { createChildTransport } from './child.ts';
import type { ChildOptions } from './child.ts';
import { ndjson } from '../framing/ndjson.ts';
import { createPeer } from '../peer.ts';
import type { Peer } from '../peer.ts';

const open: Peer[] = [];

afterEach(async () => {
  const peers = open.splice(0);
  for (const peer of peers) peer.close();
  await Promise.all(peers.map((peer) => peer.closed));
});

/** Answers every request with its own id, as a shell can. */
const echo = `while read -r line; do echo '{"jsonrpc":"2.0","id":1,"result":"hello"}'; done`;

test('a program is asked and answers, and leaves when its input ends', async () => {
  const { peer, pid } = run(echo);
  expect(await peer.request('m')).toBe('hello');
  peer.close();
  expect(await peer.closed).toEqual({ kind: 'local', exit: { code: 0, signal: null } });
  await untilGone(pid ?? 0);
});

test('stderr comes line by line', async () => {
  const lines: string[] = [];
  const { peer } = run(`printf 'one\\ntw' >&2; printf 'o\\r\\n\\nlast' >&2`, {
    stderr: (line) => lines.push(line),
  });
  await peer.closed;
  expect(lines).toEqual(['one', 'two', '', 'last']);
});

const exits: { name: string; script: string; reason: object }[] = [
  {
    name: 'by itself',
    script: 'exit 0',
    reason: { kind: 'exited', detail: 'code 0', exit: { code: 0, signal: null } },
  },
  {
    name: 'with a code',
    script: 'exit 3',
    reason: { kind: 'exited', detail: 'code 3', exit: { code: 3, signal: null } },
  },
  {
    name: 'killed',
    script: 'kill -9 $$',
    reason: { kind: 'exited', detail: 'SIGKILL', exit: { code: null, signal: 'SIGKILL' } },
  },
  {
    name: 'after closing its output and living on',
    script: 'exec >&-; exec sleep 1000',
    reason: { kind: 'exited', detail: 'SIGTERM', exit: { code: null, signal: 'SIGTERM' } },
  },
];

test.each(exits)('a program that ends $name is reported', async ({ script, reason }) => {
  const { peer, pid } = run(script);
  expect(await peer.closed).toEqual(reason);
  await untilGone(pid ?? 0);
});

test('the last words of a program are heard', async () => {
  const { peer, seen } = run(`echo '{"jsonrpc":"2.0","method":"last"}'; exit 1`);
  peer.notify('into a closed pipe');
  expect((await peer.closed).kind).toBe('exited');
  expect(seen).toEqual(['last']);
});

test('a program that is not read waits; what it has left behind is heard', async () => {
  const seen: string[] = [];
  const transport = createChildTransport({
    command: 'sh',
    args: ['-c', `read -r line; echo first; read -r line; echo last`],
    framing: ndjson,
  });
  const closed = new Promise((resolve) => {
    transport.listen({ message: (text) => seen.push(text), problem: () => {}, closed: resolve });
  });
  transport.pause();
  transport.send('{}');
  await delay(50);
  expect(seen).toEqual([]);
  transport.resume();
  while (seen.length === 0) await delay(5);
  transport.pause();
  transport.send('{}');
  await closed;
  expect(seen).toEqual(['first', 'last']);
});

test('a program that ignores the end of its input and SIGTERM is killed', async () => {
  const { peer, pid, seen } = run(
    `trap '' TERM; echo '{"jsonrpc":"2.0","method":"up"}'; while :; do sleep 0.05; done`,
  );
  while (seen.length === 0) await delay(5);
  peer.close();
  expect(await peer.closed).toEqual({ kind: 'local', exit: { code: null, signal: 'SIGKILL' } });
  await untilGone(pid ?? 0);
});

const orphans: { name: string; script: string }[] = [
  { name: 'left in the background', script: 'sleep 1000 & said $!; exit 0' },
  {
    name: 'that ignore SIGTERM',
    script: `(trap '' TERM; while :; do sleep 0.05; done) & said $!; sleep 0.1; exit 0`,
  },
  { name: 'of a program that waits', script: 'sleep 1000 & said $!; wait' },
];

test.each(orphans)('children of the child go too: $name', async ({ script }) => {
  const say = `said() { echo '{"jsonrpc":"2.0","method":"'$1'"}'; }; `;
  const { peer, pid, seen } = run(say + script);
  while (seen.length === 0) await delay(5);
  peer.close();
  expect((await peer.closed).exit).toBeDefined();
  await untilGone(Number(seen[0]));
  await untilGone(pid ?? 0);
});

test('a close before anyone listens still ends the program', async () => {
  const transport = createChildTransport({ command: 'sleep', args: ['1000'], framing: ndjson, graceMs: 30 });
  expect(transport.pid).toBeGreaterThan(0);
  transport.close();
  await untilGone(transport.pid ?? 0);
});

const failures: { name: string; options: Partial<ChildOptions> }[] = [
  { name: 'no such program', options: { command: '/no/such/program' } },
  { name: 'no such folder', options: { cwd: '/no/such/folder' } },
  { name: 'an impossible argument', options: { args: ['nul\0byte'] } },
];

test.each(failures)('a start that fails is an outcome: $name', async ({ options }) => {
  const { peer, pid } = run('exit 0', options);
  expect(pid).toBe(undefined);
  expect((await peer.closed).kind).toBe('failed');
});

test('the environment is the one given', async () => {
  const { peer, seen } = run(`echo '{"jsonrpc":"2.0","method":"'$NAME'"}'`, {
    env: { NAME: 'given', PATH: process.env['PATH'] },
  });
  await peer.closed;
  expect(seen).toEqual(['given']);
});

test('a child that was not closed is killed when this process exits', async () => {
  // A fresh copy of the modules, so that its exit listener is the only new one.
  vi.resetModules();
  const fresh = await import('./child.ts');
  const before = process.listeners('exit');
  const added = () => process.listeners('exit').filter((listener) => !before.includes(listener));
  const child = fresh.createChildTransport({
    command: 'sh',
    args: ['-c', `trap '' TERM; sleep 1000`],
    framing: ndjson,
  });
  expect(added()).toHaveLength(1);
  for (const listener of added()) listener(0);
  await untilGone(child.pid ?? 0);
  while (added().length > 0) await delay(5);
});

function run(script: string, options: Partial<ChildOptions> = {}) {
  const transport = createChildTransport({
    command: 'sh',
    args: ['-c', script],
    framing: ndjson,
    graceMs: 150,
    ...options,
  });
  const seen: string[] = [];
  const peer = createPeer(transport, {
    handle: { request: () => null, notification: (method) => seen.push(method) },
  });
  open.push(peer);
  return { peer, pid: transport.pid, seen };
}
