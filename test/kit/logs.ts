// Random but possible logs: commands drawn at random, decided by the model itself, so every generated
// entry really can happen.
import fc from 'fast-check';
import { isRejection } from '../../src/model/command.ts';
import type { AgentReport, Command, RecordableFact } from '../../src/model/command.ts';
import type { Hook } from '../../src/host/settings/projectKnowledge.ts';
import { furtherPreparation, withPreparation } from '../../src/host/session/turnPreparation.ts';
import { decide } from '../../src/model/decide.ts';
import { editedInSession } from '../../src/model/edits.ts';
import type {
  Content,
  Answer,
  Ask,
  Entry,
  EventOf,
  Origin,
  Outcome,
  UserMessage,
} from '../../src/model/event.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import type { State } from '../../src/model/state.ts';

export interface RandomLog {
  readonly entries: readonly Entry[];
  /** The state before each entry, and after the last. */
  readonly states: readonly State[];
}

export const sessionId = 'session-1';
const chats = [sessionId, 'chat-2'] as const;

/** `size: 'max'` keeps the library from preferring logs in which hardly anything happens. */
export function logs(maxCommands = 80): fc.Arbitrary<RandomLog> {
  return fc
    .array(fc.tuple(commandSeed, originSeed, fc.integer({ min: 0, max: 50 })), {
      minLength: 1,
      maxLength: maxCommands,
      size: 'max',
    })
    .map(build);
}

/** Every seed is turned into a command that fits the state it meets, so that most commands are accepted. */
type Seed = (state: State, n: number) => Command;

function build(seeds: readonly (readonly [Seed, Origin, number])[]): RandomLog {
  let state = emptyState(sessionId);
  let at = 1_000;
  let pos = 0;
  const entries: Entry[] = [];
  const states: State[] = [state];
  const apply = (command: Command, by: Origin) => {
    const decision = decide(state, command);
    if (isRejection(decision)) return;
    for (const event of withPreparation(state, decision, () => hooks[state.seq % hooks.length] ?? [])) {
      pos += 1 + (pos % 3);
      const entry: Entry = { seq: state.seq + 1, pos, at, by, event };
      state = reduce(state, entry);
      entries.push(entry);
      states.push(state);
    }
  };
  apply(
    { kind: 'createSession', session: sessionId, agent: 'script', roots: ['/w'], model: 'script/one' },
    host,
  );
  seeds.forEach(([seed, by, pause], n) => {
    at += pause;
    apply(seed(state, n), by);
  });
  return { entries, states };
}

const host: Origin = { kind: 'host' };

/** What the user has set up before turns; mostly nothing. */
const opens: Hook = { name: 'opens', on: 'chatStart', actions: [], visible: true };
const looks: Hook = { name: 'looks', on: 'preRequest', actions: [], visible: true };
const hooks: readonly (readonly Hook[])[] = [[], [opens], [], [looks], [], [opens, looks], []];

const origins: readonly Origin[] = [
  host,
  { kind: 'agent', agent: 'script' },
  { kind: 'client', door: 'ahp', client: 'c1', mark: 4 },
  { kind: 'client', door: 'eca', client: 'c2', name: 'emacs' },
];
const originSeed = fc.constantFrom(...origins);

const text = fc.constantFrom('a', 'b c', '\n', '# t\n', 'ü😀', '', '```\nx\n```');
/** What an agent keeps with its words; mostly nothing. */
const meta = fc.constantFrom(undefined, undefined, undefined, { for: 'x', seal: 'a' }, null);
const chatOf = fc.constantFrom(sessionId, sessionId, sessionId, sessionId, ...chats, 'nowhere');
const messageSeed = fc.record({ text, model: fc.constantFrom(undefined, 'script/one') });
const outcomes: readonly Outcome[] = [
  { kind: 'completed' },
  { kind: 'completed', stop: 'length' },
  { kind: 'cancelled' },
  { kind: 'interrupted' },
  { kind: 'failed', problem: { code: 'provider', message: 'It broke.' } },
];

function message(
  id: string,
  { text: words, model }: { text: string; model: string | undefined },
): UserMessage {
  return { id, text: words, ...(model === undefined ? {} : { model }) };
}

