// The published agents that only the matrix drives: they are large, or need a newer Node than ours, which its
// set-up installs. Data only.
import { delimiter, dirname, join } from 'node:path';
import type { RealAgent } from './agents.ts';

const { arch } = process;
const installed = join(import.meta.dirname, 'more', 'node_modules');
const newerNode = join(installed, `node-linux-${arch}`, 'bin', 'node');

export const moreAgents: readonly RealAgent[] = [
  {
    id: 'claude',
    command: 'claude-agent-acp',
    program: [newerNode, join(installed, '.bin', 'claude-agent-acp')],
    files: () => ({}),
    env: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'x',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    }),
  },
  {
    id: 'kilo',
    command: 'kilo',
    program: [join(installed, '@kilocode', `cli-linux-${arch}`, 'bin', 'kilo')],
    files: (model) => ({
      '.config/kilo/kilo.json': {
        autoupdate: false,
        share: 'disabled',
        model: 'fake/fake-large',
        small_model: 'fake/fake-small',
        enabled_providers: ['fake'],
        provider: {
          fake: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Fake',
            options: { baseURL: `${model}/v1`, apiKey: 'x' },
            models: { 'fake-large': { name: 'Large' }, 'fake-small': { name: 'Small' } },
          },
        },
      },
    }),
    env: () => ({ KILO_DISABLE_MODELS_FETCH: '1', KILO_DISABLE_AUTOUPDATE: '1' }),
  },
  {
    id: 'kimi',
    command: 'kimi',
    program: [newerNode, join(installed, '.bin', 'kimi')],
    files: (model) => ({
      '.kimi-code/config.toml':
        'default_model = "fake"\n[providers.fake]\ntype = "openai"\n' +
        `base_url = "${model}/v1"\napi_key = "x"\n[models.fake]\nprovider = "fake"\n` +
        'model = "fake-large"\nmax_context_size = 100000\n',
    }),
    env: () => ({}),
  },
  {
    id: 'pi',
    command: 'pi-acp',
    // It starts another program, which needs the newer Node, too.
    program: [
      'env',
      `PATH=${dirname(newerNode)}${delimiter}${process.env['PATH'] ?? ''}`,
      newerNode,
      join(installed, '.bin', 'pi-acp'),
    ],
    files: (model) => ({
      '.pi/agent/models.json': {
        providers: {
          fake: {
            baseUrl: `${model}/v1`,
            api: 'openai-completions',
            apiKey: 'x',
            models: [{ id: 'fake-large' }],
          },
        },
      },
      '.pi/agent/settings.json': { defaultProvider: 'fake', defaultModel: 'fake-large' },
    }),
    env: () => ({ PI_ACP_PI_COMMAND: join(installed, '.bin', 'pi'), PI_OFFLINE: '1' }),
  },
];
