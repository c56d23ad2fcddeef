// Changes of files that a user takes back from any client, in the real program: the files are as before,
// and the model is told.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acpEditor, ahpClient } from '../kit/clients.ts';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';

let rig: Talking;
const model = formats[0][1];

beforeAll(async () => {
  rig = await startConversation({ host: 'shared', settings: { approvals: { allow: ['edit_file'] } } });
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

test('ACP clients are offered the words', async () => {
  const acp = await acpEditor(rig.home);
  await acp.agent.request('session/new', { cwd: rig.home.workspace, mcpServers: [] });
  await expect.poll(() => JSON.stringify(acp.updates)).toMatch(/"name":"undo".*"name":"redo"/);
  await acp.close();
});
