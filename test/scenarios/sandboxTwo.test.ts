// The host and `parley sandbox` confine commands in one folder, and one of them is killed: what guards the
// folder for the other one stays, and nothing is left behind in the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeholdersIn } from '../../src/io/sandbox/sandbox.ts';
import { ahpClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome, visibleBase } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

describe.runIf(process.platform === 'linux')('of two programs in one folder', { timeout: 180_000 }, () => {
  let home: Home;
  let host: Awaited<ReturnType<Home['serve']>>;
  let ahp: AhpClient;
  beforeEach(async () => {
    home = newHome(undefined, visibleBase());
    mkdirSync(join(home.dir, 'home'), { recursive: true });
    writeFileSync(join(home.dir, 'home', 'config.jsonc'), JSON.stringify({ permissions: { mode: 'auto' } }));
    host = await home.serve();
    ahp = await ahpClient(host);
  });
  afterEach(async () => {
    await ahp.close();
    await home.dispose();
  });

  const at = (name: string) => join(home.workspace, name);
  const sees = async (name: string, isThere: boolean): Promise<void> => {
    await expect.poll(() => existsSync(at(name))).toBe(isThere);
  };

  /** Says that it runs, waits for a sign, and tries to create what is guarded. */
  const attack = (name: string) =>
    `echo > ${name}.runs; until [ -e ${name}.go ]; do sleep 0.1; done; ` +
    `rmdir .claude; mkdir .claude; echo evil > .claude/settings.json; echo > ${name}.done`;

  async function hostRuns(command: string): Promise<void> {
    await ahp.request('createSession', {
      channel: 'parley:/one',
      provider: 'parley',
      workingDirectories: [`file://${home.workspace}`],
    });
    const { defaultChat } = await ahp.subscribe('parley:/one');
    ahp.dispatch(defaultChat, {
      type: 'chat/turnStarted',
      turnId: 't',
      startedAt: new Date(0).toISOString(),
      message: { text: `tool shell_command ${JSON.stringify({ command })}`, origin: { kind: 'user' } },
    });
  }

  function programRuns(command: string) {
    const words = [home.program, 'sandbox', '--', '/bin/bash', '-c', command];
    const child = spawn(process.execPath, words, { cwd: home.workspace, env: home.env, stdio: 'ignore' });
    return { child, exited: once(child, 'exit') };
  }

  async function bothRun() {
    await hostRuns(attack('one'));
    await sees('one.runs', true);
    const program = programRuns(attack('two'));
    await sees('two.runs', true);
    expect(existsSync(at('.claude'))).toBe(true);
    return program;
  }

  /** Whoever looks removes what killed processes left. */
  async function somebodyLooks(): Promise<void> {
    expect(await programRuns('true').exited).toEqual([0, null]);
  }

  async function nothingIsLeft(): Promise<void> {
    await sees('.claude', false);
    await expect.poll(() => existsSync(placeholdersIn(join(home.dir, 'home', 'sandbox')))).toBe(false);
    await expect.poll(processesHere).toEqual([]);
  }

  /** The processes that work in the folder. */
  function processesHere(): readonly string[] {
    return readdirSync('/proc').filter((name) => {
      try {
        return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === home.workspace;
      } catch {
        return false;
      }
    });
  }

  test('the one on the command line is killed', async () => {
    const { child, exited } = await bothRun();
    child.kill('SIGKILL');
    await exited;
    await somebodyLooks();
    expect(existsSync(at('.claude'))).toBe(true);
    writeFileSync(at('one.go'), '');
    await sees('one.done', true);
    expect([existsSync(at('.claude/settings.json')), existsSync(at('two.done'))]).toEqual([false, false]);
    await nothingIsLeft();
  });

  test('the host is killed', async () => {
    const { exited } = await bothRun();
    await host.killAlone();
    await somebodyLooks();
    expect(existsSync(at('.claude'))).toBe(true);
    writeFileSync(at('two.go'), '');
    await exited;
    expect([existsSync(at('.claude/settings.json')), existsSync(at('two.done'))]).toEqual([false, true]);
    await nothingIsLeft();
  });
});
