// Ollama's own format, spoken without a library: one JSON object a line, calls in one piece and without ids.
import type { AssistantPart, ModelMessage, ModelRequest } from '../../model.ts';
import { HandedPictures } from '../handedPictures.ts';
import { OllamaReader } from '../readers/ollama.ts';
import { answerOf } from '../sdk.ts';
import type { Connection, Wire } from '../wire.ts';
import { messagesApart } from './ollamaApart.ts';

export const ollama: Wire = async (request, connection) => {
  const { url, key, headers, fetch, signal } = connection;
  const response = await fetch(`${url}/api/chat`, {
    method: 'POST',
    signal,
    body: JSON.stringify(bodyOf(request, connection)),
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
  return answerOf(response, { framing: 'lines', reader: new OllamaReader() }, connection);
};

function bodyOf(request: ModelRequest, { model, context, extra, reasoning, apart }: Connection): object {
  const { system, messages, start, tools, variant } = request;
  const handed = new HandedPictures();
  const write = (message: ModelMessage, at: number) => {
    const back = reasoning === 'all' || (reasoning === 'turn' && at >= start) ? 'thoughts' : 'words';
    return apart && message.role === 'assistant'
      ? messagesApart(message.content, { ...request, back })
      : messageOf(message, back);
  };
  // Where requests are compared, only the first one of a turn says this.
  const before = apart && messages.length > start + 1 ? [] : [{ role: 'system', content: system }];
  return {
    model,
    stream: true,
    messages: [
      ...before,
      ...messages.flatMap((message, at) => handed.around(message).flatMap((each) => write(each, at))),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
        }),
    ...(variant === undefined ? {} : { think: variant === 'none' ? false : variant }),
    // Without it the server cuts the conversation where it likes.
    ...(context === undefined ? {} : { options: { num_ctx: context } }),
    ...extra,
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
  // A thought that led to nothing is of no use.
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
