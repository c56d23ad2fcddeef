import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testClient, until } from '../../../../../test/kit/host.ts';
import { nativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../../test/kit/nativeRig.ts';
import { openChanges } from '../../../../host/workspace/revertEdits.ts';
import type { WorkspaceSnapshots } from '../../../../host/workspace/workspaceSnapshots.ts';
import type { LanguageModel } from '../../model.ts';

/** Sees one file. */
const snapshots: WorkspaceSnapshots = {
  take: ([root = '']) =>
    Promise.resolve({
      before: () => Promise.resolve({ text: 'one\ntwo\n' }),
      changed: () => Promise.resolve({ paths: [join(root, 'a.txt')], lost: [] }),
      changedFolder: () => Promise.resolve(undefined),
      close: () => Promise.resolve(),
    }),
  view: (path) => Promise.resolve({ text: readFileSync(path, 'utf8') }),
};

test('a command that ended when its turn was stopped keeps its changes', async () => {
  const call = { command: 'seq 3000; echo two > a.txt' };
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    async *stream() {
      yield { type: 'tool-call', id: 'c', name: 'shell_command', input: JSON.stringify(call) };
      yield { type: 'finish', reason: 'calls' };
    },
  };
  // Its output is stored after the files were compared, and before the result is reported.
  const opened: NativeRig[] = [];
  const keep = async () => {
    for (const { session } of opened) {
      session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
      await session.settled();
    }
    return undefined;
  };
  const rig = await nativeRig([model], { external: { snapshots } }, () => ({
    outputs: { keep, directory: () => '/none', forget: () => Promise.resolve() },
  }));
  opened.push(rig);
  await rig.prompt('Run.');
  await until(rig.session, () => rig.chat().turns.length === 2);
  expect(openChanges(rig.session.state)).toMatchObject([
    { path: `${rig.place.root}/a.txt`, before: 'one\ntwo\n', after: 'two\n' },
  ]);
  await rig.close();
});
