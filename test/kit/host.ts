// A real host on a memory store with an agent that does what a test tells it, for tests
// below the process level.
import { onTestFinished, TestRunner } from 'vitest';
import type { Agent, TurnContext } from '../../src/host/agent.ts';
import { Host } from '../../src/host/host.ts';
import type { LogStore } from '../../src/host/session/logStore.ts';
import type { World } from '../../src/host/world.ts';
import type { Session } from '../../src/host/session/session.ts';
import { isRejection } from '../../src/model/command.ts';
import type { Origin, Outcome } from '../../src/model/event.ts';
import { inTime } from './patience.ts';
import { emptyStore, isOnPostgres } from './testStore.ts';

export type Script = (turn: TurnContext) => Promise<Outcome | void>;

export const testClient: Origin = { kind: 'client', door: 'test', client: 'someone' };

export interface Rig {
  readonly host: Host;
  readonly store: LogStore;
  readonly problems: unknown[];
  /** What the agent does on its next turns, by the text of the message; `*` stands for any other text. */
  readonly scripts: Map<string, Script>;
  readonly create: (id?: string) => Promise<Session>;
  readonly close: () => Promise<void>;
}

export async function rig(given?: LogStore, more: Partial<World> = {}): Promise<Rig> {
  const store = given ?? (await emptyStore());
  const problems: unknown[] = [];
  const scripts = new Map<string, Script>();
  const host = await Host.start({ ...testWorld(store, problems), ...more }, [scriptedAgent(scripts)]);
  // A database has few connections. Agents that never end keep no test waiting.
  if (isOnPostgres && TestRunner.getCurrentTest())
    onTestFinished(() => void host.close().catch((problem: unknown) => problems.push(problem)));
  return {
    host,
    store,
    problems,
    scripts,
    async create(id) {
      const session = host.create({ roots: ['/w'], ...(id === undefined ? {} : { id }) }, testClient);
      if (isRejection(session)) throw new Error(session.message);
      await session.settled();
      return session;
    },
    close: () => host.close(),
  };
}

export function testWorld(store: LogStore, problems: unknown[] = []): World {
  let now = 1_000_000;
  let id = 0;
  return {
    store,
    clock: {
      now: () => (now += 1),
      elapsed: () => performance.now(),
      defer: (run) => void setImmediate(run),
      after: (milliseconds, run) => {
        const timer = setTimeout(run, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    ids: { next: () => `id-${(id += 1)}` },
    paths: { canonical: (path) => path },
    report: (problem) => void problems.push(problem),
  };
}

function scriptedAgent(scripts: ReadonlyMap<string, Script>): Agent {
  return {
    info: {
      id: 'script',
      name: 'Script',
      description: 'Does what a test says.',
      models: [{ id: 'script/one', name: 'One', context: 1000 }],
      usual: { model: 'script/one' },
    },
    open: ({ chat }) =>
      Promise.resolve({
        ref: chat,
        prompt: async (turn) =>
          (await (scripts.get(turn.message.text) ?? scripts.get('*'))?.(turn)) ?? { kind: 'completed' },
        close: () => Promise.resolve(),
      }),
  };
}

/** Resolves once the durable state of a session satisfies a condition. */
export function until(session: Session, holds: (state: Session['state']) => boolean): Promise<void> {
  if (holds(session.state)) return Promise.resolve();
  const held = new Promise<void>((resolve) => {
    const leave = session.follow(() => {
      if (!holds(session.state)) return;
      leave();
      resolve();
    });
  });
  return inTime(held, () => `${holds.toString()} in ${JSON.stringify(session.state).slice(-2_000)}`);
}
