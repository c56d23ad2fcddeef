import { describe, expect, test } from 'vitest';
import { isSecretVariable } from './secretVariables.ts';

describe('a name says that its value is a secret', () => {
  test.each([
    ...['ANTHROPIC_API_KEY', 'OPENAI_KEY', 'OPENAI_APIKEY', 'openai_api_key', 'openaiApiKey', 'GITHUB_TOKEN'],
    ...['GH_TOKEN', 'HF_TOKEN', 'NPM_TOKEN', 'npm_config__authToken', 'GITHUB_PAT', 'AWS_ACCESS_KEY_ID'],
    ...[
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
      'AWS_BEARER_TOKEN_BEDROCK',
      'GOOGLE_APPLICATION_CREDENTIALS',
    ],
    ...[
      'PGPASSWORD',
      'MYSQL_PWD',
      'SSHPASS',
      'DATABASE_PASSWORD',
      'DB_PASS',
      'GPG_PASSPHRASE',
      'DOCKER_AUTH_CONFIG',
    ],
    ...[
      'SLACK_WEBHOOK_URL',
      'SENTRY_DSN',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'ANTHROPIC_CUSTOM_HEADERS',
      'MY_JWT',
    ],
    ...[
      'AZURE_STORAGE_CONNECTION_STRING',
      'BW_SESSION',
      'OP_SESSION_my',
      'CREDENTIALS_DIRECTORY',
      'DJANGO_SECRET',
    ],
    ...['VSCODE_GIT_IPC_AUTH_TOKEN', 'STRIPE_SECRET_KEY', 'JWT_SECRET', 'CARGO_REGISTRY_TOKEN'],
  ])('%s', (name) => expect(isSecretVariable(name)).toBe(true));
});

describe('a name says nothing of a secret', () => {
  test.each([
    ...['PATH', 'HOME', 'PWD_DIR', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE', 'SSL_KEY_FILE'],
    ...[
      'SSH_AUTH_SOCK',
      'SSH_ASKPASS',
      'SSH_ASKPASS_REQUIRE',
      'GIT_ASKPASS',
      'SUDO_ASKPASS',
      'GIT_AUTHOR_NAME',
    ],
    ...[
      'DBUS_SESSION_BUS_ADDRESS',
      'DESKTOP_SESSION',
      'XDG_SESSION_ID',
      'GNOME_KEYRING_CONTROL',
      'XAUTHORITY',
    ],
    ...['AWS_PROFILE', 'AWS_REGION', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE', 'OPENAI_BASE_URL'],
    ...['MAX_TOKENS', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS', 'TOKENIZERS_PARALLELISM', 'KEYTIMEOUT', 'LESSKEY'],
    ...[
      'PASSWORD_STORE_DIR',
      'NEXT_PUBLIC_API_KEY',
      'DATABASE_URL',
      'NODE_OPTIONS',
      'HTTPS_PROXY',
      'MONKEY',
      '',
    ],
  ])('%s', (name) => expect(isSecretVariable(name)).toBe(false));
});
