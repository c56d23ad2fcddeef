// Agents as they are published, driven through the real host with a model of ours: asked, permitted from
// another editor, stopped, killed, restarted.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, expect, test } from 'vitest';
import { acpEditor, ahpClient } from '../kit/clients.ts';
import type { AcpEditor, AhpClient } from '../kit/clients.ts';
import { fakeProvider } from '../kit/fakeProvider.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { descendantsOf, killAll, untilGone } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Reply } from '../kit/provider/reply.ts';
import type { Loose } from '../kit/wire.ts';
import { realAgents } from './agents.ts';
import { install } from './install.ts';

let home: Home;
let model: FakeProvider;

afterEach(async () => {
  await home.dispose();
  await model.close();
});

test.each(realAgents)(
  '$id is asked, permitted from another editor, stopped, killed and restarted',
  { timeout: 240_000 },
  async (agent) => {
    home = newHome();
    model = await fakeProvider();
    model.reply = ({ prompt }) => wished(prompt.trimEnd().split('\n').at(-1) ?? '');
    install(agent, home, model.url);
    const host = await home.serve();
    const ahp = await ahpClient(host);
    const chat = await begin(ahp, agent.id);
    expect(await ask(ahp, chat, 'Good morning')).toContain('A good morning to you.');

    const file = join(home.workspace, 'made.txt');
    const acp = await permittingEditor();
    await ask(ahp, chat, `RUN:echo made > ${file}`);
    expect(acp.asked.length).toBeGreaterThan(0);
    expect(readFileSync(file, 'utf8')).toBe('made\n');

    const endless = start(ahp, chat, 'Go on for ever');
    await ahp.until(chat, ({ activeTurn }) =>
      JSON.stringify(activeTurn?.responseParts ?? '').includes('and on'),
    );
    ahp.dispatch(chat, { type: 'chat/turnCancelled', turnId: endless, duration: 0 });
    expect((await turn(ahp, chat, endless)).state).toBe('cancelled');
    expect(await ask(ahp, chat, 'Good noon')).toContain('A good noon to you.');

    const killed = descendantsOf(host.pid);
    expect(killed.length).toBeGreaterThan(0);
    killAll(killed);
    await Promise.all(killed.map(untilGone));
    expect(await ask(ahp, chat, 'Good evening')).toContain('A good evening to you.');

    const left = descendantsOf(host.pid);
    await acp.close();
    await host.kill('SIGKILL');
    await Promise.all(left.map(untilGone));
    const again = await ahpClient(await home.serve());
    const before: Loose = await again.subscribe(chat);
    expect(
      before.turns.filter(({ state }: Loose) => state !== 'error').map(({ message }: Loose) => message.text),
    ).toEqual(['Good morning', `RUN:echo made > ${file}`, 'Go on for ever', 'Good noon', 'Good evening']);
    expect(await ask(again, chat, 'Good night')).toContain('A good night to you.');
    await again.close();
  },
);

test(
  'one agent takes over from another with what was said, what the first one wrote is taken back, and what both have used counts against a budget',
  { timeout: 240_000 },
  async () => {
    home = newHome();
    model = await fakeProvider();
    const prompts: string[] = [];
    model.reply = ({ prompt }) => {
      prompts.push(prompt);
      // What the host tells beside comes after the words of the user.
      return wished(prompt.split('\n').findLast((line) => /Good \w+$|^WRITE:/.test(line)) ?? '');
    };
    for (const agent of realAgents)
      if (agent.id === 'gemini' || agent.id === 'codex') install(agent, home, model.url);
    const host = await home.serve();
    const ahp = await ahpClient(host);
    const chat = await begin(ahp, 'gemini');
    expect(await ask(ahp, chat, 'Good morning')).toContain('A good morning to you.');
    const acp = await permittingEditor();
    const file = join(home.workspace, 'written.txt');
    await ask(ahp, chat, `WRITE:${file}`);
    expect(readFileSync(file, 'utf8')).toContain('Written by the fake provider.');
    const {
      changesets: [{ uriTemplate }],
    } = await ahp.until('gemini:/real', ({ changesets }) => changesets?.length > 0);
    await ahp.request('invokeChangesetOperation', {
      channel: uriTemplate.replace(/\/\{.*$/, ''),
      operationId: 'undo',
    });
    expect(() => readFileSync(file, 'utf8')).toThrow('ENOENT');

    const { sessions } = await acp.agent.request(methods.agent.session.list, {});
    await acp.agent.request(methods.agent.session.setConfigOption, {
      sessionId: sessions[0]?.sessionId ?? '',
      configId: 'agent',
      value: 'codex',
    });
    const taken = await ask(ahp, chat, 'Good noon');
    for (const words of [
      'A good noon to you.',
      'Codex takes over from gemini.',
      'It was given all 2 turns before this one as text',
    ])
      expect(taken).toContain(words);
    expect(prompts.findLast((prompt) => /^Good noon$/m.test(prompt))).toContain('A good morning to you.');

    await acp.close();
    await host.kill('SIGKILL');
    writeFileSync(
      join(home.dir, 'home', 'config.jsonc'),
      JSON.stringify({ limits: { session: { tokens: 5 } } }),
    );
    const again = await ahpClient(await home.serve());
    await again.subscribe(chat);
    const over = await turn(again, chat, start(again, chat, 'Good evening'));
    expect(over.state).toBe('error');
    expect(JSON.stringify(over)).toMatch(
      /The session used \d+ tokens; the limit is 5\. Raise limits\.session\.tokens/,
    );
    await again.close();
  },
);

/** The last line decides: an agent that was told of the past repeats all of it before. */
function wished(line: string): Reply | undefined {
  if (line.endsWith('Go on for ever')) return [{ text: 'On and on and on. '.repeat(20) }, { idle: true }];
  const time = /Good (\w+)$/.exec(line)?.[1];
  return time === undefined ? undefined : [{ text: `A good ${time} to you.` }];
}

async function begin(ahp: AhpClient, provider: string): Promise<string> {
  const session = `${provider}:/real`;
  await ahp.request('createSession', {
    channel: session,
    provider,
    workingDirectories: [`file://${home.workspace}`],
  });
  const { defaultChat } = await ahp.subscribe(session);
  await ahp.subscribe(defaultChat);
  return defaultChat;
}

let turns = 0;

function start(ahp: AhpClient, chat: string, text: string): string {
  const turnId = `turn-${(turns += 1)}`;
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
  return turnId;
}

async function turn(ahp: AhpClient, chat: string, id: string): Promise<Loose> {
  const state = await ahp.until(chat, (now) => now.turns.some((one: Loose) => one.id === id));
  return state.turns.find((one: Loose) => one.id === id);
}

/** What the agent answered to a prompt that it could finish. */
async function ask(ahp: AhpClient, chat: string, text: string): Promise<string> {
  const done = await turn(ahp, chat, start(ahp, chat, text));
  expect(done, JSON.stringify(done)).toMatchObject({ state: 'complete' });
  return JSON.stringify(done.responseParts);
}

async function permittingEditor(): Promise<AcpEditor> {
  const permit = ({ options }: Loose) =>
    Promise.resolve({
      outcome: {
        outcome: 'selected',
        optionId: options.find(({ kind }: Loose) => kind === 'allow_once').optionId,
      },
    });
  const editor = await acpEditor(home, permit);
  const { sessions } = await editor.agent.request(methods.agent.session.list, {});
  await editor.agent.request(methods.agent.session.load, {
    sessionId: sessions[0]?.sessionId ?? '',
    cwd: home.workspace,
    mcpServers: [],
  });
  return editor;
}
