// What published agents do by their own default before they run a command or write a file: the table in the
// README, measured. Nobody permits anything here.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, expect, test } from 'vitest';
import { acpEditor } from '../kit/clients.ts';
import { fakeProvider } from '../kit/fakeProvider.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';
import { realAgents } from './agents.ts';
import type { RealAgent } from './agents.ts';
import { install } from './install.ts';
import { replyTo, writing } from './matrixModel.ts';
import { moreAgents } from './moreAgents.ts';

let home: Home;
let model: FakeProvider;

afterEach(async () => {
  await home.dispose();
  await model.close();
});

/** Those that only the matrix drives are tried by name. */
const wanted = process.env['PARLEY_MATRIX_AGENTS']?.split(',');
const agents = wanted ? [...realAgents, ...moreAgents].filter(({ id }) => wanted.includes(id)) : realAgents;

type Behaviour = 'asks' | 'does not ask' | 'not tried';

test.each(agents.map((agent) => ({ agent, id: agent.id })))(
  '$id asks as the README says',
  { timeout: 240_000 },
  async ({ agent }) => {
    home = newHome();
    model = await fakeProvider();
    const seen = { tools: [], said: '', calls: 0, called: '', tries: 0 };
    model.reply = (asked, { body }) => replyTo(asked, body, seen);
    install(withOwnDefaults(agent), home, model.url);
    // What is measured is the agent: the host would ask in place of one that never does.
    const allow = [{ tool: `unasked_${agent.id}` }];
    mkdirSync(join(home.dir, 'home'));
    writeFileSync(join(home.dir, 'home', 'config.jsonc'), JSON.stringify({ approvals: { allow } }));
    let asked = 0;
    const editor = await acpEditor(home, ({ options }: Loose) => {
      asked += 1;
      const no = options.find(({ kind }: Loose) => kind === 'reject_once') ?? options.at(-1);
      return Promise.resolve({ outcome: { outcome: 'selected', optionId: no.optionId } });
    });
    // Each in a session of its own: the model of the tests would repeat what was said before.
    const measure = async (text: string, file: string): Promise<Behaviour> => {
      const { sessionId } = await editor.agent.request(methods.agent.session.new, {
        cwd: home.workspace,
        mcpServers: [],
      });
      await editor.agent.request(methods.agent.session.setConfigOption, {
        sessionId,
        configId: 'agent',
        value: agent.id,
      });
      asked = 0;
      Object.assign(seen, { called: '', tries: 0 });
      await editor.agent
        .request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
        .catch(() => {});
      if (existsSync(file)) return 'does not ask';
      return asked > 0 ? 'asks' : 'not tried';
    };
    const [ran, written] = [join(home.workspace, 'ran'), join(home.workspace, 'written.txt')];
    const measured = [
      await measure(`RUN:echo made > ${ran}`, ran),
      await measure(writing(agent.id, written), written),
    ];
    await editor.close();
    expect(measured).toEqual(rowOf(agent.id));
  },
);

/** The tests of other things set some agents to a mode in which they ask. */
function withOwnDefaults(agent: RealAgent): RealAgent {
  return {
    ...agent,
    files: (url) =>
      Object.fromEntries(
        Object.entries(agent.files(url)).map(([path, content]) => [
          path,
          typeof content === 'string'
            ? content.replaceAll(/^(?:approval_policy|sandbox_mode) = .*\n/gm, '')
            : Object.fromEntries(Object.entries(content).filter(([name]) => name !== 'permission')),
        ]),
      ),
    env: (url, folder) => {
      const { GOOSE_MODE: _, ...env } = agent.env(url, folder);
      return env;
    },
  };
}

/** The cells of the README: before a command, before a file. */
function rowOf(id: string): readonly string[] {
  const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const [, row = ''] = new RegExp(String.raw`^\| ${'`'}${id}${'`'} \|(.*)\|$`, 'm').exec(readme) ?? [];
  return row
    .split('|')
    .slice(0, 2)
    .map((cell) => cell.trim());
}
