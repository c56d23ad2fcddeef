// One exchange with a provider: writes the request in its wire format, sends it and reads the
// answer as it arrives.
import type { ModelPart, ModelRequest } from '../../../model.ts';
import { UnexpectedContent, ErrorResponse } from '../../errors/failures.ts';
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
    throw new ErrorResponse(response.status, Object.fromEntries(response.headers), await response.text());
  }
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/html|^application\/xhtml/i.test(type)) throw new UnexpectedContent('a web page');
  const isJson = wire.framing !== 'lines' && /^application\/(?:problem\+)?json/i.test(type);
  return isJson ? readJson(await response.text(), wire, connection) : read(body, wire, connection);
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
