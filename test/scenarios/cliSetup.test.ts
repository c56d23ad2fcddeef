// `parley setup`, `parley doctor` and `parley mcp` of the real program, in homes of their own.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { terminals } from '../../src/io/pty/pty.ts';
import { run } from '../contracts/terminals.ts';
import { bundle } from '../kit/bundle.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { expectWithin } from '../kit/timeLimit.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'parley.js');

// Several programs are started one after the other, which takes its time where many others do the same.
let home: Home;
beforeEach(() => {
  home = newHome();
  Object.assign(home.env, { HOME: home.dir, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` });
  delete home.env['XDG_CONFIG_HOME'];
});
afterEach(() => home.dispose());

const at = (...parts: readonly string[]) => join(home.dir, ...parts);
const written = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const read = (path: string) => readFileSync(at(path), 'utf8');

test('a provider that is misspelt in the list of login is answered with the nearest one', async () => {
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [home.program, 'login'] },
    { cwd: home.dir, env: { PARLEY_HOME: at('home'), HOME: home.dir } },
  );
  await one.said('which provider? ');
  one.pty.write('openruter\r');
  expect(await one.end).toEqual({ exitCode: 2 });
  expect(one.text()).toContain('Unknown provider "openruter". Did you mean openrouter?');
});

test.each(['\u0004', '\u0003'])(
  'whoever leaves the question of login by %j has saved nothing',
  async (key) => {
    const one = await run(
      terminals({ env: home.env }),
      { kind: 'file', file: process.execPath, args: [home.program, 'login'] },
      { cwd: home.dir, env: { PARLEY_HOME: at('home'), HOME: home.dir } },
    );
    await one.said('which provider? ');
    one.pty.write(key);
    expect(await one.end).toEqual({ exitCode: 4 });
    expect(one.text()).toContain('\r\nparley: Nothing was saved.\r\n');
  },
);

describe('setup', () => {
  test('leaves a file alone that its owner has made read-only', async () => {
    const text = '// Mine.\n{ "theme": "One" }\n';
    written('.config/zed/settings.json', text);
    chmodSync(at('.config/zed/settings.json'), 0o444);
    const { code, err } = await home.run('setup', 'zed', '--yes').done;
    expect(code).toBe(1);
    expect(err).toContain('settings.json is read-only. Nothing was written');
    expect(read('.config/zed/settings.json')).toBe(text);
    expect(readdirSync(at('.config/zed'))).toEqual(['settings.json']);
  });

  const acp = () => ({ command: program, args: ['acp'], env: { PARLEY_HOME: at('home') } });

  // Every way leads to the same host.
  const otherWays = (editor: string): readonly string[] =>
    ({
      emacs: [
        `(agent-shell--make-acp-client :command "${program}" :command-params '("acp")`,
        `:environment-variables '("PARLEY_HOME=${at('home')}")`,
      ],
      nvim: [
        `commands = { default = { "${program}", "acp" } }`,
        `formatted_name = "Parley", env = { PARLEY_HOME = "${at('home')}" },`,
        `command = "${program}", args = { "acp" }, env = { PARLEY_HOME = "${at('home')}" } } }`,
      ],
      vscode: [
        '"chat.remoteAgentHosts": [{ "name": "Parley", "address": "ws://ADDRESS", "connectionToken": "TOKEN" }]',
      ],
      jetbrains: ['Add Custom Agent'],
    })[editor] ?? [];

  test.each<
    [editor: string, file: string, text: { readonly before: string; readonly check: (after: string) => void }]
  >([
    [
      'emacs',
      '.emacs.d/init.el',
      {
        before: ';; mine\n(setq x 1)',
        check: (text) =>
          expect(text).toBe(
            `;; mine\n(setq x 1)\n\n;; parley setup: begin\n(setenv "PARLEY_HOME" "${at('home')}")\n(setq eca-custom-command '("${program}" ` +
              '"server"))\n;; parley setup: end\n',
          ),
      },
    ],
    [
      'nvim',
      '.config/nvim/init.lua',
      {
        before: '-- mine\n',
        check: (text) =>
          expect(text).toContain(
            `-- mine\n\n-- parley setup: begin\nvim.env.PARLEY_HOME = "${at('home')}"\n` +
              'do\n  local found, eca = pcall(require, "eca")\n  if ' +
              `found then eca.setup({ server_path = "${program}" }) end\nend\n-- parley setup: end\n`,
          ),
      },
    ],
    [
      'vscode',
      '.config/Code/User/settings.json',
      {
        before: '{\n  // mine\n  "editor.tabSize": 2, // two\n  "x": 1,\n}\n',
        check: (text) => {
          expect(text).toContain('// mine\n  "editor.tabSize": 2, // two');
          const parsed = JSON.parse(text.replace(/ *\/\/.*$/gm, '').replace(/,(\s*})/g, '$1')) as object;
          expect(parsed).toEqual({
            'editor.tabSize': 2,
            x: 1,
            'eca.serverPath': program,
            'acp.agents': { Parley: acp() },
          });
        },
      },
    ],
    [
      'zed',
      '.config/zed/settings.json',
      {
        before: '',
        check: (text) =>
          expect(JSON.parse(text)).toEqual({ agent_servers: { Parley: { type: 'custom', ...acp() } } }),
      },
    ],
    [
      'jetbrains',
      '.jetbrains/acp.json',
      {
        before: '{ "agent_servers": { "Other": { "command": "x" } } }',
        check: (text) =>
          expect(JSON.parse(text)).toEqual({ agent_servers: { Other: { command: 'x' }, Parley: acp() } }),
      },
    ],
  ])(
    '%s: printed, refused, written with a copy, tried, and not written twice',
    async (editor, file, { before, check }) => {
      if (before !== '') written(file, before);
      const printed = await home.run('setup', editor, '--print').done;
      expect([printed.code, printed.err]).toEqual([0, '']);
      expect(printed.out).toContain(at(file));
      expect(printed.out).toContain(program);
      for (const form of otherWays(editor)) expect(printed.out).toContain(form);
      const asked = home.run('setup', editor);
      asked.child.stdin?.end('n\n');
      expect(await asked.done).toMatchObject({
        code: 4,
        err: expect.stringContaining('Nothing was written'),
      });
      expect(existsSync(at(file)) ? read(file) : '').toBe(before);

      const agreed = home.run('setup', editor);
      agreed.child.stdin?.end('y\n');
      const done = await agreed.done;
      expect([done.code, done.out]).toEqual([0, expect.stringMatching(/Tested \S+ \w+ \(\d+ ms\)/)]);
      check(read(file));
      const text = read(file);
      expect(await home.run('setup', editor, '--yes').done).toMatchObject({
        code: 0,
        out: expect.stringContaining('is already set up'),
        err: '',
      });
      expect(read(file)).toBe(text);
      expect(await home.run('setup', editor, '--remove', '--yes').done).toMatchObject({ code: 0, err: '' });
      // A file that setup has made goes, with its folder; every other one is as it was.
      expect(existsSync(before === '' ? dirname(at(file)) : at(file))).toBe(before !== '');
      expect((await home.run('setup', editor, '--remove').done).out).toContain('has nothing of Parley');
      if (before === '') return;
      expect(read(file)).toBe(before);
      const kept = readdirSync(dirname(at(file))).filter((name) => name.includes('before-parley'));
      expect(kept.map((name) => readFileSync(join(dirname(at(file)), name), 'utf8'))).toEqual([before, text]);
    },
  );

  test('what setup has replaced comes back, and what was changed since stays', async () => {
    const file = '.config/Code/User/settings.json';
    const text = '{ "eca.serverPath": "/opt/eca", "acp.agents": { }, "x": [ ] }  ';
    written(file, text);
    const remove = () => home.run('setup', 'vscode', '--remove', '--yes').done;
    expect(await home.run('setup', 'vscode', '--yes').done).toMatchObject({ code: 0, err: '' });
    expect(await remove()).toMatchObject({ code: 0, err: '' });
    expect(read(file)).toBe(text);
    expect(await home.run('setup', 'vscode', '--yes').done).toMatchObject({ code: 0, err: '' });
    const changed = read(file).replace(/"eca\.serverPath": "[^"]*"/, '"eca.serverPath": "/mine/eca"');
    written(file, changed.replace('"x": [ ]', '"x": [ 1 ]'));
    expect(await remove()).toMatchObject({ code: 0, err: '' });
    expect(read(file)).toBe('{ "eca.serverPath": "/mine/eca", "x": [ 1 ] }  ');
  });

  test('settings elsewhere are found, and a link stays one', async () => {
    home.env['XDG_CONFIG_HOME'] = at('xdg');
    written('dotfiles/zed.json', '{}\n');
    mkdirSync(at('xdg', 'zed'), { recursive: true });
    symlinkSync(at('dotfiles', 'zed.json'), at('xdg', 'zed', 'settings.json'));
    expect(await home.run('setup', 'zed', '--yes').done).toMatchObject({ code: 0, err: '' });
    expect(read('dotfiles/zed.json')).toContain('Parley');
    expect(read('xdg/zed/settings.json')).toBe(read('dotfiles/zed.json'));
    expect(await home.run('setup', 'zed', '--remove', '--yes').done).toMatchObject({ code: 0, err: '' });
    expect(read('xdg/zed/settings.json')).toBe('{}\n');
  });

  test.each(['', 'n\n'])('a question that is answered with %j ends its line', async (answer) => {
    const asked = home.run('setup', 'zed');
    asked.child.stdin?.end(answer);
    expect((await asked.done).err).toBe('Write this? [y/N] \nparley: Nothing was written.\n');
  });

  test('a file that is broken is left alone', async () => {
    written('.config/zed/settings.json', '{\n  "theme": "One Dark"\n  oops\n}\n');
    expect(await home.run('setup', 'zed', '--yes').done).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /zed\/settings\.json is not valid JSON .* in line 3 .*\. Fix it and try again\./,
      ),
    });
    expect(read('.config/zed/settings.json')).toBe('{\n  "theme": "One Dark"\n  oops\n}\n');
  });

  test('what stands in the way is said in words, and nothing is written', async () => {
    written('.config/zed', 'mine');
    expect(await home.run('setup', 'zed', '--yes').done).toMatchObject({
      code: 1,
      err:
        `parley: ${at('.config/zed/settings.json')} has a parent that is a file, not a directory. ` +
        'Nothing was written; make the change that is shown by hand.\n',
    });
    written('.config/systemd', 'mine');
    expect(await home.run('service', 'install').done).toMatchObject({
      code: 1,
      err: `parley: ${at('.config/systemd/user')} is not a directory.\n`,
    });
    expect([read('.config/zed'), read('.config/systemd')]).toEqual(['mine', 'mine']);
  });

  test('an entry that the user has extended keeps what is in it', async () => {
    const entry = (command: string, env: string) =>
      `{\n\t"agent_servers": {\n\t\t"Parley": { // mine\n\t\t\t"command": "${command}",\n\t\t\t"args": ["acp"],\n` +
      `\t\t\t"env": { "KEY": "k", "PARLEY_HOME": "${env}" }\n\t\t}\n\t}\n}\n`;
    written('.jetbrains/acp.json', entry('/old/parley', '/old/home'));
    expect(await home.run('setup', 'jetbrains', '--yes').done).toMatchObject({ code: 0, err: '' });
    expect(read('.jetbrains/acp.json')).toBe(entry(program, at('home')));
  });

  test.each<[readonly string[], RegExp]>([
    [[], /Missing editor/],
    [['ed'], /Unknown editor "ed"\. Supported: emacs/],
    [['zed', 'more'], /Unexpected argument/],
    [['zed', '--nonsense'], /nonsense/],
  ])('setup %j is wrong usage', async (args, err) => {
    const ran = await home.run('setup', ...args).done;
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(err);
  });
});

