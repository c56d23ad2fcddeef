// The scripted host's web server for one test: it is stopped when the test ends.
import { afterEach } from 'vitest';
import { listen } from './server.ts';
import type { Served, ServeOptions } from './server.ts';
import type { ScriptedHost } from './scriptedHost.ts';

const running = new Set<Served>();

afterEach(async () => {
  await Promise.all([...running].map((served) => served.stop()));
  running.clear();
});

export async function serve(host: ScriptedHost, options: ServeOptions = {}): Promise<Served> {
  const served = await listen(host, options);
  running.add(served);
  return served;
}
