// The service files: quoting, places and commands.
import { expect, test } from 'vitest';
import { serviceManager } from './serviceFiles.ts';
import type { ServiceMachine } from './serviceFiles.ts';

const machine: ServiceMachine = {
  platform: 'linux',
  home: '/home/me',
  uid: 501,
  env: { PATH: '/usr/bin:/home/me/my "bin"', PARLEY_HOME: '', SECRET_KEY: 'hidden' },
  program: ['/usr/bin/node', '/opt/50% off/$HOME/a\\b/parley.js'],
};

test('a unit of systemd runs the program as it is written, whatever its path contains', () => {
  const manager = serviceManager(machine);
  expect(manager?.file).toBe('/home/me/.config/systemd/user/parley.service');
  expect(manager?.text).toContain(
    'ExecStart="/usr/bin/node" "/opt/50%% off/$$HOME/a\\\\b/parley.js" "serve" "--no-open"\n',
  );
  expect(manager?.text).toContain('Environment="PATH=/usr/bin:/home/me/my \\"bin\\""\n');
  expect(manager?.text).not.toMatch(/PARLEY_HOME|SECRET_KEY|hidden/);
});

test('a folder of settings of its own is used, and passed on', () => {
  const manager = serviceManager({ ...machine, env: { XDG_CONFIG_HOME: '/etc/mine', PARLEY_HOME: '/data' } });
  expect(manager?.file).toBe('/etc/mine/systemd/user/parley.service');
  expect(manager?.text).toContain(
    'Environment="PARLEY_HOME=/data"\nEnvironment="XDG_CONFIG_HOME=/etc/mine"\n',
  );
});

test('a launch agent of macOS has the words as they are', () => {
  const manager = serviceManager({
    ...machine,
    platform: 'darwin',
    program: ['/usr/bin/node', '/a & <b>.js'],
  });
  expect(manager?.file).toBe('/home/me/Library/LaunchAgents/parley.host.plist');
  expect(manager?.text).toContain('    <string>/a &amp; &lt;b&gt;.js</string>\n    <string>serve</string>');
  expect(manager?.enable(true)).toEqual([['launchctl', 'bootstrap', 'gui/501', manager?.file]]);
  expect(manager?.enable(false)).toEqual([]);
});

test('other systems have none', () => {
  expect(serviceManager({ ...machine, platform: 'win32' })).toBeUndefined();
});
