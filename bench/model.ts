// A model on loopback that speaks the chat wire of OpenAI. The prompt says what it does: `paced COUNT MS`
// sends a word every so many milliseconds with the time in it, `burst COUNT` sends as fast as it can, and
// `tools COUNT` asks for a file that many times before it ends.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface PacedModel {
  /** With its path, as settings have it. */
  readonly url: string;
  /** When each request came. */
  readonly asked: readonly number[];
  close(): void;
}

export async function pacedModel(): Promise<PacedModel> {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, asked).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    asked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface AskedMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
}

const parse: (text: string) => { readonly messages: readonly AskedMessage[] } = JSON.parse;

async function answer(request: IncomingMessage, response: ServerResponse, asked: number[]): Promise<void> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  if (request.method !== 'POST') return void response.end('{"object":"list","data":[{"id":"m"}]}');
  asked.push(performance.now());
  const { messages } = parse(text);
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const [, how = '', count = '1', pause = '0'] =
    /(paced|burst|tools) (\d+)(?: (\d+))?/.exec(wordsOf(messages[start])) ?? [];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const rounds = messages.slice(start).filter(({ role }) => role === 'tool').length;
  if (how === 'tools' && rounds < Number(count)) return finish(response, 'tool_calls', toolCall(rounds));
  const words = how === 'tools' ? 1 : Number(count);
  const began = performance.now();
  for (let n = 0; n < words; n += 1) {
    if (how === 'paced') await wait(Math.max(0, began + n * Number(pause) - performance.now()));
    const isFull = !response.write(chunkOf({ content: `${performance.now().toFixed(3)} ` }));
    if (isFull) await new Promise((resolve) => response.once('drain', resolve));
  }
  finish(response, 'stop', {});
}

function wordsOf(message: AskedMessage | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(' ');
}

function toolCall(round: number): object {
  const call = { name: 'read_file', arguments: '{"path":"a.txt"}' };
  return { tool_calls: [{ index: 0, id: `call-${round}`, type: 'function', function: call }] };
}

function finish(response: ServerResponse, reason: string, delta: object): void {
  response.end(`${chunkOf(delta)}${chunkOf({}, reason)}data: [DONE]\n\n`);
}

function chunkOf(delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices })}\n\n`;
}
