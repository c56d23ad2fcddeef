// The JSON of `parley run`: what happened, as lines whose form docs/run.md and docs/run.schema.json promise.
// Knows the log's events, and hides everything about them that is not promised.
import type { DoorResult, RunStarted } from '../../app/run/runDoor.ts';
import type { Autonomy, Content, Entry, Event, EventOf, Json, Usage } from '../../model/event.ts';
import { endingOf, exitCodes } from './ending.ts';
import type { RunFailure, RunStatus } from './ending.ts';

/** Grows when a field changes its meaning or goes; new fields and new types of lines do not count. */
const schemaVersion = 1;

/** `subagent` names the chat of a subagent; lines of the agent itself have none. */
interface Place {
  readonly subagent?: string;
}

export type RunLine =
  | {
      readonly type: 'start';
      readonly schema: number;
      readonly session: string;
      readonly agent: string;
      readonly model?: string;
      readonly mode?: string;
      readonly permissions?: Autonomy;
      readonly folder: string;
    }
  | ({ readonly type: 'text' | 'reasoning'; readonly text: string } & Place)
  | ({ readonly type: 'image'; readonly mediaType: string; readonly data: string } & Place)
  | ({
      readonly type: 'tool-start';
      readonly id: string;
      readonly name: string;
      readonly title: string;
      readonly input: Json;
    } & Place)
  | ({
      readonly type: 'tool-end';
      readonly id: string;
      readonly status: 'done' | 'failed' | 'denied';
      readonly output?: string;
      /** The rule that allowed or denied the call. */
      readonly rule?: string;
      readonly error?: string;
    } & Place)
  | ({ readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string } & Place)
  | ResultLine;

export interface ResultLine {
  readonly type: 'result';
  readonly schema: number;
  readonly session: string | null;
  readonly status: RunStatus;
  readonly exitCode: number;
  /** The answer: the text after the last tool call. */
  readonly result: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly denied: readonly { readonly name: string; readonly title: string; readonly reason: string }[];
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly models: readonly string[];
  };
  /** In US dollars; null if a price is not known, or nothing was told before the run was stopped. */
  readonly cost: number | null;
  readonly durationMs: number;
}

interface Call {
  readonly name: string;
  readonly title: string;
  readonly rule?: string;
  /** What its last line said. */
  readonly shown?: string;
}

export class RunLines {
  readonly #now: () => number;
  readonly #begin: number;
  readonly #subagents = new Set<string>();
  readonly #calls = new Map<string, Call>();
  readonly #usage = new Map<string, Usage>();
  readonly #denied: { name: string; title: string; reason: string }[] = [];
  #started: RunStarted | undefined;
  #answer = '';

  constructor(now: () => number) {
    this.#now = now;
    this.#begin = now();
  }

