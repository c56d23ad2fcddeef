import { afterEach, expect, test } from 'vitest';
import { rig, testClient } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { manualClock } from '../../../test/kit/manualClock.ts';
import { merge, builtIn } from '../../io/settings/merge.ts';
import { keepTidy } from './retention.ts';

let made: Rig;
afterEach(() => made.close());

test('archived sessions go after the days that the user has set, others stay', async () => {
  const clock = manualClock();
  made = await rig(undefined, { clock: { ...clock, defer: (run) => void setImmediate(run) } });
  for (const id of ['kept', 'old']) await made.create(id);
  const archive = async (id: string) => {
    made.host.opened(id)?.dispatch({ kind: 'changeSession', changes: { archived: true } }, testClient);
    await made.host.opened(id)?.settled();
  };
  await archive('old');
  const settings = (days: number) => ({
    of: () => merge([builtIn, { source: 'test', values: { retention: { days } } }]),
    problems: () => [],
    watch: () => () => {},
  });
  clock.advance(4 * 86_400_000);
  await made.create('young');
  await archive('young');
  const never = keepTidy(made.host, settings(0));
  clock.advance(1_000);
  expect(made.host.summaries().length).toBe(3);
  const leave = keepTidy(made.host, settings(3));
  clock.advance(1_000);
  await expect
    .poll(() =>
      made.host
        .summaries()
        .map(({ id }) => id)
        .toSorted(),
    )
    .toEqual(['kept', 'young']);
  leave();
  never();
});
