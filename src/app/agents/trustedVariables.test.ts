import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore, withoutSettings } from '../../io/settings/trust.ts';
import { trustedVariables } from './trustedVariables.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-trusted-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a folder adds its variables once it is trusted, without keys of other providers', async () => {
  const env = { PARLEY_HOME: join(folder, 'home'), PATH: `${folder}:/usr/bin:/bin` };
  writeFileSync(join(folder, '.envrc'), '');
  writeFileSync(
    join(folder, 'direnv'),
    `#!/bin/sh\necho '{"DATABASE":"d","AWS_PROFILE":"p","OPENAI_API_KEY":"o","ANTHROPIC_API_KEY":"a"}'\n`,
  );
  chmodSync(join(folder, 'direnv'), 0o755);
  const codex = {
    id: 'codex',
    name: 'Codex',
    description: '',
    command: 'codex-acp',
    args: [],
    inherits: ['OPENAI_*'],
  };
  const variables = () =>
    trustedVariables({ cwd: folder }, codex, {
      env,
      report: (problem) => {
        throw problem;
      },
    });
  expect(await variables()).toEqual({});
  trustStore(settingsFiles(env).trust).trust(folder, withoutSettings);
  expect(await variables()).toEqual({ DATABASE: 'd', AWS_PROFILE: 'p', OPENAI_API_KEY: 'o' });
});
