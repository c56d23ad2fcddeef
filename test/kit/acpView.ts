// What an ACP client shows of a chat, by the rules of the protocol: chunks merge by message id, tool calls by
// id, the rest replaces.
import type { AcpUpdate } from '../../src/doors/acp/outbound/entries.ts';
import type { ContentBlock, SessionUpdate } from '../../src/protocols/acp/v1/messages.ts';

interface ShownMessage {
  readonly kind: SessionUpdate['sessionUpdate'];
  readonly id: string;
  readonly content: readonly ContentBlock[];
}

type Shown = ShownMessage | { readonly kind: 'tool'; readonly id: string; readonly call: object };

export class AcpView {
  readonly #items = new Map<string, Shown>();
  #plan: unknown;
  #title: unknown = null;

  /**
   * Notices are of the moment and not part of what is kept; questions, settings and answers are no content.
   */
  take(message: AcpUpdate): void {
    if (message.kind === 'removed') this.#clear();
    if (message.kind === 'update') this.#takeUpdate(message.update);
  }

  /** Leaves out what belongs to turns that were dropped: every id begins with that of its turn. */
  forget(turns: ReadonlySet<string>): void {
    for (const id of [...this.#items.keys()]) if (turns.has(id.split(':')[0] ?? '')) this.#items.delete(id);
  }

  shown(): object {
    return { items: [...this.#items.values()], plan: this.#plan, title: this.#title };
  }

  #takeUpdate(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        return this.#say(update);
      case 'tool_call':
      case 'tool_call_update':
        return this.#call(update);
      case 'plan':
        return void (this.#plan = update.entries);
      case 'session_info_update':
        return void (this.#title = update.title);
      case 'usage_update':
      case 'config_option_update':
      case 'current_mode_update':
      case 'available_commands_update':
      case 'compaction_update':
      case 'plan_update':
      case 'plan_removed':
      case 'subagent_update':
      case 'notice':
        return;
      default:
        return update satisfies never;
    }
  }

  #say({
    sessionUpdate: kind,
    messageId: id,
    content,
  }: Extract<SessionUpdate, { readonly content: ContentBlock }>): void {
    if (typeof id !== 'string') throw new Error('A chunk has no message id.');
    const known = this.#items.get(id);
    const before = known && 'content' in known ? known.content : [];
    this.#items.set(id, { kind, id, content: joined(before, content) });
  }

  #call({ sessionUpdate: _, ...call }: Extract<SessionUpdate, { readonly toolCallId: string }>): void {
    const known = this.#items.get(call.toolCallId);
    this.#items.set(call.toolCallId, {
      kind: 'tool',
      id: call.toolCallId,
      call: { ...(known && 'call' in known ? known.call : {}), ...call },
    });
  }

  #clear(): void {
    this.#items.clear();
    this.#plan = undefined;
    this.#title = null;
  }
}

/** Neighbouring texts of one message are one text. */
function joined(before: readonly ContentBlock[], content: ContentBlock): readonly ContentBlock[] {
  const last = before.at(-1);
  if (last?.type !== 'text' || content.type !== 'text') return [...before, content];
  return [...before.slice(0, -1), { type: 'text', text: last.text + content.text }];
}
