// Converts the updates of a turn into reports for the log. Accepts any order; ignores unknown updates.
import type { AgentReport } from '../../../model/command.ts';
import type { PlanEntry } from '../../../model/event.ts';
import { pictureOf } from '../../../host/turns/answerImage.ts';
import type { MadePicture } from '../../../host/turns/answerImage.ts';
import type { Ids } from '../../../host/ports.ts';
import type { ReadContentBlock } from '../../../protocols/acp/v1/contentSchema.ts';
import type { UnknownContent } from '../../../protocols/acp/v1/toolCallSchema.ts';
import type { ReadChunk, ReadUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import { markdownOf } from './content.ts';
import { ToolCalls } from './toolCalls.ts';
import type { ToolCallPorts } from './toolCalls.ts';

export interface TranscriptOptions extends ToolCallPorts {
  readonly ids: Ids;
  readonly name: string;
  /** The cost of the conversation before this turn; agents report the total. */
  readonly costBefore: number;
}

type Of<K extends ReadUpdate['sessionUpdate']> = Extract<ReadUpdate, { readonly sessionUpdate: K }>;

export class TranscriptUpdates {
  readonly #options: TranscriptOptions;
  readonly calls: ToolCalls;
  /**
   * The texts that may still grow, by channel and message; what else happens between two of
   * them begins a new one.
   */
  readonly #texts = new Map<string, string>();
  #last: string | undefined;
  readonly #summaries = new Map<string, string>();

  constructor(options: TranscriptOptions) {
    this.#options = options;
    const report = (given: AgentReport) => {
      if (given.kind === 'tool.started' || given.kind === 'notice.added') this.#breakText();
      options.report(given);
    };
    this.calls = new ToolCalls({ ...options, report });
  }

  take(update: ReadUpdate): void {
    if (isWorkUpdate(update)) this.#takeWork(update);
    else this.#takeRest(update);
  }

  #takeWork(update: Of<WorkUpdate>): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#text('answer', update);
      case 'agent_thought_chunk':
        return this.#text('reasoning', update);
      // The host has the message already; agents repeat it.
      case 'user_message_chunk':
        return;
      case 'tool_call':
        return this.calls.take(update, 'call');
      case 'tool_call_update':
        return this.calls.take(update, 'update');
      case 'plan':
        return this.#options.report({ kind: 'plan.set', entries: update.entries.map(planEntry) });
      case 'usage_update':
        return this.#usage(update);
      case 'notice':
        return this.notice(
          levelOf(update.severity),
          [update.title, update.description].filter(Boolean).join('\n'),
        );
      default:
        return update satisfies never;
    }
  }

  #takeRest(update: Exclude<ReadUpdate, Of<WorkUpdate>>): void {
    switch (update.sessionUpdate) {
      case 'compaction_update':
        return this.#compaction(update);
      case 'compaction_summary_chunk':
        return this.#summary(update.compactionId, [update.content]);
      case 'unknown':
        return;
      // AgentOffers reads these: they describe the conversation and are no part of it.
      case 'available_commands_update':
      case 'current_mode_update':
      case 'config_option_update':
      case 'session_info_update':
        return;
      default:
        return update satisfies never;
    }
  }

  notice(level: 'info' | 'warning' | 'error', text: string): void {
    this.#breakText();
    this.#options.report({ kind: 'notice.added', level, text });
  }

  #text(channel: 'answer' | 'reasoning', { messageId, content }: ReadChunk): void {
    const picture = channel === 'answer' && content.type === 'image' ? pictureOf(content.data) : undefined;
    if (picture && 'data' in picture) return this.#picture(picture);
    const text = markdownOf(content);
    if (text !== '')
      return this.#options.report({
        kind: 'text.added',
        item: this.#item(channel, messageId),
        channel,
        text,
      });
  }

  /** Text after an image starts a new item, so that it appears after the image. */
  #picture(picture: MadePicture): void {
    this.#breakText();
    this.#options.report({ kind: 'image.added', item: this.#options.ids.next(), ...picture });
  }

  /** Chunks with one messageId, or consecutive chunks of a channel without ids, form one item. */
  #item(channel: string, messageId: string | undefined): string {
    const key = messageId === undefined ? channel : `${channel}:${messageId}`;
    if (messageId === undefined && this.#last !== key) this.#texts.delete(key);
    this.#last = key;
    const item = this.#texts.get(key) ?? this.#options.ids.next();
    this.#texts.set(key, item);
    return item;
  }

  #breakText(): void {
    this.#texts.clear();
    this.#last = undefined;
  }

  #usage({ used, size, cost }: Of<'usage_update'>): void {
    const { costBefore } = this.#options;
    // A smaller total means that the agent started to count again.
    const spent =
      cost?.currency === 'USD'
        ? { cost: cost.amount >= costBefore ? cost.amount - costBefore : cost.amount }
        : {};
    this.#options.report({ kind: 'usage.reported', usage: { context: { used, size }, ...spent } });
  }

  #compaction({ compactionId, status, summary, error }: Of<'compaction_update'>): void {
    const { name } = this.#options;
    if (summary) this.#summary(compactionId, summary);
    if (status === 'in_progress') return this.notice('info', `${name} is compacting the conversation.`);
    const words = this.#summaries.get(compactionId) ?? '';
    this.#summaries.delete(compactionId);
    if (status === 'completed')
      return this.notice('info', `${name} compacted the conversation.${words === '' ? '' : `\n\n${words}`}`);
    return this.notice(
      'warning',
      `${name} could not compact the conversation (${error ?? status}).${words === '' ? '' : `\n\n${words}`}`,
    );
  }

  #summary(id: string, blocks: readonly (ReadContentBlock | UnknownContent)[]): void {
    this.#summaries.set(id, (this.#summaries.get(id) ?? '') + blocks.map(markdownOf).join(''));
  }
}

/** The updates that carry the agent's messages and tool calls. */
const workUpdates = [
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'usage_update',
  'notice',
] as const;

type WorkUpdate = (typeof workUpdates)[number];

function isWorkUpdate(update: ReadUpdate): update is Of<WorkUpdate> {
  return workUpdates.some((kind) => kind === update.sessionUpdate);
}

const planStatus: { readonly [status: string]: PlanEntry['status'] } = {
  pending: 'pending',
  in_progress: 'active',
  completed: 'done',
};

function planEntry({ content, priority, status }: Of<'plan'>['entries'][number]): PlanEntry {
  return { text: content, priority, status: planStatus[status] ?? 'pending' };
}

function levelOf(severity: string): 'info' | 'warning' | 'error' {
  return severity === 'warning' || severity === 'error' ? severity : 'info';
}

/** True for updates that belong in a turn: text, tool calls, plans, notices, compaction. */
export function belongsToTurn({ sessionUpdate: kind }: ReadUpdate): boolean {
  return !asides.has(kind);
}

const asides: ReadonlySet<ReadUpdate['sessionUpdate']> = new Set<ReadUpdate['sessionUpdate']>([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'user_message_chunk',
  'unknown',
]);
