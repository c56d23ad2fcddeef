// Lets a model answer a request of a tool server after the user has read it and agreed. Neither the server
// nor the model sees the conversation.
import type { Sample, SampleWish, ServerCall } from '../../../host/tools/toolServers.ts';
import type { NotPossible } from '../../../host/ports.ts';
import type { Content } from '../../../model/event.ts';
import type { AssistantPart, LanguageModel, ModelMessage, ModelUsage, UserPart } from '../model.ts';
import { clipped } from '../tools/clip.ts';

export interface SamplingOptions {
  readonly server: string;
  readonly model: LanguageModel;
  readonly ask: NonNullable<ServerCall['ask']>;
  readonly signal: AbortSignal;
  /** Counts the usage for the turn that called the server. */
  readonly spent: (usage: ModelUsage) => void;
}

export async function sampleFor(
  wish: SampleWish,
  { server, model, ask, signal, spent }: SamplingOptions,
): Promise<Sample | NotPossible> {
  const answer = await ask(
    `${server} wants ${model.name} to answer this for it:\n\n${clipped(requestText(wish))}`,
    [consent],
  );
  if (answer.kind !== 'fields' || answer.values[consent.id] !== 'yes')
    return { refused: 'The user refused.' };
  let text = '';
  let stop: Sample['stop'] = 'endTurn';
  for await (const part of model.stream({
    system: wish.system ?? '',
    messages: wish.messages.flatMap(messageOf),
    start: 0,
    tools: [],
    roots: [],
    signal,
  })) {
    if (part.type === 'text') text += part.text;
    if (part.type === 'usage') spent(part.usage);
    if (part.type === 'error') return { refused: part.message };
    if (part.type === 'finish') stop = part.reason === 'length' ? 'maxTokens' : 'endTurn';
    // A token is about four characters; a server gets no more than it asked for.
    if (text.length > wish.maxTokens * 4) {
      // The provider reports no usage for an answer that is cut off, so it is estimated.
      spent({ input: Math.ceil(requestText(wish).length / 4), output: wish.maxTokens });
      return { model: model.id, text: text.slice(0, wish.maxTokens * 4), stop: 'maxTokens' };
    }
  }
  return signal.aborted ? { refused: 'The call was stopped.' } : { model: model.id, text, stop };
}

const consent = {
  id: 'consent',
  message: 'Let it?',
  required: true,
  answer: {
    type: 'one',
    choices: [
      { id: 'yes', label: 'Yes, this once' },
      { id: 'no', label: 'No' },
    ],
  },
} as const;

function requestText({ system, messages }: SampleWish): string {
  const texts = messages.flatMap(({ content }) =>
    content.map((each) => (each.type === 'text' ? each.text : '[A picture]')),
  );
  return [...(system === undefined ? [] : [system]), ...texts].join('\n\n');
}

function messageOf({ role, content }: SampleWish['messages'][number]): readonly ModelMessage[] {
  if (role === 'user') return [{ role, content: content.flatMap(userPart) }];
  const parts: readonly AssistantPart[] = content.flatMap((each) => (each.type === 'text' ? [each] : []));
  return parts.length === 0 ? [] : [{ role, content: parts }];
}

function userPart(content: Content): readonly UserPart[] {
  return content.type === 'text' || content.type === 'image' ? [content] : [];
}
