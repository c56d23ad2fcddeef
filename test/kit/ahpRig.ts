// A host with clients of AHP for tests of the door, and what they often do there. Everything that was opened
// is closed after its test.
import { afterEach, expect } from 'vitest';
import { files } from '../../src/io/files/workspace.ts';
import { connect } from './ahp.ts';
import type { AhpClient } from './ahp.ts';
import { rig } from './host.ts';
import type { Rig } from './host.ts';
import type { MemoryStore } from './memoryStore.ts';
import type { Loose } from './wire.ts';

type Options = Parameters<typeof connect>[1];

export interface AhpRig {
  /** What else has to be closed after the test, in the opposite order. */
  readonly open: (() => Promise<void> | void)[];
  readonly host: (store?: MemoryStore) => Promise<Rig>;
  readonly client: (on: Rig, options?: Options) => Promise<AhpClient>;
  /** A client on a session, following it and its default chat; the first one makes it. */
  readonly inSession: (
    on: Rig,
    options?: Options & { readonly session?: string; readonly root?: string },
  ) => Promise<AhpClient>;
}

export function ahpRig(): AhpRig {
  const open: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });
  const made: AhpRig = {
    open,
    async host(store) {
      const on = await rig(store, { files: files() });
      open.push(() => on.close());
      return on;
    },
    async client(on, options = {}) {
      const one = await connect(on.host, options);
      open.push(() => one.close());
      return one;
    },
    async inSession(on, { session = 's1', root = 'file:///w', ...options } = {}) {
      const one = await made.client(on, options);
      if (!on.host.summary(session))
        await one.request('createSession', {
          channel: `script:/${session}`,
          provider: 'script',
          workingDirectories: [root],
        });
      await one.subscribe(`script:/${session}`);
      await one.subscribe(`ahp-chat:/${session}`);
      return one;
    },
  };
  return made;
}

export function turnStarted(turnId: string, text: string): Loose {
  return {
    type: 'chat/turnStarted',
    turnId,
    startedAt: '2026-01-01T00:00:00.000Z',
    message: { text, origin: { kind: 'user' } },
  };
}

/** The client believes what a new subscriber is told. */
export async function checkAgrees(one: AhpClient, ...channels: readonly string[]): Promise<void> {
  for (const channel of channels) {
    const fresh = (await one.peer.request('subscribe', { channel })) as Loose;
    expect(one.views.get(channel)).toEqual(fresh.snapshot.state);
  }
  expect(one.problems).toEqual([]);
}

/** The error of a request, or its result where it has none. */
export async function outcome(request: Promise<Loose>): Promise<Loose> {
  return request.then(
    (result: unknown) => ({ result }),
    (error: Loose) => ({ code: error.code, data: error.data }),
  );
}

/** Takes a turn and waits for its end. */
export async function takeTurn(
  one: AhpClient,
  chat: string,
  ...[turnId, text]: readonly [turnId: string, text: string]
): Promise<void> {
  await one.echo(one.dispatch(chat, turnStarted(turnId, text)));
  await one.wait(() => one.views.get(chat).turns.some(({ id }: Loose) => id === turnId));
}

/** The code of a request that is refused, or else its result. */
export async function codeOf(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    (result) => ({ result }),
    (error: Loose) => error.code as unknown,
  );
}
