// A host with an external agent in a real folder, for tests of back ends: the program is a process of its
// own, the rest is as in production.
import type { Agent } from '../../src/host/agent.ts';
import { Host } from '../../src/host/host.ts';
import type { World } from '../../src/host/world.ts';
import type { LimitSettings, Settings, SettingsValues } from '../../src/host/settings/settings.ts';
import type { Session } from '../../src/host/session/session.ts';
import type { Programs } from '../../src/host/terminals/programs.ts';
import { checkedWords } from '../../src/io/sandbox/mountCheck.ts';
import type { Confined, Sandbox } from '../../src/io/sandbox/sandbox.ts';
import type { ToolServer } from '../../src/host/workspace/workbench.ts';
import { acpAgent } from '../../src/agents/acp/agent.ts';
import type { AgentProcesses } from '../../src/agents/acp/process/agentProcesses.ts';
import type { AgentProgram, AgentTimes } from '../../src/agents/acp/process/program.ts';
import { shownPrograms } from '../../src/host/terminals/visiblePrograms.ts';
import { TerminalHub } from '../../src/host/terminals/terminalHub.ts';
import { agentEnvironment } from '../../src/io/agents/agentEnvironment.ts';
import { agentLauncher } from '../../src/io/agents/agentLauncher.ts';
import { workspaceSnapshots } from '../../src/io/snapshots/workspaceSnapshots.ts';
import { parseCommand } from '../../src/io/processes/parseCommand.ts';
import { pipedPrograms } from '../../src/io/processes/pipedPrograms.ts';
import { terminals } from '../../src/io/pty/pty.ts';
import { isRejection } from '../../src/model/command.ts';
import type { Answer, Ask, Origin } from '../../src/model/event.ts';
import type { Chat, EndedTurn, Item } from '../../src/model/state.ts';
import { testClient, testWorld, until } from './host.ts';
import { MemoryStore } from './memoryStore.ts';
import { referenceBundle } from './reference/program.ts';
import type { Switches } from './reference/switches.ts';
import { workspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

/** Quick enough for tests, patient enough for a busy machine. */
const testTimes: Partial<AgentTimes> = {
  setup: 60_000,
  start: 60_000,
  quiet: 60_000,
  cancel: 1_500,
  settle: 20,
  wake: 150,
};

function referenceProgram(path: string, switches: Switches, more: Partial<AgentProgram> = {}): AgentProgram {
  return {
    id: 'reference',
    name: 'Reference',
    description: 'An agent for tests.',
    command: process.execPath,
    args: [path],
    inherits: ['ANSWER_*'],
    ...more,
    env: { REFERENCE_AGENT: JSON.stringify(switches), ...more.env },
  };
}

export interface AgentRig {
  readonly host: Host;
  readonly place: Workspace;
  readonly world: World;
  readonly store: MemoryStore;
  readonly problems: unknown[];
  readonly terminals: TerminalHub;
  create(id?: string): Promise<Session>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly switches?: Switches;
  readonly program?: Partial<AgentProgram>;
  readonly times?: Partial<AgentTimes>;
  readonly store?: MemoryStore;
  readonly place?: Workspace;
  /** More agents besides the one under test, which is the first. */
  readonly others?: (world: World, place: Workspace) => readonly Agent[];
  /** Another agent in its stead. */
  readonly agent?: (world: World, place: Workspace) => Agent;
  readonly root?: boolean;
  readonly processes?: AgentProcesses;
  /** Called when the host looks at the whole workspace before a turn. */
  readonly looked?: () => void;
  /** The servers of tools that the settings name. */
  readonly servers?: readonly ToolServer[];
  /** A machine with a sandbox, as the words that start a program there. */
  readonly confine?: Sandbox['confine'];
  /** What a turn may use. */
  readonly limits?: Partial<LimitSettings>;
}

/** What a sandbox without any limits would start; nobody looks at the mark that its program has begun. */
export function notConfined(words: readonly string[]): Confined {
  const marked = ['/bin/sh', '-c', 'exec "$@" 8>/dev/null', 'sh', ...checkedWords([], words)];
  return { words: marked, variables: (wanted) => wanted, release: () => {} };
}

export async function agentRig(options: RigOptions = {}): Promise<AgentRig> {
  const problems: unknown[] = [];
  const store = options.store ?? new MemoryStore();
  const place = options.place ?? workspace({ 'a.txt': 'one\ntwo\n' });
  const world = {
    ...testWorld(store, problems),
    files: place.files,
    parseCommand: (text: string) => parseCommand(text),
    ...(options.limits ? { settings: limited(options.limits) } : {}),
    ...(options.confine ? { programs: { ...pipedPrograms(), sandbox: available } } : {}),
  };
  const agent = options.agent?.(world, place) ?? (await referenceAgentIn(world, place, options));
  const host = await Host.start(world, [agent, ...(options.others?.(world, place) ?? [])]);
  const hub = new TerminalHub(host, terminals({ grace: 200 }));
  hubs.set(world, hub);
  return {
    host,
    place,
    world,
    store,
    problems,
    terminals: hub,
    async create(id) {
      const session = host.create({ roots: [place.root], ...(id === undefined ? {} : { id }) }, testClient);
      if (isRejection(session)) throw new Error(session.message);
      await session.settled();
      return session;
    },
    async close() {
      await hub.close();
      await host.close();
      if (!options.place) place.close();
    },
  };
}

const available: NonNullable<Programs['sandbox']> = {
  status: () => Promise.resolve({ available: true, how: 'test' }),
  known: () => ({ available: true, how: 'test' }),
};

function limited(limits: Partial<LimitSettings>): Settings {
  const all: LimitSettings = {
    steps: 100,
    outputLines: 1,
    outputBytes: 1,
    commandTimeout: 1,
    compactAt: 75,
    ...limits,
  };
  return {
    of: () => ({ limits: all, approvals: [] }) as unknown as SettingsValues,
    problems: () => [],
    watch: () => () => {},
  };
}

async function referenceAgentIn(
  world: World,
  place: Workspace,
  { switches, program: more, times, root, servers, processes, looked, confine }: RigOptions,
): Promise<Agent> {
  const { path } = await referenceBundle();
  const program = referenceProgram(path, { directory: place.beside, ...switches }, more);
  return externalAgent({
    program,
    world,
    place,
    ...(times ? { times } : {}),
    ...(root === undefined ? {} : { root }),
    ...(servers ? { servers } : {}),
    ...(processes ? { processes } : {}),
    ...(looked ? { looked } : {}),
    ...(confine ? { confine } : {}),
  });
}

/** The terminals around each agent, which is made before them. */
const hubs = new WeakMap<World, TerminalHub>();

interface ExternalAgentOptions extends Pick<
  RigOptions,
  'times' | 'root' | 'servers' | 'processes' | 'looked' | 'confine'
> {
  readonly program: AgentProgram;
  readonly world: World;
  readonly place: Workspace;
}

export function externalAgent({
  program,
  world,
  place,
  times,
  root = false,
  servers = [],
  processes,
  looked = () => {},
  confine,
}: ExternalAgentOptions): Agent {
  const snapshots = workspaceSnapshots();
  return acpAgent({
    ...(processes ? { processes } : {}),
    program,
    launch: agentLauncher(process.env, confine && { confine }),
    ports: {
      clock: world.clock,
      ids: world.ids,
      files: place.files,
      snapshots: {
        ...snapshots,
        take(roots, signal) {
          looked();
          return snapshots.take(roots, signal);
        },
      },
      programs: shownPrograms(() => hubs.get(world), pipedPrograms({ grace: 200 })),
    },
    environment: (started) => agentEnvironment(process.env, started),
    servers: () => servers,
    version: '1.2.3',
    home: place.root,
    root,
    report: (problem, about) => world.report(problem, about),
    times: { ...testTimes, ...times },
  });
}

let count = 0;

/** Sends a message and says under which id its turn runs. */
export function send(session: Session, text: string, by: Origin = testClient): string {
  count += 1;
  const turn = `turn-${count}`;
  const refused = session.dispatch(
    { kind: 'startTurn', chat: session.id, turn, message: { id: `message-${count}`, text } },
    by,
  );
  if (refused) throw new Error(refused.message);
  return turn;
}

/** Sends a message, answers every question with `answer`, and gives the turn when it is over. */
export async function prompt(session: Session, text: string, answer?: Answer): Promise<EndedTurn> {
  return ended(session, send(session, text), answer);
}

export async function ended(
  session: Session,
  turn: string,
  answer: Answer = { kind: 'option', option: 'yes' },
): Promise<EndedTurn> {
  for (;;) {
    await until(
      session,
      (state) =>
        over(state.chats[session.id], turn) !== undefined || Object.keys(chatOf(session).asks).length > 0,
    );
    const found = over(chatOf(session), turn);
    if (found) return found;
    const [open] = Object.values(chatOf(session).asks);
    const refused = session.dispatch(
      {
        kind: 'answer',
        chat: session.id,
        ask: open?.ask.id ?? '',
        answer: open ? fitting(open.ask, answer) : answer,
      },
      testClient,
    );
    if (refused) throw new Error(`${refused.message} ${JSON.stringify(chatOf(session).asks)}`);
    await session.settled();
  }
}

/** What the host asks by itself has options of its own, of which the first allows. */
function fitting(ask: Ask, answer: Answer): Answer {
  if (
    ask.kind !== 'approval' ||
    answer.kind !== 'option' ||
    ask.options.some(({ id }) => id === answer.option)
  )
    return answer;
  return { kind: 'option', option: ask.options[0]?.id ?? '' };
}

function over(chat: Chat | undefined, turn: string): EndedTurn | undefined {
  return chat?.turns.find(({ id }) => id === turn);
}

export function chatOf(session: Session): Chat {
  const chat = session.state.chats[session.id];
  if (!chat) throw new Error('no chat');
  return chat;
}

/** The items of a turn in short. */
export function brief(items: readonly Item[]): readonly string[] {
  return items.map((item) => {
    switch (item.type) {
      case 'text':
        return `${item.channel}: ${item.text}`;
      case 'image':
        return `image: ${item.mediaType}`;
      case 'tool':
        return `${item.name} ${item.result?.status ?? item.status} [${item.title}]`;
      case 'notice':
        return `${item.level}: ${item.text}`;
      case 'message':
        return `steered: ${item.message.text}`;
      case 'ask':
        return `asked: ${item.ask.kind} ${item.answered?.answer.kind ?? 'open'}`;
      default:
        return item satisfies never;
    }
  });
}

/** What the agent answered, all of it. */
export function answerOf({ items }: { readonly items: readonly Item[] }): string {
  return items
    .flatMap((item) => (item.type === 'text' && item.channel === 'answer' ? [item.text] : []))
    .join('');
}
