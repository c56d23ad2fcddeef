// Sets up an agent as published for a home of a test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Home } from '../kit/parley.ts';
import type { RealAgent } from './agents.ts';

/** Puts the agent on the path under the name that people type, with a home directory of its own. */
export function install({ command, program, files, env }: RealAgent, home: Home, model: string): void {
  const person = join(home.dir, 'person');
  const put = (path: string, text: string, mode = 0o600) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  for (const [path, content] of Object.entries(files(model)))
    put(join(person, path), typeof content === 'string' ? content : JSON.stringify(content));
  const commands = join(home.dir, 'commands');
  // What they leave behind in it goes with the rest.
  const temporary = join(home.dir, 'temporary');
  mkdirSync(temporary, { recursive: true });
  put(
    join(commands, command),
    `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`,
    0o700,
  );
  Object.assign(home.env, {
    HOME: person,
    TMPDIR: temporary,
    PATH: `${commands}${delimiter}${home.env['PATH'] ?? ''}`,
    NO_PROXY: '127.0.0.1',
    ...env(model, person),
  });
}
