import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useLoginPath } from './loginPath.ts';
import { projectVariables } from './projectVariables.ts';

let folder: string;
let env: { PATH: string };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-project-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'project', 'sub'), { recursive: true });
  env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, script: string): string {
  const path = join(folder, 'bin', name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
const problems: string[] = [];
const variables = () =>
  projectVariables({ cwd: join(folder, 'project', 'sub') }, env, {
    report: (_, about) => void problems.push(about),
  });

test('the variables of mise and direnv are those of the folder, direnv last', async () => {
  program('mise', `[ "$*" = "env --json" ] && echo '{"PATH":"/mise","A":"mise","B":"mise"}'`);
  program(
    'direnv',
    `[ "$*" = "export json" ] && echo "{\\"A\\":\\"$B, $PWD\\",\\"C\\":null,\\"DIRENV_DIFF\\":\\"x\\"}"`,
  );
  expect(await variables()).toEqual({});
  writeFileSync(join(folder, 'project', 'mise.toml'), '');
  writeFileSync(join(folder, 'project', '.envrc'), '');
  // direnv is found on the PATH of the host, although mise has changed it.
  expect(await variables()).toEqual({ PATH: '/mise', A: `mise, ${join(folder, 'project/sub')}`, B: 'mise' });
});

test('a tool that refuses or prints nonsense adds nothing, and that is reported', async () => {
  writeFileSync(join(folder, 'project', '.envrc'), '');
  writeFileSync(join(folder, 'project', '.tool-versions'), '');
  program('direnv', 'echo ".envrc is blocked" >&2; exit 1');
  program('mise', 'echo nonsense');
  expect(await variables()).toEqual({});
  expect(problems.map((about) => about.split(' in ')[0])).toEqual([
    'the variables of mise',
    'the variables of direnv',
  ]);
});

test('the login shell is asked for its PATH unless a terminal has given it', async () => {
  const shell = program('shell', '[ "$1 $2" = "-l -i" ] && echo "Welcome" && PATH=/login:/bin "$4"');
  const given = { ...env, SHELL: shell };
  await new Promise<void>((resolve) => useLoginPath(given, resolve));
  expect(given.PATH).toBe(`/login:/bin:${join(folder, 'bin')}:/usr/bin`);
  // These two are not changed, however long the shell of the third takes.
  const others = [
    { ...env, SHELL: shell, SHLVL: '1' },
    { ...env, SHELL: join(folder, 'none') },
  ];
  for (const other of others) useLoginPath(other, () => {});
  await new Promise<void>((resolve) => useLoginPath({ ...env, SHELL: shell }, resolve));
  expect(others.map(({ PATH }) => PATH)).toEqual([env.PATH, env.PATH]);
});
