// The prefix law for ECA: whoever opens a chat at any moment and listens from there sees what one sees
// who opens it at the end.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logs, sessionId } from '../../../../test/kit/logs.ts';
import type { RandomLog } from '../../../../test/kit/logs.ts';
import { format1Logs } from '../../../../test/kit/released.ts';
import { lawRuns, storedLogs } from '../../../../test/kit/storedLogs.ts';
import type { Step } from '../../../host/session/session.ts';
import { coalesce } from '../../../model/coalesce.ts';
import type { Entry } from '../../../model/event.ts';
import { fold as foldEntry, reduce } from '../../../model/reduce.ts';
import { emptyState, findTool } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import type { Content, ContentReceived, ToolDetails } from '../../../protocols/eca/messages.ts';
import type { EcaMessage } from './message.ts';
import { project } from './entries.ts';
import { opening } from './replay.ts';
import { chatUsage } from './usage.ts';

const stored = await storedLogs(logs());

describe('opening at k and listening until n shows what opening at n shows', () => {
  test('for texts that are not interrupted', () => {
    fc.assert(
      fc.property(stored, cut, (log, at) => holds(uninterrupted(log), at, 'in order')),
      { numRuns: lawRuns(1_000) },
    );
  });

  test('for chats inside a tool call', () => {
    fc.assert(
      fc.property(stored, cut, (log, at) => holds(uninterrupted(nested(log)), at, 'in order')),
      { numRuns: lawRuns(500) },
    );
  });

  test('for any log, up to where a text went on that something else had interrupted', () => {
    fc.assert(
      fc.property(stored, cut, (log, at) => holds(log, at, 'in any order')),
      { numRuns: lawRuns(500) },
    );
  });

  test('also for a client that fell behind and got the pieces merged', () => {
    fc.assert(
      fc.property(stored, cut, (log, at) => holds(uninterrupted(log), at, 'merged')),
      { numRuns: lawRuns(300) },
    );
  });
});

describe('the same holds for logs of format 1', () => {
  test.each(format1Logs.map(({ name, entries }) => [name, entries] as const))('%s', (_, entries) => {
    const log = refold(entries, untitled);
    const chats = [...new Set(log.states.flatMap(({ order }) => order))];
    expect(chats.length).toBeGreaterThan(0);
    for (let from = 0; from <= log.entries.length; from += 1)
      holds({ ...log, chats }, [from, -1], 'in any order');
  });
});

/** A chat inside a call is named to clients only when they open it. */
function untitled(entry: Entry): Entry {
  const { event } = entry;
  if (event.kind !== 'chat.created' || event.origin.type !== 'tool') return entry;
  const { title: _, ...rest } = event;
  return { ...entry, event: rest };
}

const cut = fc.tuple(fc.nat(), fc.nat());

type How = 'in order' | 'in any order' | 'merged';

/** The end of the log is meant by -1. */
function holds(
  { entries, states, chats = [sessionId, 'chat-2'] }: RandomLog & { readonly chats?: readonly string[] },
  [a, b]: readonly [number, number],
  how: How,
): void {
  const rests = entries
    .map((_, at) => at)
    .concat(entries.length)
    .filter((at) => isRest({ last: entries[at - 1], next: entries[at], before: states[at] }));
  const [from, to] = [
    rests[a % rests.length] ?? 0,
    (b < 0 ? rests.at(-1) : rests[b % rests.length]) ?? 0,
  ].toSorted((x, y) => x - y) as [number, number];
  const later = entries.slice(from, to);
  let state = states[from] as State;
  const steps: Step[] = (how === 'merged' ? [...coalesce(later)] : later).map((entry) => {
    const before = state;
    state = reduce(before, entry);
    return { entry, before, after: state };
  });
  const heard = (chat: string) => (message: EcaMessage) => message.root === chat;
  for (const chat of chats) {
    // Whoever is there when a chat begins has chosen its model and agent, and is not told.
    const begins =
      !states[from]?.chats[chat] ||
      later.some(({ event }) => event.kind === 'chat.removed' && event.chat === chat);
    const chosen = (message: EcaMessage) =>
      !['selection', 'trust', 'permissions'].includes(message.kind) || !begins;
    const opened = [...openAt(states[from] as State, chat), ...steps.flatMap(project)]
      .filter(heard(chat))
      .filter(chosen);
    const wanted = openAt(states[to] as State, chat)
      .filter(heard(chat))
      .filter(chosen);
    expect(view(opened, chat, how)).toEqual(view(wanted, chat, how));
  }
}

function openAt(state: State, chat: string): readonly EcaMessage[] {
  return state.chats[chat] ? opening(state, chat) : [];
}

/**
 * Entries of one decision are stored together, so nobody ever opens a chat between them: neither between an
 * answered approval and what becomes of its tool, nor between the end of a turn and the turn or the cut
 * that follows from it.
 */
