// The stream of the remote API over a real socket: what it says while nothing happens, and that it lets go.
import { expect, test } from 'vitest';
import { listenRest } from './restServer.ts';

test('a quiet stream beats, and is left when the browser goes', async () => {
  let listeners = 0;
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const server = await listenRest({
    bind: '127.0.0.1',
    ports: [0],
    names: [],
    origins: [],
    password: 'p',
    version: '1',
    page: () => '/',
    heartbeat: 20,
    api: {
      answer: () => Promise.resolve({ status: 204 }),
      listen: (listener) => {
        listeners += 1;
        listener({ event: 'session:connected', data: {} });
        return leave;
      },
    },
  });
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/events`, {
    headers: { authorization: 'Bearer p' },
  });
  const pieces = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  for (let over = false; !over && heard.split(': heartbeat\n\n').length < 3;) {
    const piece = await pieces?.read();
    heard += piece?.value ?? '';
    over = piece?.done ?? true;
  }
  expect(heard).toMatch(/^event: session:connected\ndata: \{\}\n\n(?:: heartbeat\n\n){2,}$/);
  await pieces?.cancel();
  await left;
  expect(listeners).toBe(1);
  server.close();
});