/** The running turn of a chat, or a name nobody uses. */
const turnOf = (state: State, chat: string) => state.chats[chat]?.active?.id ?? 'no-turn';
const toolOf = (state: State, chat: string, pick: number) => {
  const tools = state.chats[chat]?.active?.items.filter(({ type }) => type === 'tool') ?? [];
  return tools[pick % Math.max(1, tools.length)]?.id ?? 'no-tool';
};
const askOf = (state: State, chat: string, pick: number) => {
  const asks = Object.keys(state.chats[chat]?.asks ?? {});
  return asks[pick % Math.max(1, asks.length)] ?? 'no-ask';
};
/** A message that waits may be set again under its id; a new one has a new id. */
const queuedId = (state: State, chat: string, { lane, n }: { lane: 'queue' | 'steer'; n: number }) =>
  state.chats[chat]?.[lane === 'queue' ? 'queue' : 'steering'][n % 3]?.id ?? `m-${n}-${lane}`;

const pick = fc.nat(3);

const native = { source: 'native' } as const;
const sources = [
  native,
  native,
  { source: 'client', server: 'c1' },
  { source: 'mcp', server: 'files' },
  { source: 'agent' },
  { source: 'nobody' },
  { source: 'provider', server: 'anthropic' },
] as const;

const edited: Content = { type: 'edit', path: '/w/a', before: 'x\n', after: 'y\n' };
const delegated: Content = {
  type: 'chat',
  chat: 'subagent-promised',
  title: 'explorer: look',
  agent: 'explorer',
  maxSteps: 3,
};

const reportSeed: fc.Arbitrary<(state: State, chat: string, n: number) => AgentReport> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        item: fc.constantFrom('i1', 'i2', 'i3'),
        channel: fc.constantFrom('answer', 'reasoning'),
        text,
        meta,
      })
      .map(({ meta: kept, ...r }) => (state: State, chat: string): AgentReport => ({
        kind: 'text.added',
        ...r,
        ...(kept === undefined ? {} : { meta: kept }),
        item: `${turnOf(state, chat)}-${r.item}-${r.channel}`,
      })),
  },
  fc
    .record({
      name: fc.constantFrom('read_file', 'shell_command', 'write_file', 'spawn_agent', 'compact_chat'),
    })
    .map(({ name }) => (_: State, __: string, n: number): AgentReport => ({
      kind: 'tool.started',
      tool: `tool-${n}`,
      name,
      title: name,
      toolKind: name === 'read_file' ? 'read' : 'execute',
      ...(sources[n % sources.length] ?? native),
    })),
  fc.tuple(pick, text).map(([p, words]) => (state: State, chat: string): AgentReport => ({
    kind: 'tool.input',
    tool: toolOf(state, chat, p),
    text: words,
  })),
  fc
    .tuple(pick, fc.constantFrom(undefined, edited, delegated), meta)
    .map(([p, shown, kept]) => (state: State, chat: string): AgentReport => ({
      kind: 'tool.ready',
      tool: toolOf(state, chat, p),
      input: { command: 'ls', path: '/w/a', agent: 'explorer' },
      title: 'ls',
      toolKind: 'execute',
      locations: [{ path: '/w/a', line: 3 }],
      ...(kept === undefined ? {} : { meta: kept }),
      ...(shown ? { preview: [shown] } : {}),
    })),
  fc
    .tuple(pick, fc.constantFrom(undefined, { confined: true, network: 'on' } as const))
    .map(([p, sandbox]) => (state: State, chat: string): AgentReport => ({
      kind: 'tool.running',
      tool: toolOf(state, chat, p),
      basis: { how: 'agent' },
      ...(sandbox ? { sandbox } : {}),
    })),
  fc
    .tuple(pick, text, fc.boolean())
    .map(([p, words, whole]) => (state: State, chat: string): AgentReport => ({
      kind: 'tool.output',
      tool: toolOf(state, chat, p),
      output: whole ? { replace: [{ type: 'text', text: words }] } : { append: words },
    })),
  fc
    .tuple(fc.constantFrom('p1', 'p2'), meta)
    .map(([item, kept]) => (state: State, chat: string): AgentReport => ({
      kind: 'image.added',
      item: `${turnOf(state, chat)}-${item}`,
      mediaType: 'image/png',
      data: 'iVBORw0KGgo=',
      ...(kept === undefined ? {} : { meta: kept }),
    })),
  fc.tuple(pick, fc.boolean()).map(([p, ok]) => (state: State, chat: string): AgentReport => ({
    kind: 'tool.held',
    tool: toolOf(state, chat, p),
    result: ok ? { status: 'done', content: [] } : { status: 'failed', content: [], error: 'No.' },
  })),
  fc
    .tuple(pick, text, fc.boolean(), meta)
    .map(([p, words, ok, kept]) => (state: State, chat: string): AgentReport => ({
      kind: 'tool.ended',
      tool: toolOf(state, chat, p),
      ...(kept === undefined ? {} : { meta: kept }),
      result: ok
        ? { status: 'done', content: [{ type: 'text', text: words }] }
        : { status: 'failed', content: [], error: `failed ${words}` },
    })),
  fc
    .tuple(
      fc.constantFrom('info', 'warning', 'error'),
      fc.boolean(),
      fc.constantFrom(undefined, 'rate-limited', 'overloaded'),
    )
    .map(([level, waits, code]) => (): AgentReport => ({
      kind: 'notice.added',
      level,
      text: 'Look.',
      ...(waits ? { waits } : {}),
      ...(waits && code !== undefined
        ? { retry: { problem: { code, message: 'Too much.' }, attempt: 1, of: 3, wait: 2_000, asked: true } }
        : {}),
    })),
  fc.nat(100).map((input) => (): AgentReport => ({
    kind: 'usage.reported',
    usage: { input, output: input + 1, context: { used: input, size: 1000 } },
  })),
  text.map((words) => (): AgentReport => ({
    kind: 'plan.set',
    entries: [{ text: words, status: 'active', priority: 'high' }],
  })),
);

