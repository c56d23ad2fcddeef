// A stop that an external agent ignores, in the real program and with the times that users have.
import { methods } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, expect, test } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import { untilGone } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import { addReference, disposeReference } from '../kit/reference/program.ts';
import type { Loose } from '../kit/wire.ts';
import { expectWithin } from '../kit/timeLimit.ts';

let home: Home;

afterAll(disposeReference);
afterEach(() => home.dispose());

const busy = 'process\nhang';
const pidIn = (said: unknown) => Number(/pid (\d+)/.exec(JSON.stringify(said))?.[1] ?? 0);

async function pidOnceSaid(said: () => unknown): Promise<number> {
  await eventually(() => pidIn(said()) > 0, 'the process id of the agent');
  return pidIn(said());
}

/** A client with a turn of the agent, whose `stop` ends when the turn has. */
interface Client {
  readonly pid: number;
  stop(): Promise<unknown>;
  close(): unknown;
}

const doors: readonly ((host: Served) => Promise<Client>)[] = [
  async (host) => {
    const ahp = await ahpClient(host);
    const session = 'ref:/stopped';
    const workingDirectories = [`file://${home.workspace}`];
    await ahp.request('createSession', { channel: session, provider: 'ref', workingDirectories });
    const { defaultChat } = await ahp.subscribe(session);
    await ahp.subscribe(defaultChat);
    const message = { text: busy, origin: { kind: 'user' } };
    ahp.dispatch(defaultChat, { type: 'chat/turnStarted', turnId: 't', startedAt: '', message });
    await ahp.until(defaultChat, (state) => pidIn(state) > 0);
    return {
      pid: pidIn(ahp.states.get(defaultChat)),
      stop: () => {
        ahp.dispatch(defaultChat, { type: 'chat/turnCancelled', turnId: 't', duration: 0 });
        return ahp.until(defaultChat, ({ turns }) => turns[0]?.state === 'cancelled');
      },
      close: () => ahp.close(),
    };
  },
  async () => {
    const editor = await acpEditor(home, undefined, ['--agent', 'ref']);
    const { agent, updates } = editor;
    const { sessionId } = await agent.request(methods.agent.session.new, {
      cwd: home.workspace,
      mcpServers: [],
    });
    const prompt = [{ type: 'text' as const, text: busy }];
    const answer = agent.request(methods.agent.session.prompt, { sessionId, prompt });
    const pid = await pidOnceSaid(() => updates);
    const stop = async () => {
      await agent.notify(methods.agent.session.cancel, { sessionId });
      expect(await answer).toMatchObject({ stopReason: 'cancelled' });
    };
    return { pid, stop, close: () => editor.close() };
  },
  async () => {
    const eca = await ecaClient(home);
    await eca.request('chat/prompt', { chatId: 'stopped-in-eca', message: busy, agent: 'ref' });
    const pid = await pidOnceSaid(() => eca.said);
    const isOver = ({ method, params }: Loose) =>
      method === 'chat/contentReceived' && params.content.state === 'finished';
    const stop = () => {
      eca.notify('chat/promptStop', { chatId: 'stopped-in-eca' });
      return eca.wait(isOver);
    };
    return { pid, stop, close: () => eca.close() };
  },
];

test('a stop ends the turn in two seconds in every protocol, and the agent, which ignores it, after ten', async () => {
  home = newHome();
  await addReference(home, { quirks: ['ignores-cancel', 'ignores-end'] });
  const host = await home.serve();
  const clients = await Promise.all(doors.map((door) => door(host)));
  const stopped = performance.now();
  await Promise.all(clients.map((client) => client.stop()));
  await expectWithin(2_000, stopped);
  const lives = clients.map(async ({ pid }) => {
    await untilGone(pid);
    return performance.now() - stopped;
  });
  expect(Math.min(...(await Promise.all(lives)))).toBeGreaterThan(8_000);
  await Promise.all(clients.map((client) => client.close()));
});
