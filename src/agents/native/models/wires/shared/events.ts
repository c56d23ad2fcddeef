// Reads a stream of server-sent events, of lines or of binary frames into the parts of an answer. One read of the network is one step: nothing waits between the words of it.
import type { ModelPart } from '../../../model.ts';
import { Frames } from './frames.ts';
import type { Parts } from './parts.ts';
import { StreamCutOff, InvalidJson } from '../../errors/failures.ts';

/** One wire's way to read an answer. */
export interface Reader {
  /** Takes one event; throws what the provider reports as an error. */
  take(event: unknown, parts: Parts): void;
  /** The stream has ended; whoever knows only now that the answer is complete says so. */
  end?(parts: Parts): void;
}

export interface Streamed {
  readonly body: ReadableStream<Uint8Array>;
  readonly framing: 'events' | 'lines' | 'frames';
  readonly reader: Reader;
  readonly parts: Parts;
  /** Told of every sign of life. */
  readonly hear: () => void;
}

/** A line that would grow beyond this is no line of any protocol; pictures come in one line, and some providers repeat them all in the last. */
const longest = 64 * 1024 * 1024;

export async function* readStream({
  body,
  framing,
  reader,
  parts,
  hear,
}: Streamed): AsyncGenerator<readonly ModelPart[]> {
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
      // What came before something went wrong is still an answer.
      const made = parts.take();
      if (made.length > 0) yield made;
      if (parts.finished) return;
      if (failure) throw failure.cause;
      if (done) throw new StreamCutOff();
    }
  } finally {
    // Lets the connection go when nobody wants the rest.
    source.cancel().catch(() => {});
  }
}

/** Takes in what one read has brought; nothing is the end. */
type Feed = (chunk: Uint8Array | undefined) => void;

function frameFeed(reader: Reader, parts: Parts): Feed {
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
}: Pick<Streamed, 'reader' | 'parts'> & { readonly framing: 'events' | 'lines' }): Feed {
  const decoder = new TextDecoder();
  const take = (json: string) => (json === '[DONE]' ? reader.end?.(parts) : reader.take(parse(json), parts));
  const lines = framing === 'lines' ? plainLines(take) : eventLines(take);
  // A long line comes in many reads, and is put together once.
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

/** Returns what is left of an incomplete line. */
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
  { reader, parts }: Pick<Streamed, 'reader' | 'parts'>,
): void {
  if (!parts.finished) take(rest);
  if (!parts.finished) take('');
  if (!parts.finished) reader.end?.(parts);
}

function plainLines(take: (json: string) => void): (line: string) => void {
  return (line) => {
    // Gateways make events of lines.
    const json = line.replace(/^data:/, '').trim();
    if (json !== '') take(json);
  };
}

/** An event is complete with the empty line after it; only its data is of interest, since all wires repeat its name there. Errors have names of their own there. */
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
      // Some servers answer in one piece, whatever they were asked for.
      take(line);
    } else if (line === 'event: error' || line === 'event:error') {
      isError = true;
    }
  };
}

/** What a provider says about its failure, as an object or in plain words. */
function reported(json: string): unknown {
  try {
    const event: unknown = JSON.parse(json);
    return typeof event === 'object' && event !== null && 'error' in event ? event.error : event;
  } catch {
    return { message: json };
  }
}

/** What is no JSON at all may have been anything. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new InvalidJson(cause);
  }
}
