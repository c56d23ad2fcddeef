// The agents people use, as published, with a model of ours: what each is called, where its program lies and
// what it has to be told. Data only.
import { join } from 'node:path';

export interface RealAgent {
  /** Its name in our catalogue. */
  readonly id: string;
  readonly command: string;
  /** The command line behind the command that the catalogue names. */
  readonly program: readonly string[];
  /** Files of the home directory. */
  readonly files: (model: string) => { readonly [path: string]: string | object };
  readonly env: (model: string, home: string) => { readonly [name: string]: string };
}

const installed = join(import.meta.dirname, 'node_modules');
const foreign = join(import.meta.dirname, 'goose', 'node_modules');
const { arch } = process;

export const realAgents: readonly RealAgent[] = [
  {
    id: 'opencode',
    command: 'opencode',
    program: [join(installed, `opencode-linux-${arch}`, 'bin', 'opencode')],
    files: (model) => ({
      '.config/opencode/opencode.json': {
        autoupdate: false,
        share: 'disabled',
        model: 'fake/fake-large',
        small_model: 'fake/fake-small',
        enabled_providers: ['fake'],
        permission: { bash: 'ask', edit: 'ask' },
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
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
  },
  {
    // Its builds are for one architecture; elsewhere an emulator runs them.
    id: 'goose',
    command: 'goose',
    program: [
      ...(arch === 'x64' ? [] : ['qemu-x86_64']),
      join(foreign, '@aaif', 'goose-binary-linux-x64', 'bin', 'goose'),
    ],
    files: () => ({}),
    env: (model) => ({
      GOOSE_DISABLE_KEYRING: '1',
      OPENAI_API_KEY: 'x',
      OPENAI_HOST: model,
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: 'fake-large',
      GOOSE_MODE: 'approve',
      GOOSE_TELEMETRY_ENABLED: 'false',
    }),
  },
  {
    id: 'codex',
    command: 'codex-acp',
    program: [process.execPath, join(installed, '.bin', 'codex-acp')],
    files: (model) => ({
      '.codex/config.toml':
        'model = "fake-large"\nmodel_provider = "fake"\napproval_policy = "on-request"\nsandbox_mode = ' +
        '"read-only"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n' +
        `[model_providers.fake]\nname = "Fake"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key ` +
        '= "CODEX_FAKE_KEY"\n',
    }),
    env: (_model, home) => ({ CODEX_HOME: join(home, '.codex'), CODEX_FAKE_KEY: 'x' }),
  },
  {
    id: 'gemini',
    command: 'gemini',
    program: [process.execPath, join(installed, '.bin', 'gemini')],
    files: () => ({
      '.gemini/settings.json': {
        model: { name: 'gemini-2.5-flash' },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      },
    }),
    env: (model) => ({
      GEMINI_API_KEY: 'x',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  {
    id: 'copilot',
    command: 'copilot',
    program: [process.execPath, join(installed, '.bin', 'copilot')],
    files: () => ({}),
    env: (model) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'x',
      COPILOT_MODEL: 'fake-large',
    }),
  },
  {
    id: 'qwen',
    command: 'qwen',
    program: [process.execPath, join(installed, '.bin', 'qwen')],
    files: () => ({
      '.qwen/settings.json': {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      },
    }),
    env: (model) => ({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'fake-large' }),
  },
];
