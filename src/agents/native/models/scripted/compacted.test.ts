import { afterEach, expect, test } from 'vitest';
import { briefItems, nativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../../test/kit/nativeRig.ts';
import { scriptedModel } from './scripted.ts';

let rig: NativeRig;
afterEach(() => rig.close());

const full = 'The conversation fills 78 % of what Scripted can hold and is compacted.';
const [much, more] = ['x'.repeat(130_000), 'y'.repeat(20_000)];

test('a script whose conversation is compacted on the way goes on: no call runs twice', async () => {
  rig = await nativeRig([scriptedModel({ sleep: () => Promise.resolve() })]);
  await rig.prompt(`say ${much}`);
  const turn = await rig.prompt(
    `say ${more}\ntool read_file {"path":"a.txt"}\ntool read_file {"path":"b.txt"}\nsay Bye.`,
  );
  expect(briefItems(turn.items)).toEqual([
    `answer: ${more}\n`,
    'read_file done',
    `info: ${full}`,
    'compact_chat done',
    'answer: read_file: done.\n',
    'read_file failed',
    'answer: read_file: failed.\nBye.\n',
  ]);
});

test('a script whose conversation is compacted before it begins runs from its beginning', async () => {
  rig = await nativeRig([scriptedModel({ sleep: () => Promise.resolve() })]);
  await rig.prompt(`say ${much}`);
  await rig.prompt(`say ${more}`);
  const turn = await rig.prompt('tool read_file {"path":"a.txt"}\nsay Bye.');
  expect(briefItems(turn.items)).toEqual([
    `info: ${full}`,
    'compact_chat done',
    'read_file done',
    'answer: read_file: done.\nBye.\n',
  ]);
});