test.runIf(process.platform === 'linux').each([['run', 'hi'], ['token'], ['chat'], ['serve'], ['acp']])(
  'parley %s ends with a word about a data directory that cannot be made',
  async (...args) => {
    home.env['PARLEY_HOME'] = '/proc/nope';
    const { code, err } = await home.run(...args).done;
    expect([code, err]).toEqual([
      expect.toSatisfy((end) => end === 1 || end === 3),
      expect.stringContaining('/proc/nope'),
    ]);
  },
);

describe('doctor', () => {
  interface Report {
    readonly ok: boolean;
    readonly findings: readonly {
      readonly name: string;
      readonly state: string;
      readonly words: string;
      readonly fix?: string;
    }[];
  }
  const report = async () => {
    const { code, out, err } = await home.doctor('--json');
    const found = JSON.parse(out) as Report;
    expect([code, err]).toEqual([found.ok ? 0 : 1, '']);
    return found;
  };

  test('finds nothing broken on a fresh machine, with and without a host, and makes nothing', async () => {
    const fresh = await home.doctor();
    expect([fresh.code, fresh.err]).toEqual([0, '']);
    expect(fresh.out).toContain('host not running');
    expect(fresh.out).toContain('No problems found.');
    expect(existsSync(at('home'))).toBe(false);
    await home.serve();
    const { ok, findings } = await report();
    expect(ok).toBe(true);
    expect(findings.find(({ name }) => name === 'host')?.words).toContain('running (pid');
    expect(findings.find(({ name }) => name === 'port')?.words).toContain('the console answers');
    expect(findings.find(({ name }) => name === 'store')?.words).toBe('0 sessions');
    await home.run('stop').done;
    expect((await report()).findings.find(({ name }) => name === 'store')?.words).toBe('store ok');
  });

  test('says what is broken and how to fix it', async () => {
    await home.run('run', 'say Hello.').done;
    await home.run('stop').done;
    chmodSync(at('home', 'token'), 0o644);
    written('home/config.jsonc', '{ oops');
    const log = readFileSync(at('home', 'log.db'));
    writeFileSync(at('home', 'log.db'), log.fill(0x5a, 100, 4_000));
    const { ok, findings } = await report();
    expect(ok).toBe(false);
    const broken = findings.filter(({ state }) => state === 'broken');
    expect(broken.map(({ name }) => name)).toEqual(['data', 'settings', 'store']);
    expect(broken[0]).toMatchObject({ fix: `chmod go-rwx ${at('home', 'token')}` });
    expect((await home.doctor()).out).toContain('3 problems found.');
  });

  test('says that the file of a certificate is missing, as a request would', async () => {
    written('home/config.jsonc', JSON.stringify({ network: { ca: at('company-ca.pem') } }));
    chmodSync(at('home'), 0o700);
    const { ok, findings } = await report();
    expect(ok).toBe(false);
    expect(findings.filter(({ state }) => state === 'broken')).toEqual([
      {
        name: 'settings',
        state: 'broken',
        words: `Requests to https addresses fail: ${at('company-ca.pem')} does not exist.`,
        fix: expect.stringContaining('network.ca'),
      },
    ]);
  });

  test.runIf(process.platform === 'linux')(
    'leaves nothing behind where a sandbox takes too long to be tried',
    () => {
      written('slow', '#!/bin/sh\nsleep 8\n');
      chmodSync(at('slow'), 0o755);
      mkdirSync(at('tmp'));
      const inPlace = ['--dev-bind', '/', '/', '--ro-bind', at('slow'), '/usr/bin/bwrap'];
      const out = execFileSync('/usr/bin/bwrap', [...inPlace, process.execPath, home.program, 'doctor'], {
        env: { ...home.env, TMPDIR: at('tmp') },
        encoding: 'utf8',
      });
      expect(out).toMatch(/unknown sandbox +not known in time/);
      expect(out).toMatch(/No problems found; \d+ checks? did not end in time\./);
      expect(readdirSync(at('tmp'))).toEqual([]);
    },
  );

  test('ends within its time beside a server that never answers, and says each cause once', async () => {
    const silent = ['-e', 'setInterval(() => {}, 1000)'];
    written(
      'home/config.jsonc',
      JSON.stringify({
        mcpServers: {
          silent: { command: process.execPath, args: silent },
          gone: { url: 'http://127.0.0.1:9/mcp' },
        },
        agents: { silent: { command: process.execPath, args: silent } },
      }),
    );
    const begin = performance.now();
    const { code, out } = await home.run('doctor').done;
    expect(code).toBe(1);
    // Five seconds, and what it takes to start and end the programs.
    await expectWithin(10_000, begin);
    expect(out).toMatch(/mcp +silent is not running: It did not answer within \d\.\d s\./);
    expect(out).toMatch(/agents +silent does not work: /);
    expect(out).not.toMatch(/(\w+ failed): \1/);
  });

  test('counts its time from the start of the program, which takes long on a busy machine', async () => {
    const silent = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
    written('home/config.jsonc', JSON.stringify({ mcpServers: { silent }, agents: { silent } }));
    written(
      'slow.cjs',
      `if (process.argv.at(-1) === 'doctor') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
        process.once('exit', () => process.stderr.write(\`ended \${performance.now()}\`));
      }`,
    );
    home.env['NODE_OPTIONS'] = `--require ${at('slow.cjs')}`;
    const { err, out } = await home.run('doctor').done;
    expect(Number(err.replace('ended ', ''))).toBeLessThan(6_000);
    expect(out).toMatch(/(?:mcp|agents) +(?:silent|not known in time)/);
  });

  test.runIf(process.platform === 'linux')('leaves nothing behind where the user does not wait', () => {
    written('slow', '#!/bin/sh\nsleep 8\n');
    chmodSync(at('slow'), 0o755);
    mkdirSync(at('tmp'));
    const inPlace = ['--dev-bind', '/', '/', '--ro-bind', at('slow'), '/usr/bin/bwrap'];
    const script = `"$0" "$1" doctor & until ls "$TMPDIR"/*/tmp; do sleep 0.1; done; kill -TERM $!; wait $!`;
    const words = [...inPlace, 'sh', '-c', script, process.execPath, home.program];
    const env = { ...home.env, TMPDIR: at('tmp') };
    expect(spawnSync('/usr/bin/bwrap', words, { env, stdio: 'ignore' }).status).toBe(143);
    expect(readdirSync(at('tmp'))).toEqual([]);
  });

  test('names a host that hangs, once', async () => {
    const host = await home.serve();
    process.kill(host.pid, 'SIGSTOP');
    const { ok, findings } = await report();
    expect(ok).toBe(false);
    const broken = findings.filter(({ state }) => state === 'broken');
    expect(broken).toMatchObject([
      {
        name: 'host',
        words: expect.stringMatching(`The host \\(pid ${host.pid}\\) did not answer within \\d\\.\\d s\\.`),
        fix: expect.stringContaining('parley stop'),
      },
    ]);
    expect(findings.filter(({ words }) => words.includes('not known in time'))).toEqual([]);
    expect((await home.run('stop').done).code).toBe(0);
    expect(await host.exited).toBe(null);
  });

  test('writes a report without secrets', async () => {
    await home.run('run', 'say A private sentence.').done;
    written(
      'home/config.jsonc',
      JSON.stringify({
        providers: { lab: { url: 'http://me:sk-hidden-0123456789@x/v1' } },
        mcpServers: {
          // Both say in their errors what they were started with.
          program: {
            command: process.execPath,
            args: ['--api-key=hidden-argument', '--token', 'hidden"word'],
          },
          address: { url: 'https://me:hidden-password@127.0.0.1:9/x?token=hidden-query' },
        },
      }),
    );
    home.env['LAB_API_KEY'] = 'sk-secret-0123456789abcdef';
    const { out } = await home.doctor('--bundle');
    const [, file = ''] = /^Wrote (\S+)\./m.exec(out) ?? [];
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      variables: expect.arrayContaining(['LAB_API_KEY']),
      findings: expect.any(Array),
      settings: { values: expect.any(Array) },
    });
    expect(text).toContain('program is not running');
    expect(text).toContain('address is not running');
    for (const secret of [read('home/token').trim(), 'sk-secret', 'sk-hidden', 'private sentence', home.dir])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/hidden-|hidden.?"word/);
  });

  test('starts agents and tool servers, tells which do not work, and leaves nothing running', async () => {
    const kit = (name: string) => join(import.meta.dirname, '..', 'kit', name);
    const [agent, server] = await Promise.all([bundle(kit('sdkAgent.ts')), bundle(kit('mcpSdkServer.ts'))]);
    try {
      written(
        'home/config.jsonc',
        JSON.stringify({
          agents: {
            good: { command: process.execPath, args: [agent.path] },
            bad: { command: '/bin/false' },
            lost: { command: 'not-on-this-path' },
            off: { command: '/bin/false', disabled: true },
          },
          mcpServers: {
            kit: { command: process.execPath, args: [server.path] },
            dead: { command: '/bin/false' },
            none: { command: '/bin/false', disabled: true },
          },
        }),
      );
      const { ok, findings } = await report();
      expect(ok).toBe(false);
      const about = (name: string) =>
        findings.filter((finding) => finding.name === name).map(({ state, words }) => [state, words]);
      expect(about('agents')).toEqual(
        expect.arrayContaining([
          ['ok', expect.stringMatching(/^good ok \(\d+ ms\)$/)],
          ['broken', expect.stringContaining('bad does not work')],
          ['note', expect.stringContaining('not-on-this-path')],
        ]),
      );
      expect(about('mcp')).toEqual(
        expect.arrayContaining([
          ['ok', expect.stringMatching(/^kit ok \(\d+ tools\)$/)],
          ['broken', expect.stringContaining('dead is not running')],
          ['ok', 'none is disabled'],
        ]),
      );
    } finally {
      agent.dispose();
      server.dispose();
    }
  });

  test('is used without further words', async () => {
    expect(await home.run('doctor', 'more').done).toMatchObject({ code: 2, out: '' });
  });
});

