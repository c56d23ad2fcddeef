// An update replaces the files of a running host. It finishes its turns and ends, and the clients on stdio go
// on with the host of the new version.
import { methods } from '@agentclientprotocol/sdk';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acpEditor } from '../kit/clients.ts';
import { untilGone } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';

const repository = join(import.meta.dirname, '..', '..');

let installed: string;
let home: Home;
beforeEach(() => {
  installed = mkdtempSync(join(tmpdir(), 'parley-installed-'));
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(repository, name), join(installed, name), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(installed, 'node_modules'));
  home = newHome(join(installed, 'bin', 'parley.js'));
});
afterEach(async () => {
  await home.dispose();
  rmSync(installed, { recursive: true, force: true });
});

/** Puts a build in its place that differs in the name of one file, which others load. */
function update(changed = 'serveLocked-'): void {
  const [old, dist] = [join(installed, 'old'), join(installed, 'dist')];
  renameSync(dist, old);
  const [part = ''] = readdirSync(old).filter((name) => name.startsWith(changed));
  const fresh = join(installed, 'fresh');
  cpSync(old, fresh, { recursive: true });
  renameSync(join(fresh, part), join(fresh, `new-${part}`));
  for (const name of readdirSync(fresh).filter((each) => each.endsWith('.cjs'))) {
    const code = readFileSync(join(fresh, name), 'utf8');
    if (code.includes(part)) writeFileSync(join(fresh, name), code.replaceAll(part, `new-${part}`));
  }
  renameSync(fresh, dist);
  rmSync(old, { recursive: true });
}

const pid = () =>
  (JSON.parse(readFileSync(join(home.env['PARLEY_HOME'] ?? '', 'host.json'), 'utf8')) as { pid: number }).pid;

test('a host in the background ends after its turns, and its clients go on with the next one', async () => {
  const editor = await acpEditor(home);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  const prompt = (text: string) =>
    editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
  const before = pid();
  const running = prompt('say one\npause 1500\nsay two');
  await expect.poll(() => JSON.stringify(editor.updates)).toContain('one');
  update();
  expect(await running).toMatchObject({ stopReason: 'end_turn' });
  await untilGone(before);
  expect(await prompt('say three')).toMatchObject({ stopReason: 'end_turn' });
  expect(pid()).not.toBe(before);
  await editor.close();
});

test('a host in the foreground says why it ends, so that a service starts it again', async () => {
  const { child, done } = home.run('serve', '--port', '0');
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => chunk.includes('Open the console') && resolve());
  });
  update();
  expect(await done).toMatchObject({ code: 1, err: expect.stringContaining('were updated or removed') });
});

test('a host with its client in one process ends after its turns and says why', async () => {
  const { child, done } = home.run('acp', '--standalone');
  const send = (id: number, method: string, params: object) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const answer = (id: number) => said.split('\n').find((line) => line.includes(`"id":${id},"result"`)) ?? '';
  const answered = (id: number) => eventually(() => answer(id) !== '', `the answer to ${id}`);
  send(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  send(2, 'session/new', { cwd: home.workspace, mcpServers: [] });
  await answered(2);
  const { sessionId } = (JSON.parse(answer(2)) as { result: { sessionId: string } }).result;
  send(3, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'say one\npause 1500\nsay two' }] });
  await expect.poll(() => said).toContain('one');
  update('early-');
  await answered(3);
  expect(await done).toMatchObject({ code: 1, err: expect.stringContaining('were updated or removed') });
});