const askSeed = fc.tuple(chatOf, pick, fc.boolean()).map(([chat, p, question]): Seed => (state, n) => {
  const ask: Ask = question
    ? {
        kind: 'question',
        id: `ask-${n}`,
        message: 'Which?',
        questions: [
          {
            id: 'q',
            message: 'Which?',
            answer: {
              type: 'one',
              choices: [
                { id: 'a', label: 'A' },
                { id: 'b', label: 'B', needs: 'control' },
              ],
            },
          },
        ],
        needs: p % 5 === 0 ? 'control' : 'approve',
      }
    : {
        kind: 'approval',
        id: `ask-${n}`,
        tool: toolOf(state, chat, p),
        title: 'May it?',
        editable: true,
        options: [
          { id: 'y', label: 'Yes', effect: 'allow' },
          { id: 's', label: 'Session', effect: 'allow-session' },
          { id: 'e', label: 'Everywhere', effect: 'allow-always' },
          { id: 'n', label: 'No', effect: 'deny' },
        ],
        ...(p % 3 === 0 ? { sandbox: { confined: false, because: 'ask' } } : {}),
      };
  return { kind: 'openAsk', chat, turn: turnOf(state, chat), ask };
});

const answers: readonly Answer[] = [
  { kind: 'option', option: 'y' },
  { kind: 'option', option: 's' },
  { kind: 'option', option: 'n', reason: 'Not now.' },
  { kind: 'option', option: 'n', stop: true },
  { kind: 'option', option: 'y', input: { command: 'pwd' } },
  { kind: 'fields', values: { q: 'a' } },
  { kind: 'declined' },
  { kind: 'option', option: 'zz' },
];

