// Builds the prompt around a message: instructions, history that the agent does not know, and steering
// messages it did not take.
import type { TurnContext } from '../../../host/agent.ts';
import type { UserMessage } from '../../../model/event.ts';
import { isRecord } from '../../../base/isRecord.ts';
import type { CurrentTurn } from './currentTurn.ts';
import { handover } from './handover.ts';
import { forAgent } from './hostCommands.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import type { OpenedSession } from './openSession.ts';
import { promptBlocks } from './promptBlocks.ts';
import { failureText } from '../turn/outcome.ts';

export interface PromptBuilderOptions {
  /** The name of the agent. */
  readonly name: string;
  /** The agent that worked in this chat before. */
  readonly from: string | undefined;
  readonly current: CurrentTurn;
}

export class PromptBuilder {
  readonly #options: PromptBuilderOptions;
  /** History for the next message, because the agent does not know it. */
  #untold = false;
  #uninstructed = false;
  readonly #unsteered: object[] = [];

  constructor(options: PromptBuilderOptions) {
    this.#options = options;
  }

  /**
   * Tells the user whether the agent still remembers the conversation. `again` after the
   * program was restarted, `isDropped` after it was ended because of another session.
   */
  opened(
    opened: OpenedSession,
    {
      link,
      again,
      isDropped = false,
    }: { readonly link: AgentProcess; readonly again: boolean; readonly isDropped?: boolean },
  ): void {
    const isNew = opened.how === 'new';
    const { current } = this.#options;
    this.#uninstructed = isNew && !link.hello.agentCapabilities.sessionCapabilities.systemPrompt;
    this.#untold = isNew && (current.context?.history.length ?? 0) > 0;
    if (isNew && opened.unreached) current.notice('warning', this.#unreachable(opened.unreached));
    if (isDropped) current.notice('warning', dropped(this.#options.name));
    this.#tellContinuity(opened, again);
  }

  #unreachable(servers: readonly string[]): string {
    const label = servers.length === 1 ? 'the MCP server' : 'the MCP servers';
    return `${this.#options.name} cannot use ${label} ${servers.join(', ')}.`;
  }

  #tellContinuity({ how, lost }: OpenedSession, again: boolean): void {
    const { name, from, current } = this.#options;
    if (lost !== undefined)
      current.notice(
        'warning',
        `${name} could not continue its conversation (${lost}) and starts a new one.`,
      );
    else if (again && how !== 'new')
      current.notice('info', `${name} was restarted and continues its conversation.`);
    else if (this.#untold && from !== undefined) current.notice('info', `${name} takes over from ${from}.`);
  }

  /**
   * A message with everything that goes with it. A command must be the first thing in a prompt, so all else
   * waits for the next message.
   */
  blocks(context: TurnContext, link: AgentProcess): readonly object[] {
    const { name } = this.#options;
    const message = forAgent(context.message);
    const { blocks: own, left } = promptBlocks(message, link.hello.agentCapabilities.promptCapabilities);
    if (left.length > 0)
      context.report({
        kind: 'notice.added',
        level: 'warning',
        text: `${name} does not accept ${left.join(' and ')}; the agent was told so.`,
      });
    if (message.text.startsWith('/')) return own;
    return [...this.#instructions(context), ...this.#past(context), ...this.#unsteered.splice(0), ...own];
  }

  /** Sends a steering message. If the agent does not take it, it is sent with the next message. */
  async steer(
    message: UserMessage,
    { link, id, silence }: { readonly link: AgentProcess; readonly id: string; readonly silence: number },
  ): Promise<void> {
    const { blocks } = promptBlocks(message, link.hello.agentCapabilities.promptCapabilities);
    try {
      const answer = await link.request(
        steering,
        { sessionId: id, prompt: blocks, _meta: { steering: { idleBehavior: 'promptRequired' } } },
        silence,
      );
      const outcome = isRecord(answer) ? answer['outcome'] : undefined;
      if (outcome !== 'promptRequired' && outcome !== 'failed') return;
      this.#keepForNextMessage(blocks, outcome === 'failed' ? 'it failed' : 'it had just finished');
    } catch (error) {
      this.#keepForNextMessage(blocks, failureText(error));
    }
  }

  #keepForNextMessage(blocks: readonly object[], why: string): void {
    this.#unsteered.push({ type: 'text', text: 'The user added this while you were working:' }, ...blocks);
    const { name, current } = this.#options;
    current.notice(
      'warning',
      `${name} did not get your message (${why}); it will be sent with the next one.`,
    );
  }

  #past(context: TurnContext): readonly object[] {
    const past = this.#untold
      ? handover(context.history, context.state().chats[context.session.chat]?.compaction)
      : undefined;
    if (!past) return [];
    this.#untold = false;
    context.report({
      kind: 'notice.added',
      level: 'info',
      text: `${this.#options.name} does not remember this conversation. It was given ${past.given}.`,
    });
    return [{ type: 'text', text: past.text }];
  }

  /** System prompt of a client, for an agent that has no other field for it. */
  #instructions(context: TurnContext): readonly object[] {
    const given = this.#uninstructed ? context.state().systemPrompt : undefined;
    if (!given) return [];
    this.#uninstructed = false;
    return [{ type: 'text', text: `Instructions for this whole conversation:\n\n${given.text}` }];
  }
}

function dropped(name: string): string {
  return `${name} was ended meanwhile, because it did not answer when another session of this folder was stopped.`;
}

/** An extension that the two most used adapters share. */
export const steering = '_session/steering';

export function takesSteering({ hello: { _meta: meta } }: AgentProcess): boolean {
  const told = meta?.['steering'];
  return isRecord(told) && told['supported'] === true;
}