describe('mcp', () => {
  test('adds, lists and removes servers and keeps comments', async () => {
    expect(await home.run('mcp').done).toMatchObject({
      code: 0,
      out: expect.stringContaining('No MCP server'),
      err: '',
    });
    written('home/config.jsonc', '{\n  // mine\n  "defaultModel": "a/b"\n}\n');
    expect(
      await home.run('mcp', 'add', 'files', '--env', 'KEY=${env:SECRET}', '--', 'npx', '-y', 'server').done,
    ).toMatchObject({ code: 0, err: '' });
    expect(
      await home.run('mcp', 'add', 'web', '--url', 'https://me:pass@host/mcp', '--header', 'X-Key=abc').done,
    ).toMatchObject({ code: 0, err: '' });
    expect(read('home/config.jsonc')).toContain('// mine');
    const { out } = await home.run('mcp', 'list', '--json').done;
    expect(JSON.parse(out)).toEqual([
      { name: 'files', what: 'npx -y server', disabled: false },
      { name: 'web', what: 'https://[hidden]@host/mcp', disabled: false },
    ]);
    expect((await home.run('mcp', 'list').done).out).toBe(
      'files  npx -y server\nweb    https://[hidden]@host/mcp\n',
    );
    expect(await home.run('mcp', 'remove', 'web').done).toMatchObject({ code: 0, err: '' });
    expect(await home.run('mcp', 'remove', 'web').done).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('has no MCP server "web"'),
    });
    expect(read('home/config.jsonc')).toContain('// mine');
  });

  test.each<[readonly string[], RegExp]>([
    [['dance'], /Unknown command "parley mcp dance"/],
    [['add'], /Missing server name/],
    [['add', 'x'], /either a command or a URL/],
    [['add', 'x', '--url', 'http://a', '--', 'b'], /either a command or a URL/],
    [['add', 'x', '--env', 'NO', '--', 'b'], /NAME=VALUE/],
    [['list', 'more'], /Unexpected argument/],
    [['remove'], /Missing server name/],
  ])('mcp %j is wrong usage', async (args, err) => {
    const ran = await home.run('mcp', ...args).done;
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(err);
    expect(existsSync(at('home', 'config.jsonc'))).toBe(false);
  });
});