function isRest({
  last,
  next,
  before,
}: {
  last: Entry | undefined;
  next: Entry | undefined;
  before: State | undefined;
}): boolean {
  const event = next?.event;
  if (event?.kind === 'turn.prepared' && last?.event.kind === 'turn.ended') return false;
  if (event?.kind === 'turn.started')
    return !before?.chats[event.chat]?.steering.some(({ id }) => id === event.message.id);
  if (event?.kind === 'chat.truncated') return last?.event.kind !== 'turn.ended';
  return !Object.values(before?.chats ?? {}).some((chat) =>
    chat.active?.items.some((item) => item.type === 'tool' && item.status === 'ready' && item.approval),
  );
}

/**
 * ECA gives pieces of an answer no name, so a client shows them where they arrive, while a replay shows a
 * text whole. Agents start a new text after anything else; here the log is made to do so too.
 */
function uninterrupted({ entries }: RandomLog): RandomLog {
  const names = new Map<string, string>();
  return refold(entries, (entry, state) => {
    const { event } = entry;
    if (event.kind !== 'text.added') return entry;
    const known = names.get(event.item);
    const last = state.chats[event.chat]?.active?.items.at(-1)?.id;
    const item = known !== undefined && known === last ? known : `${event.item}-${entry.seq}`;
    names.set(event.item, item);
    return { ...entry, event: { ...event, item } };
  });
}

/**
 * The second chat as the doing of a tool of the first; what happened in it before that tool ran is
 * left out, and it stays.
 */
function nested({ entries }: RandomLog): RandomLog {
  const moved = entries.flatMap((entry): Entry[] => {
    const { event } = entry;
    if ((event.kind === 'chat.created' && event.chat !== sessionId) || event.kind === 'chat.removed')
      return [];
    if (event.kind !== 'tool.running' || event.chat !== sessionId) return [entry];
    return [
      entry,
      {
        ...entry,
        event: {
          kind: 'chat.created',
          chat: 'chat-2',
          origin: { type: 'tool', chat: sessionId, tool: event.tool },
        },
      },
    ];
  });
  return refold(moved, (entry) => entry);
}

/**
 * Folds anew; what finds nothing to act on any more is left out with what follows from it, as it would
 * never have been decided.
 */
function refold(entries: readonly Entry[], change: (entry: Entry, state: State) => Entry): RandomLog {
  const states = [emptyState(sessionId)];
  const kept: Entry[] = [];
  for (const entry of entries) {
    const state = states.at(-1) as State;
    const next = change(entry, state);
    const { event } = next;
    const cause = kept.findLast(({ event: earlier }) => earlier.kind !== 'turn.prepared')?.event.kind;
    const orphan =
      event.kind === 'turn.started' && event.queued && cause !== 'turn.ended' && cause !== 'message.queued';
    if (orphan || !foldEntry(state, next)) continue;
    states.push(reduce(state, next));
    kept.push(next);
  }
  return { entries: kept, states };
}

/** What a client shows of a chat; the chats inside it are shown with it. */
interface View {
  readonly blocks: Block[];
  readonly tools: { [id: string]: Tool };
  readonly thoughts: { [id: string]: { text: string; ms?: number } };
  readonly questions: Set<string>;
  status: 'idle' | 'running';
  progress: string | undefined;
  title: string | undefined;
  usage: Content | undefined;
  tasks?: unknown;
  selection?: unknown;
  trust?: boolean;
  permissions?: string;
}

type Block =
  | { text: string; role: string; id?: string }
  | { tool: string }
  | { thought: string }
  | { image: string };

interface Tool {
  name: string;
  status: string;
  summary?: string;
  argumentsText?: string;
  arguments?: unknown;
  details?: ToolDetails;
  manual?: boolean;
  outputs?: unknown;
  error?: boolean | null;
  ms?: number;
}

function view(messages: readonly EcaMessage[], root: string, how: How): unknown {
  const views: { [chat: string]: View } = {};
  for (const message of messages) fold(views, message);
  const inside = Object.values(views[root]?.tools ?? {}).flatMap(({ details }) =>
    details?.type === 'subagent' ? [details.subagentChatId] : [],
  );
  const shown = [root, ...inside].map((chat) => ({
    ...(views[chat] ?? empty()),
    blocks: words(views[chat]?.blocks ?? [], how),
  }));
  return JSON.parse(
    JSON.stringify(shown, (_, value: unknown) => (value instanceof Set ? [...value] : value)),
  );
}

/** A replay puts a line break before a text where the live stream has one after it, or none. */
function words(blocks: readonly Block[], how: How): unknown {
  const trimmed = blocks.map((block) =>
    'text' in block ? { ...block, text: block.text.replaceAll(/^\n+|\n+$/g, '') } : block,
  );
  const kept = trimmed.filter((block) => !('text' in block) || block.text !== '');
  if (how !== 'in any order') return kept;
  const isAnswer = (block: Block) => 'text' in block && block.role === 'assistant';
  const letters = kept
    .flatMap((block) => (isAnswer(block) && 'text' in block ? Array.from(block.text) : []))
    .filter((letter) => letter !== '\n');
  return [kept.filter((block) => !isAnswer(block)), letters.toSorted().join('')];
}

