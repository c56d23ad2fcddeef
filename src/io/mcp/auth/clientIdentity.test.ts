// By which name we register with a server: ours, or the one that the settings say.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openSecrets } from '../../auth/secrets.ts';
import { openSettings, settingsFiles } from '../../settings/open.ts';
import { Identity } from './clientIdentity.ts';
import { serverPlans } from '../serverPlans.ts';

test('a server that knows names is told the one of the settings', () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-tokens-'));
  const env = { PARLEY_HOME: directory };
  const { user } = settingsFiles(env);
  mkdirSync(dirname(user), { recursive: true });
  writeFileSync(
    user,
    JSON.stringify({
      mcpServers: {
        a: { url: 'https://a.example/mcp', clientName: 'Known' },
        b: { url: 'https://b.example/mcp' },
      },
    }),
  );
  const settings = openSettings({ env });
  const secrets = openSecrets(join(directory, 'secrets.json'));
  const plans = serverPlans({ roots: [] }, settings, { env: {}, stored: () => undefined });
  const names = plans.map(({ name, endpoint }) =>
    'url' in endpoint ? [name, new Identity({ endpoint, secrets }).clientMetadata.client_name] : [],
  );
  expect(names).toEqual([
    ['a', 'Known'],
    ['b', 'Parley'],
  ]);
  settings.close();
  rmSync(directory, { recursive: true, force: true });
});
