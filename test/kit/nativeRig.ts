// The native agent in a real host on a memory store, with models that a test brings and
// a clock that it moves.
import type { NativeOptions } from '../../src/agents/native/options.ts';
import { nativeAgent } from '../../src/agents/native/agent.ts';
import { Host } from '../../src/host/host.ts';
import type { World } from '../../src/host/world.ts';
import type { Session } from '../../src/host/session/session.ts';
import { isRejection } from '../../src/model/command.ts';
import type { UserMessage } from '../../src/model/event.ts';
import type { Chat, EndedTurn, Item } from '../../src/model/state.ts';
import { testClient, testWorld, until } from './host.ts';
import { manualClock } from './manualClock.ts';
import type { ManualClock } from './manualClock.ts';
import { MemoryStore } from './memoryStore.ts';
import { workspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

export interface NativeRig {
  readonly host: Host;
  readonly session: Session;
  readonly place: Workspace;
  /** The agent's clock; the host has its own. */
  readonly clock: ManualClock;
  readonly problems: readonly unknown[];
  chat(): Chat;
  start(text: string, more?: Partial<UserMessage>): string;
  /** Prompts, allows whatever is asked, and waits for the end. */
  prompt(text: string, more?: Partial<UserMessage>): Promise<EndedTurn>;
  /** Resolves once the newest item of the running turn fits. */
  shows(fits: (item: Item) => boolean): Promise<void>;
  /** The session in another host on the same log, as after a crash. */
  nextHost(): Promise<{ readonly host: Host; readonly session: Session }>;
  close(): Promise<void>;
}

export async function nativeRig(
  models: NativeOptions['models'],
  options: Partial<NativeOptions> = {},
  worldOf: (place: Workspace) => Partial<World> = () => ({}),
): Promise<NativeRig> {
  const problems: unknown[] = [];
  const place = workspace({ 'a.txt': 'one\ntwo\n' });
  const clock = manualClock();
  const world = {
    ...testWorld(new MemoryStore(), problems),
    programs: place.programs,
    files: place.files,
    ...worldOf(place),
  };
  const { files, processes } = place;
  const agent = nativeAgent({
    models,
    files,
    processes,
    ids: world.ids,
    clock,
    report: (problem) => void problems.push(problem),
    ...options,
  });
  const host = await Host.start(world, [agent]);
  const session = host.create({ roots: [place.root] }, testClient);
  if (isRejection(session)) throw new Error(session.message);
  await session.settled();
  let turns = 0;
  const rig: NativeRig = {
    host,
    session,
    place,
    clock,
    problems,
    chat() {
      const chat = session.state.chats[session.id];
      if (!chat) throw new Error('no chat');
      return chat;
    },
    start(text, more) {
      turns += 1;
      const refused = session.dispatch(
        {
          kind: 'startTurn',
          chat: session.id,
          turn: `turn-${turns}`,
          message: { id: `m${turns}`, text, ...more },
        },
        testClient,
      );
      if (refused) throw new Error(refused.message);
      return `turn-${turns}`;
    },
    async prompt(text, more) {
      const id = rig.start(text, more);
      for (;;) {
        await until(
          session,
          () => rig.chat().turns.some((turn) => turn.id === id) || Object.keys(rig.chat().asks).length > 0,
        );
        const turn = rig.chat().turns.find((each) => each.id === id);
        if (turn) return turn;
        session.dispatch(
          {
            kind: 'answer',
            chat: session.id,
            ask: Object.keys(rig.chat().asks)[0] ?? '',
            answer: { kind: 'option', option: 'allow' },
          },
          testClient,
        );
        await session.settled();
      }
    },
    shows: (fits) =>
      until(session, () => {
        const last = rig.chat().active?.items.at(-1);
        return last !== undefined && fits(last);
      }),
    async nextHost() {
      const next = await Host.start(world, [agent]);
      const opened = await next.open(session.id);
      if (isRejection(opened)) throw new Error(opened.message);
      return { host: next, session: opened };
    },
    async close() {
      await host.close();
      place.close();
    },
  };
  return rig;
}

/** One line an item. */
export function briefItems(items: readonly Item[]): readonly string[] {
  return items.map((item) => {
    if (item.type === 'text') return `${item.channel}: ${item.text}`;
    if (item.type === 'notice') return `${item.level}: ${item.text}`;
    if (item.type === 'message') return `steered: ${item.message.text}`;
    return item.type === 'tool' ? `${item.name} ${item.result?.status}` : item.type;
  });
}
