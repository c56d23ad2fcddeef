// Parses a stream of server-sent events, lines or binary frames into parts. All parts of one network read
// are yielded together.
import type { ModelPart } from '../../../model.ts';
import { Frames } from './frames.ts';
import type { Parts } from './parts.ts';
import { parseAnswer } from './answerJson.ts';
import { StreamCutOff } from '../../errors/failures.ts';
import type { ByteReader } from '../wire.ts';

/** Parses the events of one wire format. */
export interface EventReader {
  /** Processes one event. Throws errors that the provider reports. */
  take(event: unknown, parts: Parts): void;
  /** Called at the end of the stream; a reader without a final event finishes the answer here. */
  end?(parts: Parts): void;
}

export interface EventStream {
  readonly body: { getReader(): ByteReader };
  readonly framing: 'events' | 'lines' | 'frames';
  readonly reader: EventReader;
  readonly parts: Parts;
  /** Called for every read. */
  readonly hear: () => void;
}

/** The longest line. An image is one line, and some providers repeat all images in the last line. */
const longest = 64 * 1024 * 1024;

export async function* readStream({
  body,
  framing,
  reader,
  parts,
  hear,
}: EventStream): AsyncGenerator<readonly ModelPart[]> {
  const source = body.getReader();
  const feed = framing === 'frames' ? frameFeed(reader, parts) : lineFeed({ framing, reader, parts });
  try {
    for (;;) {
      const { done, value } = await source.read();
      hear();
      let failure: { readonly cause: unknown } | undefined;
      try {
        feed(done ? undefined : value);
      } catch (cause) {
        failure = { cause };
      }
      // Parts before the failure are still delivered.
      const made = parts.take();
      if (made.length > 0) yield made;
      if (parts.finished) return;
      if (failure) throw failure.cause;
      if (done) throw new StreamCutOff();
    }
  } finally {
    // Releases the connection if the rest is not read.
    source.cancel().catch(() => {});
  }
}

/** Processes the bytes of one read; undefined is the end of the stream. */
type Feed = (chunk: Uint8Array | undefined) => void;

function frameFeed(reader: EventReader, parts: Parts): Feed {
  const frames = new Frames((event) => {
    if (!parts.finished) reader.take(event, parts);
  });
  return (chunk) => {
    if (chunk) frames.feed(chunk);
    else if (!parts.finished) reader.end?.(parts);
  };
}

function lineFeed({
  framing,
  reader,
  parts,
}: Pick<EventStream, 'reader' | 'parts'> & { readonly framing: 'events' | 'lines' }): Feed {
  const decoder = new TextDecoder();
  const take = (json: string) =>
    json === '[DONE]' ? reader.end?.(parts) : reader.take(parseAnswer(json), parts);
  const lines = framing === 'lines' ? plainLines(take) : eventLines(take);
  // A long line arrives in many reads and is joined once.
  let begun: string[] = [];
  let length = 0;
  return (chunk) => {
    const text = chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    begun.push(text);
    length += text.length;
    if (length > longest) throw new Error('A line of the answer is too long.');
    if (chunk && !text.includes('\n')) return;
    const rest = eachLine(begun.join(''), lines, parts);
    if (!chunk) finish(rest, lines, { reader, parts });
    begun = rest === '' ? [] : [rest];
    length = rest.length;
  };
}

const carriageReturn = 13;

/** Returns the incomplete last line. */
function eachLine(text: string, take: (line: string) => void, parts: Parts): string {
  let from = 0;
  for (let at = text.indexOf('\n'); at >= 0 && !parts.finished; at = text.indexOf('\n', from)) {
    take(text.slice(from, text.charCodeAt(at - 1) === carriageReturn ? at - 1 : at));
    from = at + 1;
  }
  return text.slice(from);
}

function finish(
  rest: string,
  take: (line: string) => void,
  { reader, parts }: Pick<EventStream, 'reader' | 'parts'>,
): void {
  if (!parts.finished) take(rest);
  if (!parts.finished) take('');
  if (!parts.finished) reader.end?.(parts);
}

function plainLines(take: (json: string) => void): (line: string) => void {
  return (line) => {
    // Some gateways turn lines into events.
    const json = line.replace(/^data:/, '').trim();
    if (json !== '') take(json);
  };
}

/**
 * An empty line completes an event. Only its data is used, since every wire repeats the event name there;
 * `error` is the exception.
 */
function eventLines(take: (json: string) => void): (line: string) => void {
  let data: string | undefined;
  let isError = false;
  return (line) => {
    if (line === '') {
      const json = data;
      const failed = isError;
      data = undefined;
      isError = false;
      if (json !== undefined && failed) throw reported(json);
      if (json !== undefined) take(json);
    } else if (line.startsWith('data:')) {
      const more = line.startsWith(' ', 5) ? line.slice(6) : line.slice(5);
      data = data === undefined ? more : `${data}\n${more}`;
    } else if (line.startsWith('{')) {
      // Some servers do not stream, although the request asks for it.
      take(line);
    } else if (line === 'event: error' || line === 'event:error') {
      isError = true;
    }
  };
}

/** The error that a provider reports, as an object or as plain text. */
function reported(json: string): unknown {
  try {
    const event = parseAnswer(json);
    return typeof event === 'object' && event !== null && 'error' in event ? event.error : event;
  } catch {
    return { message: json };
  }
}
