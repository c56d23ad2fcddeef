// What a model has said, for Ollama as ECA writes it: all is a message of its own, thoughts are words, and calls are named twice and say how they are shown.
// Models are better served by the usual form, so only whoever compares requests gets this one.
import type { AssistantPart, ModelRequest } from '../../model.ts';

export function messagesApart(
  content: readonly AssistantPart[],
  { back, titles }: Pick<ModelRequest, 'titles'> & { readonly back: 'thoughts' | 'words' },
): readonly object[] {
  return content.flatMap((part) => {
    if (part.type === 'call') return [callOf(part, titles?.get(part.id))];
    const isSaid = part.type === 'text' || (part.type === 'reasoning' && back === 'thoughts');
    return isSaid && part.text !== '' ? [{ role: 'assistant', content: part.text }] : [];
  });
}

function callOf(
  { id, name, input, ours }: Extract<AssistantPart, { type: 'call' }>,
  title: string | undefined,
): object {
  const shown = { id, name, arguments: input, summary: title ?? name, origin: ours ? 'native' : 'mcp' };
  return {
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name, arguments: input } }],
    'tool-calls': [{ type: 'function', function: shown }],
  };
}