test.each([
  ['setup', '--print'],
  ['doctor', '--json'],
  ['mcp', 'add NAME'],
])('parley %s --help', async (name, words) => {
  expect(await home.run(name, '--help').done).toMatchObject({
    code: 0,
    out: expect.stringContaining(words),
    err: '',
  });
});

test('setup names Node by its path where editors would not find it', async () => {
  // As with nvm: Node is in a folder that only the shell knows.
  mkdirSync(at("my node's"));
  const node = at("my node's", 'node');
  copyFileSync(process.execPath, node);
  const env = { ...home.env, PATH: '/usr/bin:/bin' };
  const refused = spawnSync(node, [program, 'setup', 'zed'], { env, input: 'n\n', encoding: 'utf8' });
  expect([refused.status, existsSync(at('home', 'bin'))]).toEqual([4, false]);
  execFileSync(node, [program, 'setup', 'zed', '--yes'], { env, stdio: 'pipe' });
  const { agent_servers: servers } = JSON.parse(read('.config/zed/settings.json')) as {
    agent_servers: { Parley: { command: string } };
  };
  const { command } = servers.Parley;
  expect(command).toBe(at('home', 'bin', 'parley'));
  const version = (PATH: string) =>
    execFileSync(command, ['--version'], { env: { ...home.env, PATH }, encoding: 'utf8' });
  expect(version('/none')).toMatch(/^parley \d+\.\d+\.\d+/);
  // Node was updated, and its folder is gone.
  rmSync(at("my node's"), { recursive: true });
  expect(version(dirname(process.execPath))).toMatch(/\d+\.\d+\.\d+/);
});

