// What users do with published agents, agent by agent and step by step. `npm run agents:matrix` tries all of
// them and writes the table; here are two that start fast.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { fakeProvider } from '../kit/fakeProvider.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { realAgents } from './agents.ts';
import { install } from './install.ts';
import { matrixOf } from './matrixSteps.ts';
import { moreAgents } from './moreAgents.ts';

/** Set by the command: where the results go, one line of JSON for each agent; and which agents. */
const { PARLEY_MATRIX: results, PARLEY_MATRIX_AGENTS: wanted } = process.env;

/** For each step, in milliseconds. The table shall not say of a busy machine that an agent fails. */
const patience = results === undefined ? 60_000 : 300_000;
const short = ['codex', 'goose'];
const agents = [...realAgents, ...moreAgents].filter(({ id }) =>
  results === undefined ? short.includes(id) : (wanted?.split(',').includes(id) ?? true),
);

let home: Home;
let model: FakeProvider;

afterEach(async () => {
  await home.dispose();
  await model.close();
});

test.each(agents.map((agent) => ({ agent, id: agent.id })))(
  '$id does all steps of the matrix',
  { timeout: 20 * patience },
  async ({ agent, id }) => {
    home = newHome();
    model = await fakeProvider();
    install(agent, home, model.url);
    const cells = await matrixOf(id, { home, model, patience });
    if (results !== undefined) {
      const earlier = existsSync(results) ? readFileSync(results, 'utf8') : '';
      writeFileSync(results, `${earlier}${JSON.stringify({ id, cells })}\n`);
      return;
    }
    expect(cells.filter(({ result }) => result === 'fail')).toEqual([]);
  },
);
