import { expect, test } from 'vitest';
import { agentEnvironment, environmentDifference } from './agentEnvironment.ts';

const own = {
  PATH: '/bin',
  HOME: '/home/u',
  SSH_AUTH_SOCK: '/run/ssh',
  DBUS_SESSION_BUS_ADDRESS: 'unix:x',
  WAYLAND_DISPLAY: 'w',
  XDG_CURRENT_DESKTOP: 'x',
  BROWSER: 'firefox',
  HTTPS_PROXY: 'http://p',
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  GITHUB_TOKEN: 'g',
  MISE_GITHUB_TOKEN: 'm',
  MISE_SHELL: 'bash',
  LD_PRELOAD: '/evil.so',
  NODE_OPTIONS: '--x',
  PARLEY_HOME: '/p',
  UNSET: undefined,
};
const agent = { inherits: ['OPENAI_*'], env: { BROWSER: 'none', EXTRA: '1' } };

test('an agent gets what a terminal gives it and its own keys, and no secrets of others', () => {
  expect(agentEnvironment(own, agent)).toEqual({
    PATH: '/bin',
    HOME: '/home/u',
    SSH_AUTH_SOCK: '/run/ssh',
    DBUS_SESSION_BUS_ADDRESS: 'unix:x',
    WAYLAND_DISPLAY: 'w',
    XDG_CURRENT_DESKTOP: 'x',
    BROWSER: 'none',
    HTTPS_PROXY: 'http://p',
    OPENAI_API_KEY: 'o',
    MISE_SHELL: 'bash',
    EXTRA: '1',
  });
});

test('the difference to the terminal is named', () => {
  expect(environmentDifference(own, agent)).toEqual({
    secrets: ['ANTHROPIC_API_KEY', 'GITHUB_TOKEN', 'MISE_GITHUB_TOKEN'],
    others: ['LD_PRELOAD', 'NODE_OPTIONS'],
  });
});

test('what makes an agent ask gives way to what the user has set', () => {
  const asking = { inherits: ['AGENT_*'], quirks: { askingEnv: { AGENT_PERMISSION: 'ask' } } };
  expect(agentEnvironment({}, asking)).toMatchObject({ AGENT_PERMISSION: 'ask' });
  expect(agentEnvironment({ AGENT_PERMISSION: '{}' }, asking)).toMatchObject({ AGENT_PERMISSION: '{}' });
  const set = { ...asking, env: { AGENT_PERMISSION: 'mine' } };
  expect(agentEnvironment({}, set)).toMatchObject({ AGENT_PERMISSION: 'mine' });
});
