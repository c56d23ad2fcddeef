// Changes of files that a user takes back from any client, in the real program: the files are as before,
// and the model is told.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acpEditor, ahpClient } from '../kit/clients.ts';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';

let rig: Talking;
const model = formats[0][1];

beforeAll(async () => {
  rig = await startConversation({
    host: 'shared',
    settings: { approvals: { allow: ['edit_file', 'shell_command'] } },
  });
});
afterAll(() => rig.close());

const file = () => join(rig.home.workspace, 'a.txt');
const now = () => readFileSync(file(), 'utf8');
const edit = (from: string, to: string) =>
  `TOOL:edit_file ${JSON.stringify({ path: 'a.txt', original_content: from, new_content: to })}`;

test('a word takes back the last turn that changed something, and then the one before it', async () => {
  writeFileSync(file(), 'one\n');
  await rig.prompt('words', edit('one', 'two'), model);
  await rig.prompt('words', edit('two', 'three'), model);
  await rig.prompt('words', 'Hello.', model);
  const asked = rig.asked().length;
  expect(brief(await rig.prompt('words', '/undo', model))).toEqual([
    'user: /undo',
    `system: As before: ${file()}`,
  ]);
  expect([now(), rig.asked().length]).toEqual(['two\n', asked]);
  expect(brief(await rig.prompt('words', '/undo', model)).at(-1)).toBe(`system: As before: ${file()}`);
  expect(now()).toBe('one\n');
  expect(brief(await rig.prompt('words', '/undo', model)).at(-1)).toBe(
    'system: No turn of this chat has changed a file.',
  );
  await rig.prompt('words', 'And now?', model);
  expect(JSON.stringify(rig.asked().at(-1)?.body)).toContain(
    'I have taken back what you changed in these files',
  );
});

test('an editor takes back files and keeps the messages, and the model learns of it once', async () => {
  writeFileSync(file(), 'one\n');
  const said = await rig.prompt('files', edit('one', 'two'), model);
  const { content } = said.find(({ role }) => role === 'user') ?? {};
  await rig.eca.request('chat/rollback', {
    chatId: 'files',
    contentId: content.contentId,
    include: ['tools'],
  });
  expect(now()).toBe('one\n');
  await rig.prompt('files', 'And now?', model);
  const told = /The user has reverted changes[^]*a\.txt/;
  expect(rig.asked().at(-1)?.asked?.prompt).toMatch(told);
  await rig.prompt('files', 'And then?', model);
  expect(rig.asked().at(-1)?.asked?.prompt).not.toMatch(told);
  // What was told then stays in the conversation.
  expect(JSON.stringify(rig.asked().at(-1)?.body)).toMatch(/The user has reverted changes/);
});

test('a client of AHP takes back a file, and the model learns of it', async () => {
  writeFileSync(file(), 'one\n');
  await rig.prompt('changes', edit('one', 'two'), model);
  const ahp = await ahpClient(rig.served());
  await ahp.request('invokeChangesetOperation', {
    channel: 'ahp-changeset:/changes',
    operationId: 'undo',
    target: { kind: 'resource', resource: `file://${file()}` },
  });
  expect(now()).toBe('one\n');
  await ahp.close();
  await rig.prompt('changes', 'And now?', model);
  expect(rig.asked().at(-1)?.asked?.prompt).toMatch(/The user has reverted changes[^]*a\.txt/);
});

test('what was taken back is redone by a word or by a client of AHP, and the model learns of it', async () => {
  writeFileSync(file(), 'one\n');
  await rig.prompt('again', edit('one', 'two'), model);
  await rig.prompt('again', '/undo', model);
  expect(brief(await rig.prompt('again', '/redo', model)).at(-1)).toBe(`system: Redone: ${file()}`);
  expect(now()).toBe('two\n');
  const ahp = await ahpClient(rig.served());
  const invoke = (operationId: string) =>
    ahp.request('invokeChangesetOperation', { channel: 'ahp-changeset:/again', operationId });
  expect([await invoke('undo'), now()]).toEqual([{}, 'one\n']);
  await rig.prompt('again', 'And now?', model);
  expect([await invoke('redo'), now()]).toEqual([{}, 'two\n']);
  await ahp.close();
  await rig.prompt('again', 'And then?', model);
  expect(rig.asked().at(-1)?.asked?.prompt).toMatch(/The user has redone changes[^]*a\.txt/);
});

const shell = (command: string, more: object = {}) =>
  `TOOL:shell_command ${JSON.stringify({ command, ...more })}`;

test('what a command changed is named by an undo, and taken back by an undo of everything', async () => {
  writeFileSync(file(), 'one\n');
  const fresh = join(rig.home.workspace, 'fresh.txt');
  const said = await rig.prompt('command', shell('echo two > a.txt; echo x > fresh.txt; exit 3'), model);
  expect(JSON.stringify(said)).toContain(`Changed by the command, or by you meanwhile: ${file()}, ${fresh}`);
  await rig.prompt('command', edit('two', 'three'), model);
  expect(brief(await rig.prompt('command', '/undo', model)).at(-1)).toBe(`system: As before: ${file()}`);
  const why =
    'no report of the agent explains this change, so it may be your own. /undo all takes it back, too.';
  expect(brief(await rig.prompt('command', '/undo', model)).at(-1)).toBe(
    [fresh, file()]
      .map((path) => `${path} was left as it is: ${why}`)
      .join('\n')
      .replace(/^/, 'system: '),
  );
  expect(now()).toBe('two\n');
  expect(brief(await rig.prompt('command', '/undo all', model)).at(-1)).toBe(
    `system: As before: ${fresh}, ${file()}`,
  );
  expect([now(), existsSync(fresh)]).toEqual(['one\n', false]);
  expect(brief(await rig.prompt('command', '/redo', model)).at(-1)).toBe(
    `system: Redone: ${file()}, ${fresh}`,
  );
  expect(now()).toBe('two\n');
  rmSync(fresh);
});

test('what a command changed before it was stopped is recorded after the stop', async () => {
  writeFileSync(file(), 'one\n');
  const asked = rig.prompt('stopped', shell('echo two > a.txt; sleep 60'), model);
  await expect.poll(now).toBe('two\n');
  rig.eca.notify('chat/promptStop', { chatId: 'stopped' });
  await asked;
  const ends = () =>
    rig.eca.said.filter(({ params }) => params?.chatId === 'stopped' && params.content?.state === 'finished')
      .length;
  await expect.poll(ends).toBe(2);
  expect(JSON.stringify(rig.eca.said)).toContain('A command changed files before it stopped.');
  expect(brief(await rig.prompt('stopped', '/undo all', model)).at(-1)).toBe(`system: As before: ${file()}`);
  expect(now()).toBe('one\n');
});

test('an undo says where a job in the background may have changed files', async () => {
  await rig.prompt('job', shell('sleep 0.1', { background: 'Waits' }), model);
  expect(brief(await rig.prompt('job', '/undo', model)).at(-1)).toBe(
    `system: ${rig.home.workspace} was left as it is: a background job ran there, ` +
      'and Parley does not see what such jobs change.',
  );
});

test('ACP clients are offered the words', async () => {
  const acp = await acpEditor(rig.home);
  await acp.agent.request('session/new', { cwd: rig.home.workspace, mcpServers: [] });
  await expect.poll(() => JSON.stringify(acp.updates)).toMatch(/"name":"undo".*"name":"redo"/);
  await acp.close();
});
