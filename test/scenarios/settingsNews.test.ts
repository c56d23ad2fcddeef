// A settings file that breaks while the real program runs: the last good settings hold, and a client of
// every protocol is told.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, expect, test } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';

let home: Home;
afterEach(() => home.dispose());

test('ECA, ACP and AHP clients hear of it, and what was good still holds', async () => {
  home = newHome();
  const file = join(home.dir, 'home', 'config.jsonc');
  mkdirSync(join(home.dir, 'home'), { recursive: true });
  writeFileSync(file, '{ "disabledTools": ["write_file"] }');
  const host = await home.serve();
  const [eca, acp, ahp] = [await ecaClient(home), await acpEditor(home), await ahpClient(host)];
  const { sessionId } = await acp.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  writeFileSync(file, '{ "disabledTools": [');
  const isBroken = (value: unknown) => JSON.stringify(value).includes('is broken in line 1');
  await eca.wait(({ method, params }) => method === '$/showMessage' && isBroken(params));
  // The notice comes with a turn; whoever looks at the session from elsewhere sees it, too.
  await eventually(async () => {
    await acp.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: 'tool write_file {"path":"a","content":"b"}' }],
    });
    return isBroken(acp.updates);
  }, 'the notice that the settings are broken');
  expect(JSON.stringify(acp.updates)).toContain('There is no tool named write_file');
  const { items } = await ahp.request('listSessions', { channel: 'ahp-root://' });
  const state = await ahp.subscribe((await ahp.subscribe(items[0].resource)).defaultChat);
  expect(isBroken(state)).toBe(true);
  // Once is enough.
  const told = () => JSON.stringify(acp.updates).split('is broken in line 1').length;
  const before = told();
  await acp.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: 'say Hello.' }],
  });
  expect(told()).toBe(before);
  writeFileSync(file, '{ "disabledTools": [] }');
  await eventually(async () => {
    await acp.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: 'tool write_file {"path":"a"}' }],
    });
    return JSON.stringify(acp.updates).includes('INVALID_ARGS');
  }, 'a turn that has the tool again');
  await Promise.all([eca.close(), acp.close(), ahp.close()]);
});
