// What a remote server may send, and where it may send us.
import { expect, test } from 'vitest';
import { longestMessage } from './programTransport.ts';
import { watchedFetch } from './watchedFetch.ts';

/** Reads what a server sends piece by piece, and how much of it arrives. */
async function read(type: string, pieces: (at: number) => string | undefined): Promise<number | string> {
  let at = 0;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces(at);
      at += 1;
      if (piece === undefined) controller.close();
      else controller.enqueue(encoder.encode(piece));
    },
  });
  const answer = () => Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
  const response = await watchedFetch(answer).fetch('https://a.example');
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
    return bytes;
  } catch (error) {
    return bytes > longestMessage ? `${bytes} bytes arrived` : String(error);
  }
}

const piece = 'a'.repeat(1 << 20);
const stream = 'text/event-stream';

test.each<[string, string, (at: number) => string]>([
  ['an answer without an end', 'application/json', () => piece],
  ['an event without an end', stream, () => piece],
  ['an event of lines without an end', stream, () => `data: ${piece}\n`],
  ['an event with short lines that end nothing', stream, () => `data: ${piece}\na\n`],
  ['an event with line breaks between the pieces', stream, (at) => (at % 2 === 0 ? `data: ${piece}` : '\n')],
])('%s is cut off', async (_, type, pieces) => {
  expect(await read(type, (at) => (at < 200 ? pieces(at) : undefined))).toMatch(/more than 16777216 bytes/);
});

test.each<[string, (at: number) => string]>([
  ['whole events', () => `data: ${piece}\n\n`],
  ['events with the line breaks of another system', () => `data: ${piece}\r\n\r\n`],
  ['events that end between two pieces', (at) => ['data: ', piece, '\r\n', '\r', '\n'][at % 5] ?? ''],
])('a stream may bring any number of %s', async (_, pieces) => {
  expect(await read(stream, (at) => (at < 100 ? pieces(at) : undefined))).toBeGreaterThan(longestMessage);
});

test('a server that is reached with encryption names no address without it', async () => {
  const asked: string[] = [];
  const ask = (url: string | URL | Request) => {
    asked.push(url instanceof Request ? url.url : String(url));
    return Promise.resolve(new Response('{}'));
  };
  const of = (server: string) => watchedFetch(ask, server).fetch;
  await expect(of('https://mcp.example/mcp')('http://169.254.169.254/latest')).rejects.toThrow(/encryption/);
  await expect(of('https://mcp.example/mcp')(new URL('http://127.0.0.1:9/'))).rejects.toThrow(/encryption/);
  await of('https://mcp.example/mcp')('https://login.example/');
  await of('http://127.0.0.1:1/mcp')('http://127.0.0.1:2/');
  expect(asked).toEqual(['https://login.example/', 'http://127.0.0.1:2/']);
});