/** Facts that are kept as they are told. */
function fact(state: State, chat: string, seed: number): RecordableFact {
  const n = Math.floor(seed / 11) % 5;
  const turn = state.chats[chat]?.active ?? state.chats[chat]?.turns.at(-1);
  const about = turn?.message.id ?? 'none';
  const client = `c${n % 3}`;
  switch (seed % 11) {
    case 0:
      return { kind: 'draft.set', chat, draft: n === 0 ? null : { text: `draft ${n}` } };
    case 1:
      return {
        kind: 'client.joined',
        client: {
          id: client,
          ...(n === 0 ? { name: 'An editor' } : {}),
          tools: [{ name: `tool-${n}`, input: { type: 'object' } }],
        },
      };
    case 2:
      return { kind: 'client.left', client };
    case 3:
      if (n === 4) {
        const tool = toolOf(state, chat, n);
        return { kind: 'job.written', chat, job: 'job-1', tool, characters: seed % 7 };
      }
      return {
        kind: 'hook.ran',
        chat,
        id: `hook-${n}`,
        name: 'guard',
        ...(n === 0 ? {} : { result: { status: n, output: 'o', error: null } }),
        ...(n === 2 ? { call: toolOf(state, chat, n) } : {}),
      };
    case 4:
      return {
        kind: 'input.resolved',
        message: about,
        input: { attachments: [], added: ['It says this.'], ...(n === 0 ? { text: 'Other words.' } : {}) },
      };
    case 5:
      return n === 0
        ? { kind: 'session.instructed', prompt: { mode: 'append', text: 'Be brief.' } }
        : { kind: 'session.instructed', extensions: { n } };
    case 6:
      return { kind: 'features.disabled', ids: ['server:files', 'parley:rule'].slice(0, n) };
    case 7:
      return {
        kind: 'files.restored',
        chat,
        after: state.chats[chat]?.turns.at(-1)?.id ?? null,
        restored: [`/w/${n}`],
        left: [],
        ...(n === 2 ? { redone: true as const } : {}),
      };
    case 8:
      return revertedEdits(state, n);
    case 9:
      return {
        kind: 'note',
        owner: n === 0 ? 'doors/eca' : 'doors/ahp',
        key: `x${n % 2}`,
        value: n === 1 ? null : { n },
      };
    default:
      return nativeFact(chat, turn?.id ?? 'none', n);
  }
}

/** Facts of the native agent about a chat. */
function nativeFact(chat: string, turn: string, n: number): RecordableFact {
  if (n === 0) return { kind: 'turns.reverted', chat, turns: [turn] };
  if (n === 1) return { kind: 'images.refused', chat, upTo: { 'a/model': turn } };
  const told = n === 2 ? { changeTold: true as const } : {};
  return {
    kind: 'prompt.pinned',
    chat,
    prompt: n === 3 ? null : { text: `You are ${n}.`, madeFor: 'm', ...told },
  };
}

