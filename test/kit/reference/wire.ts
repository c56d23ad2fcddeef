// The wire of the reference agent, written out by hand: one message a line.
export type Json = Record<string, unknown>;
export type Message = {
  id?: number | string;
  method?: string;
  params?: Json;
  result?: unknown;
  error?: { code: number; message: string };
};

/** What waits for an answer of the client. */
export const waiting = new Map<number, (answer: Message) => void>();

let lastId = 0;

export function nextId(): number {
  lastId += 1;
  return lastId;
}

export function request(method: string, params: Json): Promise<Message> {
  const id = nextId();
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

export function update(sessionId: string, what: Json): void {
  send({ method: 'session/update', params: { sessionId, update: what } });
}

export function send(message: Message): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

export function problem(code: number, message: string): Error & { code: number } {
  return Object.assign(new Error(message), { code });
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
