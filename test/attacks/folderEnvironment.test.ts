// Files in a folder that set variables, as other programs read them: none of them reaches the program.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newHome } from '../kit/parley.ts';

const home = newHome();
afterEach(() => home.dispose());

test('variables in the files of a folder do not reach the program', async () => {
  const evil = join(home.dir, 'evil');
  const variables = [
    `PARLEY_HOME=${evil}`,
    'HTTPS_PROXY=http://127.0.0.1:9',
    'ANTHROPIC_API_URL=http://127.0.0.1:9',
    'ANTHROPIC_API_KEY=from-the-folder',
    `NODE_EXTRA_CA_CERTS=${evil}`,
  ].join('\n');
  // The program is started in this folder.
  for (const name of ['.env', '.env.local', '.envrc']) writeFileSync(join(home.dir, name), variables);
  const shown = await home.run('config', 'show').done;
  const said = await home.run('run', 'say hello').done;
  expect([shown.code, said.code, said.out.trim()]).toEqual([0, 0, 'hello']);
  expect(`${shown.out}${shown.err}${said.err}`).not.toMatch(/evil|from-the-folder|127\.0\.0\.1:9\b/);
  expect([existsSync(evil), existsSync(join(String(home.env['PARLEY_HOME']), 'log.db'))]).toEqual([
    false,
    true,
  ]);
});