describe('service', () => {
  const unit = '.config/systemd/user/parley.service';
  /** The commands that the service manager was called with. */
  const calls = () => (existsSync(at('calls')) ? read('calls').trim().split('\n') : []);
  const manager = (code: number) => {
    written('bin/systemctl', `#!/bin/sh\necho "$*" >> "$HOME/calls"\nexit ${code}\n`);
    chmodSync(at('bin/systemctl'), 0o755);
    home.env['PATH'] = `${at('bin')}:${dirname(process.execPath)}`;
  };
  const service = (...args: readonly string[]) => home.run('service', ...args).done;

  test('is installed, found and removed again', async () => {
    manager(0);
    expect(await service()).toMatchObject({ code: 1, out: expect.stringContaining('not installed') });
    expect(await service('install', '--print')).toMatchObject({ code: 0 });
    expect(existsSync(at(unit))).toBe(false);
    expect(await service('install')).toMatchObject({ code: 0, out: expect.stringContaining(at(unit)) });
    expect(read(unit)).toContain(`ExecStart="${process.execPath}" "${program}" "serve" "--no-open"`);
    expect(calls()).toEqual(['--user daemon-reload', '--user enable --now parley.service']);
    expect(await service('status')).toMatchObject({ code: 0 });
    expect(await service('remove')).toMatchObject({ code: 0 });
    expect(calls().at(-1)).toBe('--user disable --now parley.service');
    expect(existsSync(at(unit))).toBe(false);
  });

  test('a running host is not disturbed', async () => {
    manager(0);
    const served = await home.serve();
    expect(await service('install')).toMatchObject({ code: 0, out: expect.stringContaining('goes on') });
    expect(calls()).toEqual(['--user daemon-reload', '--user enable parley.service']);
    await served.kill();
  });

  test('a manager that fails, or that is not there, is said', async () => {
    manager(1);
    expect(await service('install')).toMatchObject({ code: 1, err: expect.stringContaining('ended with 1') });
    rmSync(at('bin/systemctl'));
    home.env['PATH'] = at('bin');
    expect(await service('install')).toMatchObject({ code: 1, err: expect.stringContaining('not found') });
    expect(await service('instal')).toMatchObject({ code: 2, err: expect.stringContaining('install?') });
  });

  const analyze = '/usr/bin/systemd-analyze';
  test.runIf(existsSync(analyze))('systemd accepts the unit', async () => {
    manager(0);
    await service('install');
    const env = { ...process.env, XDG_RUNTIME_DIR: home.dir };
    expect(execFileSync(analyze, ['verify', '--user', at(unit)], { env, encoding: 'utf8' })).toBe('');
  });
});
