import { expect, test } from 'vitest';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';
import { sourcedValues } from '../../io/settings/merge.ts';
import { reportSettings } from './reportSettings.ts';

test('a report has no secret, wherever the settings have it', () => {
  const values: WrittenSettings = {
    mcpServers: {
      a: {
        command: 'server',
        args: [
          '--api-key',
          'SECRET-1',
          '--token=SECRET-2',
          '-H',
          'X-Auth: SECRET-3',
          '--port',
          '80',
          '-p',
          'SECRET-16',
          '-pSECRET-17',
          '{"apiKey": "SECRET-19", "port": 1}',
          'ghp_SECRETabcdefgh0123',
        ],
        env: { GH_PAT: 'SECRET-4', DATABASE: 'postgres://u:SECRET-5@h/db', FROM: '${env:OTHER}' },
      },
      b: { url: 'https://mcp.example/x?api_key=SECRET-6&v=1#SECRET-18', headers: { 'X-Auth': 'SECRET-7' } },
    },
    agents: {
      n: { command: 'npx', args: ['-y', '@scope/agent', 'acp'] },
      s: { command: 'sh', args: ['-c', `MY_TOKEN=SECRET-20 DB_PASSWORD='SECRET 21' agent; echo MODE=fast`] },
      z: { command: 'zed', args: ['--key', 'SECRET-8'], env: { ZED: 'SECRET-9' } },
    },
    hooks: {
      h: {
        on: 'postToolCall',
        command: `curl -H 'Authorization: Basic SECRET-10' --password "SECRET-11" -u me:SECRET-12 x`,
      },
    },
    notifications: { webhook: 'https://ntfy.example/SECRET-13' },
    telemetry: { traces: 'https://me:SECRET-14@collector.example' },
    providers: { lab: { url: 'https://lab.example/v1', key: 'SECRET-15' } },
  };
  const shown = reportSettings(sourcedValues([{ source: 'file', values }]));
  expect(JSON.stringify(shown)).not.toContain('SECRET');
  const at = (key: string) => shown.find((each) => each.key === key)?.value;
  expect([
    at('mcpServers.a.command'),
    at('mcpServers.a.args[0]'),
    at('mcpServers.a.args[2]'),
    at('mcpServers.a.args[6]'),
    at('mcpServers.a.env.FROM'),
    at('mcpServers.a.args[10]'),
    at('agents.s.args[1]'),
    at('agents.n.args[1]'),
    at('mcpServers.b.url'),
    at('providers.lab.url'),
  ]).toEqual([
    'server',
    '--api-key',
    '--token=[hidden]',
    '80',
    '${env:OTHER}',
    '[hidden]',
    'MY_TOKEN=[hidden] DB_PASSWORD=[hidden] agent; echo MODE=fast',
    '@scope/agent',
    'https://mcp.example/x?api_key=[hidden]&v=[hidden]#[hidden]',
    'https://lab.example/v1',
  ]);
});
