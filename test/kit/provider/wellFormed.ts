// What real providers refuse about the order of a conversation, for each wire format: calls without results,
// results without calls, empty messages, wrong turns.
import { look } from './json.ts';
import type { JsonCursor } from './json.ts';

/** What is wrong with the body of a request; nothing where a provider would take it. */
export function malformed(path: string, body: unknown): readonly string[] {
  const found = look(body);
  if (path.endsWith('/messages')) return anthropic(found);
  if (path.endsWith('/responses')) return responses(found);
  if (path.endsWith('/chat/completions')) return chat(found);
  if (path.endsWith('/api/chat')) return ollama(found);
  return /generateContent$/i.test(path) ? google(found) : [`nobody knows ${path}`];
}

function anthropic(body: JsonCursor): readonly string[] {
  const messages = body.at('messages').list();
  return messages.flatMap((message, at) => {
    const [role, content] = [message.at('role').text(), message.at('content').list()];
    const calls = content
      .filter((part) => part.at('type').text() === 'tool_use')
      .map((part) => part.at('id').text());
    const results = content
      .filter((part) => part.at('type').text() === 'tool_result')
      .map((part) => part.at('tool_use_id').text());
    const before =
      messages[at - 1]
        ?.at('content')
        .list()
        .filter((part) => part.at('type').text() === 'tool_use')
        .map((part) => part.at('id').text()) ?? [];
    const first = content.findIndex((part) => part.at('type').text() !== 'tool_result');
    return [
      ...(role === (at % 2 === 0 ? 'user' : 'assistant') ? [] : [`message ${at} is from ${role}`]),
      ...(content.length === 0 && message.at('content').text() === '' ? [`message ${at} is empty`] : []),
      ...content
        .filter((part) => part.at('type').text() === 'text' && part.at('text').text().trim() === '')
        .map(() => `message ${at} has an empty text`),
      ...(calls.length > 0 && at === messages.length - 1 ? [`calls at the end`] : []),
      ...(same(before, results)
        ? []
        : [`message ${at} answers ${results.join()} where ${before.join()} was called`]),
      ...(first >= 0 && first < results.length ? [`message ${at} has something before its results`] : []),
      ...(role === 'assistant' && content.at(-1)?.at('type').text() === 'thinking'
        ? [`message ${at} ends with a thought`]
        : []),
    ];
  });
}

function responses(body: JsonCursor): readonly string[] {
  const input = body.at('input').list();
  const ids = (type: string) =>
    input.filter((item) => item.at('type').text() === type).map((item) => item.at('call_id').text());
  const empty = input.filter(
    (item) =>
      item.at('role').there && item.at('content').list().length === 0 && item.at('content').text() === '',
  );
  const thoughts = input.filter(
    (item, at) =>
      item.at('type').text() === 'reasoning' &&
      (at === input.length - 1 || input[at + 1]?.at('role').text() === 'user'),
  );
  return [
    ...(same(ids('function_call'), ids('function_call_output'))
      ? []
      : [`calls ${ids('function_call').join()} have results ${ids('function_call_output').join()}`]),
    ...empty.map(() => 'an empty message'),
    ...thoughts.map(() => 'a thought that leads to nothing'),
  ];
}

function chat(body: JsonCursor): readonly string[] {
  const problems: string[] = [];
  let open: readonly string[] = [];
  body
    .at('messages')
    .list()
    .forEach((message, at) => {
      const role = message.at('role').text();
      if (role === 'tool') {
        const id = message.at('tool_call_id').text();
        if (!open.includes(id)) problems.push(`message ${at} answers ${id}, which was not called`);
        open = open.filter((each) => each !== id);
        return;
      }
      if (open.length > 0) problems.push(`message ${at} comes before the results of ${open.join()}`);
      open = message
        .at('tool_calls')
        .list()
        .map((call) => call.at('id').text());
      const said = message.at('content').text() !== '' || message.at('content').list().length > 0;
      if (!said && open.length === 0) problems.push(`message ${at} is empty`);
    });
  return open.length > 0 ? [...problems, `no results of ${open.join()}`] : problems;
}

function google(body: JsonCursor): readonly string[] {
  const contents = body.at('contents').list();
  const count = (content: JsonCursor | undefined, name: string) =>
    content
      ?.at('parts')
      .list()
      .filter((part) => part.at(name).there).length ?? 0;
  return contents.flatMap((content, at) => [
    // What a user says after the results of calls may follow them.
    ...(contents[at - 1]?.at('role').text() !== content.at('role').text() ||
    count(contents[at - 1], 'functionResponse') > 0
      ? []
      : [`content ${at} is from ${content.at('role').text()} again`]),
    ...(content.at('parts').list().length === 0 ? [`content ${at} is empty`] : []),
    ...(count(content, 'functionCall') === count(contents[at + 1], 'functionResponse')
      ? []
      : [
          `content ${at} calls ${count(content, 'functionCall')} and gets ` +
            `${count(contents[at + 1], 'functionResponse')}`,
        ]),
  ]);
}

function ollama(body: JsonCursor): readonly string[] {
  const problems: string[] = [];
  let open = 0;
  body
    .at('messages')
    .list()
    .forEach((message, at) => {
      const role = message.at('role').text();
      if (role === 'tool') {
        open -= 1;
        if (open < 0) problems.push(`message ${at} answers nothing`);
        return;
      }
      if (open > 0) problems.push(`message ${at} comes before ${open} results`);
      open = message.at('tool_calls').list().length;
      if (message.at('content').text() === '' && open === 0) problems.push(`message ${at} is empty`);
    });
  return open > 0 ? [...problems, `${open} results are missing`] : problems;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted());
}
