// The founding scenario on the program as it is built here.
import { afterEach, test } from 'vitest';
import { foundingScenario } from '../kit/founding.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
afterEach(() => home.dispose());

// oxlint-disable-next-line vitest/expect-expect -- the scenario holds the expectations
test('start in one editor, approve from another device, continue in a third', async () => {
  home = newHome();
  await foundingScenario(home);
});