const commandSeed: fc.Arbitrary<Seed> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.tuple(chatOf, reportSeed).map(([chat, report]): Seed => (state, n) => ({
      kind: 'report',
      chat,
      turn: turnOf(state, chat),
      report: report(state, chat, n),
    })),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(chatOf, messageSeed).map(([chat, m]): Seed => (_, n) => ({
      kind: 'startTurn',
      chat,
      turn: `turn-${n}`,
      message: message(`m-${n}`, m),
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(chatOf, messageSeed, fc.constantFrom('queue', 'steer'))
      .map(([chat, m, lane]): Seed => (state, n) => ({
        kind: 'queueMessage',
        chat,
        lane,
        message: message(queuedId(state, chat, { lane, n }), m),
        turn: `turn-${n}`,
      })),
  },
  chatOf.map((chat): Seed => (state) => ({
    kind: 'withdrawMessage',
    chat,
    message: state.chats[chat]?.queue[0]?.id ?? 'none',
  })),
  chatOf.map((chat): Seed => (state) => ({
    kind: 'reorderQueue',
    chat,
    order: (state.chats[chat]?.queue ?? []).map(({ id }) => id).toReversed(),
  })),
  chatOf.map((chat): Seed => (state) => ({ kind: 'takeSteering', chat, turn: turnOf(state, chat) })),
  chatOf.map((chat): Seed => (_, n) => ({ kind: 'stopTurn', chat, next: `turn-${n}` })),
  {
    weight: 3,
    arbitrary: fc.tuple(chatOf, fc.constantFrom(...outcomes)).map(([chat, outcome]): Seed => (state, n) => ({
      kind: 'endTurn',
      chat,
      turn: turnOf(state, chat),
      outcome,
      next: `turn-${n}`,
    })),
  },
  { weight: 3, arbitrary: askSeed },
  {
    weight: 3,
    arbitrary: fc
      .tuple(chatOf, pick, fc.constantFrom(...answers))
      .map(([chat, p, answer]): Seed => (state) => ({
        kind: 'answer',
        chat,
        ask: askOf(state, chat, p),
        answer,
      })),
  },
  fc.tuple(chatOf, pick).map(([chat, p]): Seed => (state) => ({
    kind: 'allowTool',
    chat,
    turn: turnOf(state, chat),
    tool: toolOf(state, chat, p),
    rule: 'reads inside the workspace',
  })),
  fc.tuple(chatOf, pick).map(([chat, p]): Seed => (state) => ({
    kind: 'denyTool',
    chat,
    turn: turnOf(state, chat),
    tool: toolOf(state, chat, p),
    reason: 'No.',
    rule: 'deny',
    ...(p === 0 ? { hook: 'guard' } : {}),
  })),
  fc
    .record({ title: fc.constantFrom('T', 'Other title'), read: fc.boolean(), archived: fc.boolean() })
    .map((changes): Seed => () => ({ kind: 'changeSession', changes })),
  chatOf.map((chat): Seed => (_, n) => ({
    kind: 'startTurn',
    chat,
    turn: `own-${n}`,
    message: { id: `own-${n}`, text: 'It went on by itself.', from: 'agent' },
  })),
  fc.constant<Seed>(() => ({
    kind: 'createChat',
    chat: chats[1],
    origin: { type: 'user' },
    title: 'Second',
  })),
  fc
    .tuple(
      chatOf,
      fc.constantFrom(
        { title: 'Renamed' },
        { read: true },
        { read: false },
        { archived: true },
        { archived: false, read: true },
        { stopping: 'Waiting for it to stop.' },
        { stopping: null },
      ),
    )
    .map(([chat, changes]): Seed => () => ({ kind: 'changeChat', chat, ...changes })),
  fc.constant<Seed>(() => ({
    kind: 'createChat',
    chat: 'chat-3',
    origin: { type: 'side', chat: sessionId, turn: 'turn-1', about: { text: 'This.' } },
  })),
  fc.constant<Seed>(({ order: [first = '', ...others] }) => ({
    kind: 'orderChats',
    order: [first, ...others.toReversed()],
  })),
  {
    weight: 2,
    arbitrary: chatOf.map((chat): Seed => (state) => ({
      kind: 'resumeTurn',
      chat,
      turn: state.chats[chat]?.turns.at(-1)?.id ?? 'none',
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('script', 'other').map((agent): Seed => () => ({
      kind: 'changeSession',
      changes: { agent },
    })),
  },
  fc.constant<Seed>(() => ({ kind: 'removeChat', chat: chats[1] })),
  fc.tuple(chatOf, pick).map(([chat, p]): Seed => (state) => {
    const turns = state.chats[chat]?.turns ?? [];
    const after = turns[p % (turns.length + 1)]?.id;
    return { kind: 'truncateChat', chat, ...(after === undefined ? {} : { after }) };
  }),
  chatOf.map((chat): Seed => (state) => ({
    kind: 'compactChat',
    chat,
    summary: 'So far.',
    after: state.chats[chat]?.turns.at(-1)?.id ?? 'none',
  })),
  chatOf.map((chat): Seed => (state) => ({
    kind: 'compactChat',
    chat,
    summary: 'On the way.',
    after: turnOf(state, chat),
    item: state.chats[chat]?.active?.items.at(-1)?.id ?? 'none',
    trigger: 'automatic',
  })),
  fc.tuple(chatOf, text).map(([chat, ref]): Seed => () => ({
    kind: 'bindAgent',
    chat,
    agent: 'script',
    ref,
  })),
  {
    weight: 4,
    arbitrary: fc.tuple(chatOf, fc.constantFrom('message', 'agent')).map(([chat, stage]): Seed => (state) => {
      const active = state.chats[chat]?.active;
      return {
        kind: 'record',
        fact: (active && furtherPreparation(state, active, stage)) ?? {
          kind: 'note',
          owner: 'doors/ahp',
          key: 'z',
          value: stage,
        },
      };
    }),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(chatOf, fc.nat()).map(([chat, seed]): Seed => (state) => ({
      kind: 'record',
      fact: fact(state, chat, seed),
    })),
  },
);

/** Reverts edits, redoes them, or takes back some of their lines. */
export function revertedEdits(state: State, n: number): EventOf<'edits.reverted' | 'edits.redone'> {
  if (n === 3) return { kind: 'edits.redone', edits: state.revertedEdits.slice(-1) };
  const places = (editedInSession(state)[0]?.run?.places ?? []).slice(0, n);
  if (n !== 2) return { kind: 'edits.reverted', edits: places };
  const amended = places.map((edit) => ({ edit, text: `amended ${n}\n` }));
  return { kind: 'edits.reverted', edits: [], amended };
}
