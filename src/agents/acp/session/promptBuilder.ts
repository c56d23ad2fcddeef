// What an agent is told with a message beside the message itself: instructions, the past it does not remember, and what it did not take in between.
import type { TurnContext } from '../../../host/agent.ts';
import type { UserMessage } from '../../../model/event.ts';
import { isRecord } from '../../../protocols/acp/v1/raw.ts';
import { handover } from './handover.ts';
import type { Link } from '../process/agentProcess.ts';
import type { Opened } from './openSession.ts';
import { promptBlocks } from './promptBlocks.ts';
import { wordsOf } from '../turn/outcome.ts';

export interface TellingPlace {
  /** The name of the agent. */
  readonly name: string;
  /** The agent that worked in this chat before. */
  readonly from: string | undefined;
}

export class Telling {
  readonly #place: TellingPlace;
  /** What the agent does not remember and is told with the next message. */
  #untold = false;
  #uninstructed = false;
  readonly #unsteered: object[] = [];

  constructor(place: TellingPlace) {
    this.#place = place;
  }

  /** Whoever reads on learns whether the agent still knows what was said. */
  opened(
    { how, lost, unreached }: Opened,
    {
      link,
      context,
      again,
    }: { readonly link: Link; readonly context: TurnContext | undefined; readonly again: boolean },
  ): void {
    const { name, from } = this.#place;
    this.#uninstructed = how === 'new' && !link.hello.agentCapabilities.sessionCapabilities.systemPrompt;
    this.#untold = how === 'new' && (context?.history.length ?? 0) > 0;
    if (unreached && how === 'new')
      context?.report({
        kind: 'notice.added',
        level: 'warning',
        text: `${name} has no way to reach ${unreached.length === 1 ? 'the tool server' : 'the tool servers'} ${unreached.join(', ')}.`,
      });
    if (lost !== undefined)
      context?.report({
        kind: 'notice.added',
        level: 'warning',
        text: `${name} could not continue its conversation (${lost}) and begins a new one.`,
      });
    else if (again && how !== 'new')
      context?.report({
        kind: 'notice.added',
        level: 'info',
        text: `${name} was started again and continues its conversation.`,
      });
    else if (this.#untold && from !== undefined)
      context?.report({ kind: 'notice.added', level: 'info', text: `${name} takes over from ${from}.` });
  }

  /** A message with everything that goes with it. A command must be the first thing in a prompt, so all else waits for the next message. */
  blocks(context: TurnContext, link: Link): readonly object[] {
    const { name } = this.#place;
    const { blocks: own, left } = promptBlocks(
      context.message,
      link.hello.agentCapabilities.promptCapabilities,
    );
    if (left.length > 0)
      context.report({
        kind: 'notice.added',
        level: 'warning',
        text: `${name} cannot take ${left.join(' and ')}; it was told so.`,
      });
    if (context.message.text.startsWith('/')) return own;
    return [...this.#instructions(context), ...this.#past(context), ...this.#unsteered.splice(0), ...own];
  }

  /** A word in between. What the agent did not take is not lost: it comes with the next message. */
  async steer(
    message: UserMessage,
    {
      link,
      id,
      silence,
      context,
    }: {
      readonly link: Link;
      readonly id: string;
      readonly silence: number;
      readonly context: () => TurnContext | undefined;
    },
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
      this.#keep(blocks, context(), outcome === 'failed' ? 'it failed' : 'it had just finished');
    } catch (error) {
      this.#keep(blocks, context(), wordsOf(error));
    }
  }

  #keep(blocks: readonly object[], context: TurnContext | undefined, why: string): void {
    this.#unsteered.push(
      { type: 'text', text: 'The user has added this while you were at work:' },
      ...blocks,
    );
    context?.report({
      kind: 'notice.added',
      level: 'warning',
      text: `${this.#place.name} did not take what was added (${why}); it is told with the next message.`,
    });
  }

  #past(context: TurnContext): readonly object[] {
    const past = this.#untold
      ? handover(context.history, context.state().chats[context.chat]?.compaction)
      : undefined;
    if (!past) return [];
    this.#untold = false;
    context.report({
      kind: 'notice.added',
      level: 'info',
      text: `${this.#place.name} does not remember this conversation. It was given ${past.given}.`,
    });
    return [{ type: 'text', text: past.text }];
  }

  /** What a client wants the model to be told, for an agent that has no other place for it. */
  #instructions(context: TurnContext): readonly object[] {
    const given = this.#uninstructed ? context.state().systemPrompt : undefined;
    if (!given) return [];
    this.#uninstructed = false;
    return [{ type: 'text', text: `Instructions for this whole conversation:\n\n${given.text}` }];
  }
}

/** An extension that the two most used adapters share. */
const steering = '_session/steering';

export function takesSteering({ hello: { _meta: meta } }: Link): boolean {
  const told = meta?.['steering'];
  return isRecord(told) && told['supported'] === true;
}
