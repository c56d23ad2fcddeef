// Agents as they are published do whole tasks inside the sandbox, and reach nothing outside it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fakeProvider } from '../kit/fakeProvider.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { newHome, visibleBase } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { ModelRequest, Reply } from '../kit/provider/reply.ts';
import { realAgents } from './agents.ts';
import { install } from './install.ts';

let home: Home;
let model: FakeProvider;

afterEach(async () => {
  await home.dispose();
  await model.close();
});

/** Those that our catalogue puts in the sandbox. */
const confined = realAgents.filter(({ id }) =>
  ['codex', 'opencode', 'gemini', 'goose', 'qwen', 'copilot'].includes(id),
);

test.each(confined)('$id does a whole task inside', { timeout: 240_000 }, async (agent) => {
  home = newHome(undefined, visibleBase());
  model = await fakeProvider();
  model.reply = unasked;
  install(agent, home, model.url);
  // Its program may be where the sandbox shows nothing, such as below /tmp.
  const hosts = [new URL(model.url).host];
  const settings = {
    agents: { [agent.id]: { folders: [import.meta.dirname], ...(isTold(agent) ? { hosts } : {}) } },
  };
  mkdirSync(join(home.dir, 'home'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home.dir, 'home', 'config.jsonc'), JSON.stringify(settings));
  const person = join(home.dir, 'person');
  mkdirSync(join(person, '.ssh'), { recursive: true });
  writeFileSync(join(person, '.ssh', 'id_rsa'), 'SECRET-KEY');
  const made = join(home.workspace, 'made.txt');
  const outside = join(person, 'outside.txt');
  // A line that names a key would ask.
  writeFileSync(
    join(home.workspace, 'task.sh'),
    `{ cat ${person}/.ssh/id_rsa; echo out > ${outside}; } > said.txt 2>&1; echo made > ${made}`,
  );
  const { code, out, err } = await home.run(
    'run',
    ...['--auto', '--agent', agent.id, '--cwd', home.workspace, '--json', 'RUN:sh task.sh'],
  ).done;
  expect(code, `${out}${err}`).toBe(0);
  expect(existsSync(made) && readFileSync(made, 'utf8'), out).toBe('made\n');
  expect(existsSync(outside)).toBe(false);
  const said = readFileSync(join(home.workspace, 'said.txt'), 'utf8');
  expect(said).toMatch(/id_rsa: No such file or directory[^]*(?:Read-only file system|Permission denied)/);
});

/** The address of the model is in the variables of some agents, and in a file of others. */
function isTold({ env }: (typeof realAgents)[number]): boolean {
  return !Object.values(env('http://127.0.0.1:1', '/')).some((value) =>
    value.startsWith('http://127.0.0.1:1'),
  );
}

/** Codex is not told to ask, which it could not do inside. */
function unasked({ results, tools }: ModelRequest): Reply | undefined {
  const runs = tools.find(({ name }) => name === 'exec_command' || name === 'shell_command');
  if (results.length > 0 || !runs) return undefined;
  const argument = runs.parameters.at('properties').keys().includes('cmd') ? 'cmd' : 'command';
  return [{ call: runs.name, input: { [argument]: 'sh task.sh' } }];
}
