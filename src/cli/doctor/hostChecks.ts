// The checks of `parley doctor` of the host: whether it runs and answers, how it ended, and what it reported.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readHostInfo } from '../../app/hostInfo.ts';
import { isRecord } from '../../base/isRecord.ts';
import { readUserFile } from '../../io/files/folderFile.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSettings } from '../../io/settings/open.ts';
import type { Peer } from '../../rpc/peer.ts';
import { runningHost } from '../client/controlClient.ts';
import type { CheckResult } from './checks.ts';
import { noAnswer, notKnown, timeLeft } from './timeLeft.ts';

declare const PARLEY_VERSION: string;

const defaultPort = 4517;

/** A check has so much time, in milliseconds, to say that the host has not answered. */
const sayTime = 300;

/** What only a host that answers can tell. */
export const unchecked: readonly CheckResult[] = [
  { state: 'note', words: 'not checked: the host does not answer' },
];

const { env } = process;

export async function checkHost(): Promise<readonly CheckResult[]> {
  const words = noAnswer(timeLeft(sayTime));
  const peer = await answeringHost();
  if (!peer) return [{ state: 'ok', words: 'host not running (starts on demand)' }];
  const info = readHostInfo(dataPaths(env).info);
  if (peer === 'silent')
    return [
      words === undefined
        ? notKnown
        : {
            state: 'broken',
            words: `The host (pid ${info?.pid ?? 'unknown'}) ${words}`,
            fix: 'If it stays busy, parley stop ends it, and the next command starts a new one.',
          },
    ];
  peer.close();
  if (info?.version !== PARLEY_VERSION)
    return [
      {
        state: 'note',
        words: `The running host is version ${info?.version ?? 'unknown'}.`,
        fix: 'Run parley stop; the next command starts the new version.',
      },
    ];
  return [{ state: 'ok', words: `running (pid ${info.pid})` }];
}

/** A connection to the host, if it has answered. A host that hangs still accepts connections. */
export async function answeringHost(): Promise<Peer | 'silent' | undefined> {
  const peer = await runningHost();
  if (!peer) return undefined;
  // A host that refuses the request has answered, too.
  const answered = peer.request('store/links', {}).then(
    () => peer,
    () => peer,
  );
  const first = await Promise.race([answered, delay(timeLeft(sayTime), 'silent' as const, { ref: false })]);
  if (first === 'silent') peer.close();
  return first;
}

export async function checkPort(): Promise<readonly CheckResult[]> {
  const peer = await answeringHost();
  if (peer === 'silent') return unchecked;
  peer?.close();
  const info = peer ? readHostInfo(dataPaths(env).info) : undefined;
  if (!info) {
    const wanted = chosenPort();
    return (await isFree(wanted))
      ? [{ state: 'ok', words: `port ${wanted} is free` }]
      : [
          {
            state: 'note',
            words: `Port ${wanted} is used by another program.`,
            fix: 'The host will use a free port; set server.port or PARLEY_PORT to choose one.',
          },
        ];
  }
  const address = new URL('healthz', info.url).href;
  const healthy = await answers(address);
  return healthy
    ? [{ state: 'ok', words: `the console answers on port ${info.port}` }]
    : [
        {
          state: 'broken',
          words: `The host does not answer at ${address}.`,
          fix: 'Run parley stop, then parley.',
        },
      ];
}

/** The port of the settings or the environment, as the next host will try it. */
function chosenPort(): number {
  const opened = openSettings({ env });
  const { port: chosen = defaultPort } = opened.of([]).server;
  opened.close();
  return chosen;
}

/** A host removes its info file when it stops, so a leftover file means a crash. */
export async function checkCrash(): Promise<readonly CheckResult[]> {
  const info = readHostInfo(dataPaths(env).info);
  const peer = await runningHost();
  peer?.close();
  if (!info || peer) return [{ state: 'ok', words: 'no crash recorded' }];
  return [
    {
      state: 'note',
      words: `The last host (pid ${info.pid}) crashed.`,
      fix: `No saved data is lost. See host.log and host.ndjson in ${dataPaths(env).directory}.`,
    },
  ];
}

const lastErrors = 3;

export async function checkHostLog(): Promise<readonly CheckResult[]> {
  const { log: file } = dataPaths(env);
  if (!existsSync(file)) return [{ state: 'ok', words: 'the host has nothing to report' }];
  const errors = readUserFile(file)
    .split('\n')
    .slice(-2_000)
    .flatMap((line) => {
      const entry = parseLine(line);
      return entry?.['level'] === 'error' ? [`${String(entry['at'])} ${String(entry['message'])}`] : [];
    });
  if (errors.length === 0) return [{ state: 'ok', words: `no errors in ${file}` }];
  return errors.slice(-lastErrors).map((words, at) => ({
    state: 'note',
    words,
    ...(at === 0 ? { fix: `Latest of ${errors.length} errors in ${file}` } : {}),
  }));
}

/** True if the health check answers. Accepts our self-signed certificate. */
async function answers(address: string): Promise<boolean> {
  const { get } = address.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve) => {
    const options = { timeout: Math.max(1, timeLeft(sayTime)), agent: false, rejectUnauthorized: false };
    const request = get(address, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

function parseLine(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFree(candidate: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(candidate, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
