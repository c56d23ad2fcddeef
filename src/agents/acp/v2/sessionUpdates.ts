// What an agent of version 2 tells about one session, in the words of version 1.
import { isRecord } from '../../../base/isRecord.ts';
import {
  diff,
  planRemoved,
  planUpdate,
  terminal,
  terminalChunk,
  terminalContent,
  toolCall,
  toolCallChunk,
} from '../../../protocols/acp/v2/answerSchema.ts';
import { MessageChunks } from './messages.ts';
import { changedPaths, textDiffs } from './patch.ts';
import type { ReportedTerminals } from './reportedTerminals.ts';
import { inVersion1 } from './settings.ts';

type Fields = { readonly [key: string]: unknown };

export class SessionUpdates {
  readonly #session: string;
  readonly #terminals: ReportedTerminals;
  readonly #messages = new MessageChunks();
  /** The content of the calls of this turn: version 1 cannot add to it. */
  readonly #contents = new Map<string, readonly unknown[]>();
  readonly #locations = new Map<string, readonly unknown[]>();
  readonly #known = new Set<string>();
  readonly #plans = new Map<string, readonly unknown[]>();

  constructor(session: string, terminals: ReportedTerminals) {
    this.#session = session;
    this.#terminals = terminals;
  }

  /** The turn is over. */
  idle(): void {
    this.#messages.clear();
    this.#contents.clear();
    this.#locations.clear();
    this.#known.clear();
  }

  /** Whether the call was mentioned in this turn. */
  knows(call: string): boolean {
    return this.#known.has(call);
  }

  take(update: unknown): readonly unknown[] {
    if (!isRecord(update)) return [];
    const name = update['sessionUpdate'];
    const known =
      typeof name === 'string' && Object.hasOwn(this.#takers, name) ? this.#takers[name] : undefined;
    return known ? known(update) : [update];
  }

  /** A call, in an update or in a question about it. */
  call(update: unknown): Fields | undefined {
    const read = toolCall.safeParse(update);
    if (!read.success) return undefined;
    const { toolCallId, status, content, locations, ...rest } = read.data;
    this.#known.add(toolCallId);
    if (content !== undefined) this.#contents.set(toolCallId, content ?? []);
    if (locations !== undefined) this.#locations.set(toolCallId, locations ?? []);
    const hasNews = content !== undefined || locations !== undefined;
    return {
      ...rest,
      toolCallId,
      ...(status === undefined ? {} : { status: statuses[status] ?? 'in_progress' }),
      ...(hasNews || status === 'cancelled' ? this.#contentOf(toolCallId, status === 'cancelled') : {}),
    };
  }

  readonly #takers: { readonly [name: string]: (update: Fields) => readonly unknown[] } = {
    agent_message_chunk: (update) => this.#messages.chunk('agent_message', update),
    agent_thought_chunk: (update) => this.#messages.chunk('agent_thought', update),
    agent_message: (update) => this.#messages.whole('agent_message', update),
    agent_thought: (update) => this.#messages.whole('agent_thought', update),
    // The host has the message already.
    user_message: () => [],
    tool_call_update: (update) => {
      const call = this.call(update);
      return call ? [{ ...call, sessionUpdate: 'tool_call_update' }] : [];
    },
    tool_call_content_chunk: (update) => this.#contentChunk(update),
    terminal_update: (update) => {
      const read = terminal.safeParse(update);
      if (read.success) this.#terminals.update(this.#terminalId(read.data.terminalId), read.data);
      return [];
    },
    terminal_output_chunk: (update) => {
      const read = terminalChunk.safeParse(update);
      if (read.success) this.#terminals.append(this.#terminalId(read.data.terminalId), read.data.data);
      return [];
    },
    plan_update: (update) => {
      const read = planUpdate.safeParse(update);
      if (!read.success || read.data.plan.type !== 'items') return [];
      this.#plans.set(read.data.plan.planId, read.data.plan.entries);
      return [this.#plan()];
    },
    plan_removed: (update) => {
      const read = planRemoved.safeParse(update);
      return read.success && this.#plans.delete(read.data.planId) ? [this.#plan()] : [];
    },
    available_commands_update: (update) => [inVersion1(update)],
    config_option_update: (update) => [inVersion1(update)],
  };

  #contentChunk(update: Fields): readonly unknown[] {
    const read = toolCallChunk.safeParse(update);
    if (!read.success) return [];
    const { toolCallId, content } = read.data;
    this.#contents.set(toolCallId, [...(this.#contents.get(toolCallId) ?? []), content]);
    return [{ sessionUpdate: 'tool_call_update', toolCallId, ...this.#contentOf(toolCallId, false) }];
  }

  /** Several plans are one list. */
  #plan(): object {
    return { sessionUpdate: 'plan', entries: [...this.#plans.values()].flat() };
  }

  /** Files that a change names are places of the call, so that the host looks at them. */
  #contentOf(id: string, isCancelled: boolean): Fields {
    const content = this.#contents.get(id);
    const named = (content ?? []).flatMap((item) => {
      const read = diff.safeParse(item);
      return read.success ? changedPaths(read.data.changes).map((path) => ({ path })) : [];
    });
    const locations = this.#locations.get(id);
    const cancelled = isCancelled ? [text('The agent cancelled the call.')] : [];
    return {
      ...(content || isCancelled
        ? { content: [...(content ?? []).flatMap((item) => this.#item(item)), ...cancelled] }
        : {}),
      ...(locations || named.length > 0 ? { locations: [...(locations ?? []), ...named] } : {}),
    };
  }

  #item(item: unknown): readonly unknown[] {
    const change = diff.safeParse(item);
    if (change.success) {
      const { changes, patch } = change.data;
      return patch?.format === 'git_patch' ? textDiffs(changes, patch.text) : [];
    }
    const shown = terminalContent.safeParse(item);
    if (!shown.success) return [item];
    const terminalId = this.#terminalId(shown.data.terminalId);
    this.#terminals.mention(terminalId);
    return [{ type: 'terminal', terminalId }];
  }

  /** Ids are unique in a session only. */
  #terminalId(id: string): string {
    return `${this.#session}/${id}`;
  }
}

const statuses: { readonly [status: string]: string | undefined } = {
  pending: 'pending',
  in_progress: 'in_progress',
  paused: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

function text(words: string): object {
  return { type: 'content', content: { type: 'text', text: words } };
}