  started(facts: RunStarted): RunLine {
    this.#started = facts;
    const { session, agent, model, mode, autonomy, roots } = facts;
    return {
      type: 'start',
      schema: schemaVersion,
      session,
      agent,
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { mode }),
      ...(autonomy === undefined ? {} : { permissions: autonomy }),
      folder: roots[0] ?? '',
    };
  }

  /** The line of an entry; undefined for what is not promised to anyone, or belongs to other turns. */
  entry({ event }: Entry): RunLine | undefined {
    if (!this.#isOurs(event)) return undefined;
    const place = 'chat' in event && this.#subagents.has(event.chat) ? { subagent: event.chat } : {};
    if (event.kind === 'text.added' && event.channel === 'answer' && !('subagent' in place))
      this.#answer += event.text;
    if (event.kind === 'usage.reported')
      this.#usage.set(event.turn, { ...this.#usage.get(event.turn), ...event.usage });
    return said(event, place) ?? this.#tool(event, place);
  }

  ended(result: DoorResult): ResultLine {
    const { status, error } = endingOf(result);
    return this.#result(status, { session: result.session, ...(error ? { error } : {}) });
  }

  failed(message: string, why: RunFailure): ResultLine {
    const session = this.#started?.session ?? null;
    return this.#result(why, { session, error: { code: why, message } });
  }

  #tool(event: Event, place: Place): RunLine | undefined {
    if (event.kind === 'tool.started') this.#calls.set(event.tool, { name: event.name, title: event.title });
    if (event.kind === 'tool.running' && event.basis.how === 'rule')
      this.#remember(event.tool, { rule: event.basis.rule });
    if (event.kind === 'tool.ready') return this.#ready(event, place);
    return event.kind === 'tool.ended' ? this.#toolEnded(event, place) : undefined;
  }

  /** External agents tell of a call and then ask about it; the second time nothing is new. */
  #ready({ tool, title, input }: EventOf<'tool.ready'>, place: Place): RunLine | undefined {
    const shown = JSON.stringify([title, input]);
    if (this.#calls.get(tool)?.shown === shown) return undefined;
    this.#remember(tool, { title, shown });
    if (!('subagent' in place)) this.#answer = '';
    return { type: 'tool-start', id: tool, name: this.#calls.get(tool)?.name ?? '', title, input, ...place };
  }

  #toolEnded({ tool, result }: EventOf<'tool.ended'>, place: Place): RunLine {
    const { name = '', title = '', rule } = this.#calls.get(tool) ?? {};
    this.#calls.delete(tool);
    const end = { type: 'tool-end', id: tool, status: result.status } as const;
    if (result.status === 'denied') {
      const by = result.rule ?? rule;
      this.#denied.push({ name, title, reason: result.reason });
      return { ...end, error: result.reason, ...(by === undefined ? {} : { rule: by }), ...place };
    }
    return {
      ...end,
      output: textOf(result.content),
      ...(result.status === 'failed' ? { error: result.error } : {}),
      ...(rule === undefined ? {} : { rule }),
      ...place,
    };
  }

  #remember(tool: string, change: Partial<Call>): void {
    this.#calls.set(tool, { name: '', title: '', ...this.#calls.get(tool), ...change });
  }

  #result(status: RunStatus, facts: Pick<ResultLine, 'session' | 'error'>): ResultLine {
    const reports = [...this.#usage.values()];
    const sum = (key: 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cost') =>
      reports.reduce((total, usage) => total + (usage[key] ?? 0), 0);
    // Providers tell at the end of an answer, so nobody knows what a stopped one has cost.
    const isTold = reports.length > 0 || (status !== 'stopped' && status !== 'time');
    const isPriced = isTold && reports.every((usage) => usage.cost !== undefined || !usage.input);
    const models = [...new Set(reports.flatMap(({ model }) => model ?? []))];
    return {
      type: 'result',
      schema: schemaVersion,
      status,
      exitCode: exitCodes[status],
      ...facts,
      result: this.#answer,
      denied: this.#denied,
      usage: {
        input: sum('input'),
        output: sum('output'),
        cacheRead: sum('cacheRead'),
        cacheWrite: sum('cacheWrite'),
        models,
      },
      cost: isPriced ? sum('cost') : null,
      durationMs: Math.max(0, Math.round(this.#now() - this.#begin)),
    };
  }

  /** What the turn of this run does, and the subagents that it starts; other clients may work beside it. */
  #isOurs(event: Event): boolean {
    if (event.kind === 'chat.created' && event.origin.type === 'tool' && this.#calls.has(event.origin.tool))
      this.#subagents.add(event.chat);
    if (!('chat' in event)) return false;
    const { session, turn } = this.#started ?? {};
    const isInTurn =
      event.kind === 'chat.changed' ? event.chat === session : 'turn' in event && event.turn === turn;
    return isInTurn || this.#subagents.has(event.chat);
  }
}

function said(event: Event, place: Place): RunLine | undefined {
  if (event.kind === 'text.added')
    return { type: event.channel === 'answer' ? 'text' : 'reasoning', text: event.text, ...place };
  if (event.kind === 'image.added')
    return { type: 'image', mediaType: event.mediaType, data: event.data, ...place };
  if (event.kind === 'chat.changed' && event.stopping)
    return { type: 'notice', level: 'info', text: event.stopping, ...place };
  return event.kind === 'notice.added'
    ? { type: 'notice', level: event.level, text: event.text, ...place }
    : undefined;
}

function textOf(content: readonly Content[]): string {
  return content.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n');
}
