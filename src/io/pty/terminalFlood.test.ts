// A program that writes without end into a terminal of the hub, with followers of every kind: memory stays
// bounded and the end is seen.
import { afterEach, expect, test } from 'vitest';
import { rig } from '../../../test/kit/host.ts';
import type { Sink } from '../../host/session/live.ts';
import { isRefusal } from '../../host/terminals/terminal.ts';
import type { TerminalEvent } from '../../host/terminals/terminal.ts';
import { TerminalHub } from '../../host/terminals/terminalHub.ts';
import { terminals } from './pty.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

check('a follower that keeps up', { bytes: 100_000_000, rest: 0, gets: 'everything' });
check('a follower that rests after everything it is told', {
  bytes: 10_000_000,
  rest: 400,
  gets: 'how things stand',
});
check('no follower', { bytes: 100_000_000, rest: undefined, gets: 'nothing' });

interface Flood {
  readonly bytes: number;
  /**
   * How long the follower takes no more after it was told something, in milliseconds;
   * undefined where there is none.
   */
  readonly rest: number | undefined;
  readonly gets: 'everything' | 'how things stand' | 'nothing';
}

function check(name: string, { bytes, rest, gets }: Flood): void {
  test(`a flood of ${bytes / 1e6} MB with ${name} stays bounded`, { timeout: 120_000 }, async () => {
    const terminal = await open(`head -c ${bytes} /dev/zero | tr "\\0" x | fold -w 99`);
    const follower = slowFollower(rest ?? 0);
    if (rest !== undefined) terminal.attach(follower);
    const before = process.memoryUsage.rss();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 10);
    const end = await terminal.ended;
    clearInterval(watch);
    const { text, truncated } = terminal.text;
    expect({
      end,
      truncated,
      whole: /^(?:x{99}\r\n)+x*$/.test(text),
      bounded: text.length <= 100_000,
    }).toEqual({ end: { exitCode: 0 }, truncated: true, whole: true, bounded: true });
    expect(most).toBeLessThan(200_000_000);
    expect(follower.largest()).toBeLessThan(600_000);
    expect(follower.got(bytes + 2 * Math.floor((bytes - 1) / 99))).toBe(gets);
  });
}

async function open(line: string) {
  const bench = await rig();
  const hub = new TerminalHub(bench.host, terminals({ grace: 300 }));
  closers.push(
    () => hub.close(),
    () => bench.close(),
  );
  const terminal = await hub.open({
    cwd: '/',
    owner: { kind: 'client', client: 'ada' },
    program: { kind: 'command', line },
  });
  if (isRefusal(terminal)) throw new Error(terminal.message);
  return terminal;
}

function slowFollower(rest: number): Sink<TerminalEvent> & { largest(): number; got(all: number): string } {
  const told = { size: 0, largest: 0, restarts: 0 };
  let waiting: (() => void)[] = [];
  let ready = true;
  return {
    largest: () => told.largest,
    got(all) {
      if (told.restarts > 0) return 'how things stand';
      return { 0: 'nothing', [all]: 'everything' }[told.size] ?? `${told.size} of ${all} characters`;
    },
    deliver(events) {
      for (const event of events) {
        if (event.type === 'restarted') told.restarts += 1;
        if (event.type !== 'data') continue;
        told.size += event.text.length;
        told.largest = Math.max(told.largest, event.text.length);
      }
      if (rest === 0) return;
      ready = false;
      setTimeout(() => {
        ready = true;
        const resumed = waiting;
        waiting = [];
        for (const resume of resumed) resume();
      }, rest);
    },
    ready: () => ready,
    whenReady: (resume) => void waiting.push(resume),
  };
}
