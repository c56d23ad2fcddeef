import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { agentEnvironment, environmentDifference } from './agentEnvironment.ts';

const own = {
  PATH: '/bin',
  HOME: '/home/u',
  SSH_AUTH_SOCK: '/run/ssh',
  DBUS_SESSION_BUS_ADDRESS: 'unix:x',
  WAYLAND_DISPLAY: 'w',
  BROWSER: 'firefox',
  https_proxy: 'http://p',
  CURL_CA_BUNDLE: '/ca.pem',
  AWS_PROFILE: 'work',
  MY_OWN: 'mine',
  NODE_OPTIONS: '--x',
  VSCODE_GIT_IPC_HANDLE: '/run/git',
  UNSET: undefined,
};
const secrets = { ANTHROPIC_API_KEY: 'a', GITHUB_TOKEN: 'g', PGPASSWORD: 'p', MISE_GITHUB_TOKEN: 'm' };
const ours = {
  PARLEY_HOME: '/p',
  PWD: '/',
  SHLVL: '2',
  npm_lifecycle_event: 'start',
  __MISE_DIFF: 'secrets',
};
const all = { ...own, ...secrets, ...ours, OPENAI_API_KEY: 'o' };
const agent = { inherits: ['OPENAI_*'], env: { BROWSER: 'none', EXTRA: '1' } };

test('an agent gets what a terminal gives it and its own keys, and no secrets of others', () => {
  const { UNSET: _, ...set } = own;
  expect(agentEnvironment(all, agent)).toEqual({ ...set, OPENAI_API_KEY: 'o', BROWSER: 'none', EXTRA: '1' });
});

test('the user names more that an agent gets, secrets too', () => {
  const named = { inherits: ['GITHUB_TOKEN', 'MISE_*'], env: { PGPASSWORD: 'other' } };
  expect(agentEnvironment(all, named)).toMatchObject({
    GITHUB_TOKEN: 'g',
    MISE_GITHUB_TOKEN: 'm',
    PGPASSWORD: 'other',
  });
});

test('the difference to the terminal is named', () => {
  expect(environmentDifference(all, agent)).toEqual({ secrets: Object.keys(secrets).toSorted(), others: [] });
});

describe('what direnv has set where the host was started', () => {
  const text = JSON.stringify({
    p: { PATH: '/bin', GONE: 'before' },
    n: { PATH: '/a:/bin', DATABASE: 'a', CHANGED: 'a' },
  });
  const loaded = {
    PATH: '/a:/bin',
    DATABASE: 'a',
    CHANGED: 'by hand',
    DIRENV_DIR: '-/a',
    DIRENV_DIFF: deflateSync(text).toString('base64url'),
  };

  test('is taken back for an agent, but for the folders of its programs', () => {
    expect(agentEnvironment(loaded, {})).toEqual({ PATH: '/a:/bin', GONE: 'before', CHANGED: 'by hand' });
    expect(environmentDifference(loaded, {})).toEqual({ secrets: [], others: ['DATABASE'] });
  });

  test.each([
    '',
    'nonsense',
    deflateSync('{"p":1}').toString('base64url'),
    deflateSync('[').toString('base64'),
  ])('stays where nobody can read it: %s', (DIRENV_DIFF) => {
    expect(agentEnvironment({ PATH: '/a:/bin', DIRENV_DIFF }, {})).toEqual({ PATH: '/a:/bin' });
  });
});

test('what makes an agent ask gives way to what the user has set', () => {
  const asking = { inherits: ['AGENT_*'], quirks: { askingEnv: { AGENT_PERMISSION: 'ask' } } };
  expect(agentEnvironment({}, asking)).toMatchObject({ AGENT_PERMISSION: 'ask' });
  expect(agentEnvironment({ AGENT_PERMISSION: '{}' }, asking)).toMatchObject({ AGENT_PERMISSION: '{}' });
  const set = { ...asking, env: { AGENT_PERMISSION: 'mine' } };
  expect(agentEnvironment({}, set)).toMatchObject({ AGENT_PERMISSION: 'mine' });
});