function fold(views: { [chat: string]: View }, message: EcaMessage): void {
  if (message.kind === 'settled')
    return Object.values(views).forEach((known) => void known.questions.delete(message.ask));
  const chat =
    message.kind === 'notification' ? (message.params as { chatId?: string }).chatId : message.chat;
  if (chat === undefined) throw new Error('a message without a chat');
  const known = (views[chat] ??= empty());
  if (message.kind === 'question') known.questions.add(message.ask.id);
  else if (message.kind === 'selection')
    known.selection = [
      message.state.model,
      message.state.agent,
      message.state.mode,
      message.state.options['variant'],
    ];
  else if (message.kind === 'usage') known.usage = chatUsage(message.state.chats[chat]);
  else if (message.kind === 'trust') known.trust = message.state.options['trust'] === true;
  else if (message.kind === 'permissions') known.permissions = message.state.autonomy?.level ?? 'ask';
  else if (message.method === 'chat/cleared')
    views[chat] = { ...known, blocks: [], tools: {}, thoughts: {}, tasks: undefined };
  else if (message.method === 'chat/opened') known.title = message.params.title ?? known.title;
  else if (message.method === 'chat/deleted') delete views[chat];
  else if (message.method === 'chat/statusChanged')
    known.status = message.params.status === 'running' ? 'running' : 'idle';
  else if (message.method === 'chat/contentReceived') foldContent(known, message.params);
}

function empty(): View {
  return {
    blocks: [],
    tools: {},
    thoughts: {},
    questions: new Set(),
    status: 'idle',
    progress: undefined,
    title: undefined,
    usage: undefined,
  };
}

function foldContent(known: View, { role, content }: ContentReceived): void {
  switch (content.type) {
    case 'text':
      return addText(known, {
        role,
        text: content.text,
        ...(content.contentId === undefined ? {} : { id: content.contentId }),
      });
    case 'flag':
      return void known.blocks.push({ role: 'flag', text: content.text, id: content.contentId });
    case 'image':
      return void known.blocks.push({ image: content.base64 });
    case 'url':
      return addText(known, { role, text: `[${content.title}](${content.url})` });
    case 'metadata':
      known.title = content.title;
      return;
    case 'usage':
      known.usage = content.sessionTokens === 0 && content.limit === undefined ? undefined : content;
      return;
    case 'progress':
      known.progress = content.state === 'running' ? content.text : undefined;
      return;
    case 'reasonStarted':
      known.blocks.push({ thought: content.id });
      known.thoughts[content.id] = { text: '' };
      return;
    // A chat inside a tool call that was cut away still goes on; nobody shows it.
    case 'reasonText':
      (known.thoughts[content.id] ?? { text: '' }).text += content.text;
      return;
    case 'reasonFinished':
      (known.thoughts[content.id] ?? { text: '', ms: 0 }).ms = content.totalTimeMs;
      return;
    case 'hookActionStarted':
    case 'hookActionFinished':
      return;
    case 'toolCallPrepare':
    case 'toolCallRun':
    case 'toolCallRunning':
    case 'toolCalled':
    case 'toolCallRejected':
      return foldTool(known, content);
  }
}

/** Only a replay repeats where a chat was compacted, and only the last time. */
function addText(known: View, block: { role: string; text: string; id?: string }): void {
  const last = known.blocks.at(-1);
  if (/Chat (?:auto-)?compacted/.test(block.text)) return;
  if (last && 'text' in last && last.role === 'assistant' && block.role === 'assistant')
    last.text += block.text;
  else known.blocks.push(block);
}

function foldTool(known: View, content: Extract<Content, { type: `tool${string}` }>): void {
  if (!('id' in content)) {
    known.tasks = content.details.tasks.length === 0 ? undefined : content.details;
    return;
  }
  const old = known.tools[content.id];
  if (!old) known.blocks.push({ tool: content.id });
  const details =
    content.details?.type === 'subagent'
      ? { ...content.details, step: 0, model: null, agentName: '' }
      : content.details;
  const base: Tool = {
    name: content.name,
    status: content.type,
    ...(content.summary === undefined ? {} : { summary: content.summary }),
    ...(details ? { details } : {}),
  };
  // What a call of our own looks like is told with its run, which follows at once when it is ready.
  known.tools[content.id] =
    content.type === 'toolCallPrepare'
      ? {
          name: base.name,
          status: base.status,
          argumentsText: (old?.argumentsText ?? '') + content.argumentsText,
        }
      : {
          ...base,
          arguments: content.arguments,
          ...(content.type === 'toolCallRun' ? { manual: content.manualApproval } : {}),
          ...(content.type === 'toolCalled'
            ? { outputs: content.outputs, error: content.error, ms: content.totalTimeMs }
            : {}),
        };
}

test('the chats inside a tool call are really there in some logs', () => {
  const found = fc
    .sample(logs(), { numRuns: 1_000, seed: 7 })
    .map(nested)
    .filter(({ states }) => {
      const origin = states.at(-1)?.chats['chat-2']?.origin;
      const main = states.at(-1)?.chats[sessionId];
      return (
        origin?.type === 'tool' &&
        main &&
        [...main.turns, ...(main.active ? [main.active] : [])].some((turn) => findTool(turn, origin.tool))
      );
    });
  expect(found.length).toBeGreaterThan(5);
});
