// Sockets that break the rules of their protocol, and a host that runs out of descriptors: only what is
// broken ends, and everything is given back.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';

let home: Home;
let host: Served;
beforeAll(async () => {
  home = newHome();
  host = await home.serve();
});
afterAll(() => home.dispose());

/** A socket after the upgrade, below the level of any library; everything that comes is collected. */
async function raw(): Promise<{ readonly socket: Socket; readonly heard: () => Buffer }> {
  const socket = connect(host.port, '127.0.0.1');
  let heard = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => (heard = Buffer.concat([heard, piece])));
  socket.on('error', () => socket.destroy());
  socket.write(
    `GET /ahp?tkn=${host.token} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: Upgrade\r\n` +
      `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
  );
  await eventually(() => heard.includes('\r\n\r\n'), 'the upgrade');
  heard = heard.subarray(heard.indexOf('\r\n\r\n') + 4);
  return { socket, heard: () => heard };
}

/** A frame with a mask of zeros, which changes nothing. */
function frame(first: number, payload: string, isMasked = true): Buffer {
  const head = Buffer.from([first, payload.length | (isMasked ? 0x80 : 0)]);
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), Buffer.from(payload)]);
}

/** The status of a close frame. */
function closeCode(bytes: Buffer): number | undefined {
  return bytes[0] === 0x88 ? bytes.readUInt16BE(2) : undefined;
}

const text = 0x81;

test.each<[string, number, readonly Buffer[]]>([
  ['a frame without a mask', 1002, [frame(text, '{}', false)]],
  ['a reserved bit', 1002, [frame(text | 0x40, '{}')]],
  ['an unknown kind of frame', 1002, [frame(0x83, '{}')]],
  ['a continuation of nothing', 1002, [frame(0x80, '{}')]],
  ['a message inside a message', 1002, [frame(0x01, '{'), frame(text, '}')]],
  ['a ping in pieces', 1002, [frame(0x09, 'x')]],
  ['a close with a status that nobody may send', 1002, [frame(0x88, '\u0003\u00ed')]],
])('%s closes that connection with %i, and others go on', async (_, code, frames) => {
  const other = await ahpClient(host);
  const { socket, heard } = await raw();
  for (const each of frames) socket.write(each);
  expect(await eventually(() => closeCode(heard()), 'a close frame')).toBe(code);
  expect(await other.request('ping', { channel: 'ahp-root://' })).toBeNull();
  socket.destroy();
  await other.close();
});

test('connections that were cut off leave no descriptor behind', async () => {
  const open = () => readdirSync(`/proc/${host.pid}/fd`).length;
  const before = open();
  for (let round = 0; round < 10; round += 1) {
    const all = await Promise.all(Array.from({ length: 20 }, () => raw()));
    for (const [index, { socket }] of all.entries()) {
      for (let ping = 0; ping < 50; ping += 1) socket.write(frame(0x89, 'ping'));
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
  }
  expect(await eventually(() => open() <= before + 2, 'the descriptors of before')).toBe(true);
});

/** Sets how many descriptors a process may have; nobody can open another one at the number that it has. */
function limitDescriptors(pid: number, most: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);
}

test('a host that has no descriptors left fails what needs one, and works again when there are some', async () => {
  writeFileSync(join(home.workspace, 'a.txt'), 'the content');
  const ahp = await ahpClient(host);
  const session = 'ahp-session:/descriptors';
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  const read = async (turnId: string): Promise<string> => {
    const before = ahp.states.get(chat).turns.length;
    const message = { text: 'tool read_file {"path":"a.txt"}', origin: { kind: 'user' } };
    ahp.dispatch(chat, { type: 'chat/turnStarted', turnId, startedAt: new Date(0).toISOString(), message });
    const { turns } = await ahp.until(chat, (state) => state.turns.length > before);
    return JSON.stringify(turns.at(-1));
  };
  expect(await read('t1')).toContain('the content');
  // The limit counts from zero, so the lowest free number decides.
  limitDescriptors(host.pid, readdirSync(`/proc/${host.pid}/fd`).length - 5);
  const failed = await read('t2');
  expect(failed).not.toContain('the content');
  expect(failed).toMatch(/EMFILE|too many open files/i);
  limitDescriptors(host.pid, 1024);
  expect(await read('t3')).toContain('the content');
  expect(ahp.states.get(chat).turns).toHaveLength(3);
  await ahp.close();
});
