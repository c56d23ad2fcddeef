// What a trusted folder says to direnv, for an agent in the sandbox. The agent can write the files that the
// folder's own file reads, so direnv and what it says act inside the sandbox alone. With the real bubblewrap.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { settingsFiles } from '../../src/io/settings/open.ts';
import { trustStore, withoutSettings } from '../../src/io/settings/trust.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { newHome, visibleBase } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

describe.runIf(process.platform === 'linux')('a trusted folder', () => {
  let agent: Bundle;
  let home: Home;
  beforeAll(async () => {
    agent = await bundle(join(import.meta.dirname, '../kit/hostileAgent.ts'));
  });
  afterAll(() => agent.dispose());
  beforeEach(() => {
    home = newHome(undefined, visibleBase());
    for (const name of ['bin', 'outside']) mkdirSync(join(home.dir, name));
    home.env['PATH'] = `${join(home.dir, 'bin')}:${home.env['PATH']}`;
    put(join(home.dir, 'bin', 'direnv'), '#!/bin/sh\n. ./.envrc\n');
    put(join(home.workspace, '.envrc'), '. ./tools/env.sh\n');
    mkdirSync(join(home.workspace, 'tools'));
    trustStore(settingsFiles(home.env).trust).trust(home.workspace, withoutSettings);
  });
  afterEach(() => home.dispose());

  test('has direnv read its files inside the sandbox', async () => {
    says(`echo here > ${outside('file')}; echo '{"FOUND":"yes"}'`);
    await works('hostile', [process.execPath, copyOf(agent)]);
    expect(readdirSync(outside())).toEqual([]);
  });

  test('sets variables inside the sandbox alone', async () => {
    says(`echo '{"LD_DEBUG":"files","LD_DEBUG_OUTPUT":"${outside('trace')}"}'`);
    await works('hostile', [process.execPath, copyOf(agent)]);
    expect(readdirSync(outside())).toEqual([]);
  });

  test('has no agent of its own outside the sandbox', async () => {
    says(`echo '{"PATH":"."}'`);
    put(join(home.dir, 'bin', 'evil-agent'), `#!${process.execPath}\nrequire('${copyOf(agent)}')`);
    put(join(home.workspace, 'evil-agent'), `#!/bin/sh\necho here > ${outside('file')}\n`);
    await home.run('agents', 'add', 'hostile', '--sandbox', 'auto', '--', 'evil-agent').done;
    await home.run('run', '--auto', '--agent', 'hostile', '--cwd', home.workspace, '{}').done;
    expect(readdirSync(outside())).toEqual([]);
  });

  test('names no folders that the agent may see and change', async () => {
    says(`echo '{"CODEX_HOME":"${outside()}","XDG_CONFIG_HOME":"${outside()}"}'`);
    put(outside('key'), 'SECRET');
    const hide = { sandbox: { hide: [outside()] } };
    mkdirSync(join(home.dir, 'home'), { recursive: true });
    writeFileSync(join(home.dir, 'home', 'config.jsonc'), JSON.stringify(hide));
    await works('codex', [process.execPath, copyOf(agent)]);
    expect(readFileSync(join(home.workspace, 'loot.json'), 'utf8')).toBe('[]');
  });

  function outside(name = ''): string {
    return join(home.dir, 'outside', name);
  }

  function says(script: string): void {
    put(join(home.workspace, 'tools', 'env.sh'), `${script}\n`);
  }

  async function works(id: string, words: readonly string[]): Promise<void> {
    expect((await home.run('agents', 'add', id, '--sandbox', 'auto', '--', ...words).done).err).toBe('');
    const [read, write] = [[outside('key')], [outside('new')]];
    const wanted = JSON.stringify({ read, write, connect: [], pid: 999_999 });
    const { out, err } = await home.run('run', '--auto', '--agent', id, '--cwd', home.workspace, wanted).done;
    expect(readdirSync(home.workspace), `${out}${err}`).toContain('loot.json');
  }

  /** Outside the temporary folder, which confined programs have their own of. */
  function copyOf({ path }: Bundle): string {
    const copy = join(home.dir, 'hostile.cjs');
    writeFileSync(copy, readFileSync(path));
    return copy;
  }
});

function put(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o755 });
}
