// `parley chat` whose host is gone or hangs ends when it is told to, by signals and by keys, in every state.
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { socketPath } from '../../src/io/settings/dataPaths.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { inTime } from '../kit/patience.ts';
import { openScreen } from '../kit/screen.ts';
import type { Screen } from '../kit/screen.ts';
import { expectWithin } from '../kit/timeLimit.ts';

/** How long it may take to end, in milliseconds. A chat that does not end waits for the host for ever. */
const endTime = 5_000;

const states = {
  'at rest': ['', '/ commands'],
  working: ['hang\r', 'Working'],
  'at an approval': ['tool shell_command {"command":"touch first"}\r', 'y  once'],
} as const;

type Loss = 'is gone' | 'dies at that moment' | 'hangs';
type Told = 'SIGTERM' | 'SIGHUP' | 'SIGINT' | 'Ctrl-C' | 'Ctrl-D';

let home: Home;
let one: Screen | undefined;
afterEach(async () => {
  await one?.kill();
  one = undefined;
  await home.dispose();
});

test.each<[keyof typeof states, Loss, Told]>([
  ['at an approval', 'is gone', 'SIGTERM'],
  ['working', 'is gone', 'Ctrl-C'],
  ['at rest', 'dies at that moment', 'SIGTERM'],
  ['working', 'dies at that moment', 'SIGHUP'],
  ['at rest', 'hangs', 'SIGTERM'],
  ['working', 'hangs', 'SIGINT'],
  ['at an approval', 'hangs', 'Ctrl-C'],
  ['at rest', 'hangs', 'Ctrl-D'],
])('%s, the host %s: %s', async (state, loss, told) => {
  home = newHome();
  const host = await home.serve();
  one = await openScreen(home, ['chat']);
  await one.shows('/ commands');
  const [typed, shown] = states[state];
  one.type(typed);
  await one.shows(shown);
  const pid = chatProcess(home);
  process.kill(host.pid, loss === 'hangs' ? 'SIGSTOP' : 'SIGKILL');
  if (loss === 'is gone') await one.shows('Lost the connection to the host.');
  await tell(told, pid);
  expect(await soon(one.end)).toEqual({ exitCode: told.startsWith('Ctrl') || told === 'SIGINT' ? 0 : 4 });
});

test.each<['SIGTERM' | 'Ctrl-C', number]>([
  ['SIGTERM', 4],
  ['Ctrl-C', 0],
])('before the session is shown, the host hangs: %s', async (told, code) => {
  home = newHome();
  await home.serve();
  const data = join(home.dir, 'other');
  const path = socketPath({ PARLEY_HOME: data });
  mkdirSync(data);
  // A host that answers everything but the last request before the first screen.
  let isSilent = false;
  const relay = createServer((client) => {
    const host = connect(socketPath(home.env));
    client.on('data', (bytes: Buffer) => {
      isSilent ||= /"subscribe"[^\n]*ahp-chat/.test(bytes.toString());
      host.write(bytes);
    });
    host.on('data', (bytes: Buffer) => void (isSilent || client.write(bytes)));
    for (const socket of [client, host]) socket.on('error', () => {});
  });
  await once(relay.listen(path), 'listening');
  try {
    one = await openScreen(home, ['chat'], { env: { PARLEY_HOME: data } });
    await expect.poll(() => isSilent).toBe(true);
    // Keys are ours from now on.
    await expect.poll(() => one?.sent()).toContain('\u001b[?2004h');
    if (told === 'Ctrl-C') one.type('\u0003');
    else process.kill(chatProcess({ env: { PARLEY_HOME: data } }), told);
    expect(await soon(one.end)).toEqual({ exitCode: code });
  } finally {
    relay.close();
  }
});

test.each<[NodeJS.Signals, number]>([
  ['SIGTERM', 1],
  ['SIGINT', 2],
])('behind a pipe, the host hangs: %s, %i times', async (signal, times) => {
  home = newHome();
  const host = await home.serve();
  const { child, done } = home.run('chat');
  let text = '';
  child.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString()));
  child.stdin?.write('say Ready.\nhang\n');
  await expect.poll(() => text).toContain('Ready.');
  process.kill(host.pid, 'SIGSTOP');
  for (let sent = 0; sent < times; sent += 1) {
    child.kill(signal);
    await pause(300);
  }
  expect(await soon(done)).toMatchObject({ code: 4 });
});

/** Keys and interrupts leave when they come twice. */
async function tell(told: Told, pid: number): Promise<void> {
  if (told === 'Ctrl-D') return one?.type('\u0004');
  const send = () => (told === 'Ctrl-C' ? one?.type('\u0003') : process.kill(pid, told));
  send();
  if (told !== 'SIGINT' && told !== 'Ctrl-C') return undefined;
  await pause(300);
  send();
  return undefined;
}

async function soon<Result>(end: Promise<Result>): Promise<Result> {
  const began = performance.now();
  const result = await inTime(end, () => 'the end of the chat');
  await expectWithin(endTime, began);
  return result;
}

/** The process that shows the chat of a home. */
function chatProcess({ env }: Pick<Home, 'env'>): number {
  const isChat = (pid: string) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return words[2] === 'chat' && variables.includes(`PARLEY_HOME=${String(env['PARLEY_HOME'])}`);
    } catch {
      return false;
    }
  };
  return Number(readdirSync('/proc').find((name) => /^\d+$/.test(name) && isChat(name)));
}
