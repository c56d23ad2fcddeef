// One exchange with a provider: writes the request in its wire format, sends it and reads the
// answer as it arrives.
import type { ModelPart, ModelRequest } from '../../../model.ts';
import { AnswerTooLarge, UnexpectedContent, ErrorResponse } from '../../errors/failures.ts';
import type { ModelConnection, ModelResponse, Wire } from '../wire.ts';
import { readStream } from './events.ts';
import { Parts } from './parts.ts';

/**
 * Yields together the parts that arrived together. Throws all failures, including those that
 * the provider reports.
 */
export async function exchange(
  wire: Wire,
  request: ModelRequest,
  connection: ModelConnection,
): Promise<AsyncIterable<readonly ModelPart[]>> {
  const { url, headers, body: fields } = wire.write(request, connection);
  const { extra, credentials, transfer } = connection;
  const { fetch, signal } = transfer;
  const body = JSON.stringify({ ...fields, ...extra });
  const signature =
    wire.signed && credentials.key === undefined
      ? await credentials.sign?.({ url, body, headers })
      : undefined;
  const response = await fetch(url, {
    method: 'POST',
    signal,
    headers: { ...headers, ...signature },
    body,
    redirect: 'manual',
  });
  return readAnswer(response, wire, connection);
}

async function readAnswer(
  response: ModelResponse,
  wire: Wire,
  connection: ModelConnection,
): Promise<AsyncIterable<readonly ModelPart[]>> {
  const { body } = response;
  if (!response.ok || !body) {
    throw new ErrorResponse(
      response.status,
      Object.fromEntries(response.headers),
      await textOf(body, longestError),
    );
  }
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/html|^application\/xhtml/i.test(type)) throw new UnexpectedContent('a web page');
  const isJson = wire.framing !== 'lines' && /^application\/(?:problem\+)?json/i.test(type);
  if (!isJson) return read(body, wire, connection);
  const text = await textOf(body, longestAnswer);
  if (text.length > longestAnswer) throw new AnswerTooLarge();
  return readJson(text, wire, connection);
}

/** In characters. */
const longestError = 1_000_000;
const longestAnswer = 64 * 1024 * 1024;

/** The text of a body; little more than its beginning if it is longer than that, or never ends. */
async function textOf(body: ModelResponse['body'], most: number): Promise<string> {
  if (!body) return '';
  const source = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length <= most) {
    const { done, value } = await source.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  source.cancel().catch(() => {});
  return text;
}

/** Some servers label their events as JSON; others report a failure with status 200. */
function readJson(
  text: string,
  wire: Wire,
  connection: ModelConnection,
): AsyncIterable<readonly ModelPart[]> {
  const { body } = new Response(text);
  const isAnswer = /^\s*(?:data|event|id|retry)?:|"(?:choices|content)"\s*:\s*\[/.test(text);
  if (wire.framing === 'events' && body && isAnswer) return read(body, wire, connection);
  if (/"(?:error|message|detail)"\s*:/.test(text)) throw new ErrorResponse(400, {}, text);
  throw new UnexpectedContent('something else');
}

function read(
  body: NonNullable<ModelResponse['body']>,
  wire: Wire,
  connection: ModelConnection,
): AsyncIterable<readonly ModelPart[]> {
  const { hear } = connection.transfer;
  const parts = new Parts(connection.provider);
  return readStream({ body, framing: wire.framing, reader: wire.reader(connection), parts, hear });
}
