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
  const rig = await stoppedRig(() => {});
  await until(rig.session, () => rig.chat().turns.length === 2);
  expect(openChanges(rig.session.state)).toMatchObject([
    { path: `${rig.place.root}/a.txt`, before: 'one\ntwo\n', after: 'two\n' },
  ]);
  await rig.close();
});

test('an undo that is sent while a stopped command ends takes back what it has changed', async () => {
  const rig = await stoppedRig((each) => void each.start('/undo all'));
  await until(rig.session, () => rig.chat().turns.length === 2);
  expect(readFileSync(join(rig.place.root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  await rig.close();
});

/** A command has changed a file; its turn was stopped before the result was reported, and more was done. */
async function stoppedRig(then: (rig: NativeRig) => void): Promise<NativeRig> {
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
    for (const each of opened.splice(0)) {
      const { session } = each;
      session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
      await session.settled();
      then(each);
    }
    return undefined;
  };
  const rig = await nativeRig([model], { external: { snapshots } }, () => ({
    outputs: { keep, directory: () => '/none', forget: () => Promise.resolve() },
  }));
  opened.push(rig);
  await rig.prompt('Run.');
  return rig;
}
