// Serialises requests of Ollama's own API.
import type { AssistantPart, ModelMessage, ModelRequest } from '../../../model.ts';
import { HandedPictures } from '../shared/handedPictures.ts';
import type { ModelConnection, Wire } from '../wire.ts';
import { OllamaReader, refusals } from './response.ts';

export const ollama: Wire = {
  write: (request, connection) => {
    const { address, headers } = connection;
    const { key } = connection.credentials;
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return {
      url: `${address.url}/api/chat`,
      headers: { 'content-type': 'application/json', ...authorization, ...headers },
      body: bodyOf(request, connection),
    };
  },
  framing: 'lines',
  reader: () => new OllamaReader(),
  refusals,
};

function bodyOf(request: ModelRequest, { model, limits, conventions }: ModelConnection): object {
  const { context } = limits;
  const { reasoning } = conventions;
  const { system, messages, start, tools, variant } = request;
  const handed = new HandedPictures();
  const write = (message: ModelMessage, at: number) => {
    const goesBack = reasoning === 'all' || (reasoning === 'turn' && at >= start);
    return messageOf(message, goesBack ? 'thoughts' : 'words');
  };
  const sent = messages.flatMap((message, at) => handed.around(message).flatMap((each) => write(each, at)));
  const offered = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  return {
    model,
    stream: true,
    messages: [{ role: 'system', content: system }, ...sent],
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(variant === undefined ? {} : { think: variant === 'none' ? false : variant }),
    // Without a size the server truncates the conversation.
    ...(context === undefined ? {} : { options: { num_ctx: context } }),
  };
}

function messageOf(message: ModelMessage, back: 'thoughts' | 'words'): readonly object[] {
  if (message.role === 'tool')
    return message.results.map((result) => ({ role: 'tool', tool_name: result.name, content: result.text }));
  const words = message.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter(Boolean)
    .join('\n');
  if (message.role === 'user') {
    const images = message.content.flatMap((part) => (part.type === 'image' ? [part.data] : []));
    return [{ role: 'user', content: words, ...(images.length === 0 ? {} : { images }) }];
  }
  const calls = message.content.flatMap((part: AssistantPart) =>
    part.type === 'call' ? [{ function: { name: part.name, arguments: part.input } }] : [],
  );
  const thoughts =
    back === 'words'
      ? ''
      : message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  // Reasoning without an answer is of no use.
  if (words === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: words,
      ...(thoughts === '' ? {} : { thinking: thoughts }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}
