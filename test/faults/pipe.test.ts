// kill -9 of the host under live clients on stdio: their commands start it again and go on. Nobody has to
// reconnect, every request is answered once, and every client shows what the log has.
import { methods } from '@agentclientprotocol/sdk';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { acpEditor, ahpClient, ahpOnStdio, ecaClient } from '../kit/clients.ts';
import type { AcpEditor, AhpClient } from '../kit/clients.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Loose, Wire } from '../kit/wire.ts';

const home = newHome();
afterAll(() => home.dispose());

/** `npm run faults:pipe` asks for more. */
const rounds = Number(process.env['PARLEY_KILL_ROUNDS'] ?? 5);
const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_116);

/** Long enough that most kills hit it. */
const streamed = `${'stream 20 word\npause 5\n'.repeat(40)}say done`;

interface HostInfo {
  readonly pid: number;
  readonly port: number;
}

function random(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function infoOf(): HostInfo {
  return JSON.parse(readFileSync(join(home.env['PARLEY_HOME'] ?? '', 'host.json'), 'utf8')) as HostInfo;
}

/** The answer to a request, or the code of its error; a second answer would be an unknown response. */
async function outcomeOf(request: Promise<Loose>): Promise<string> {
  try {
    const { stopReason, status } = await request;
    return stopReason ?? status;
  } catch (error) {
    return (error as Loose).data?.code ?? String(error);
  }
}

interface Party {
  /** Sends a prompt; resolves with how its request was answered. */
  prompt(text: string): Promise<string>;
  /** The answers in the chat as the client shows them, once the chat is idle. */
  shown(): Promise<string>;
  /** The same for somebody who opens the chat now. */
  stored(): Promise<string>;
}

async function acpParty(editor: AcpEditor): Promise<Party> {
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  const words = (updates: readonly Loose[]) =>
    updates
      .flatMap(({ update }) =>
        ['agent_message_chunk', 'user_message_chunk'].includes(update.sessionUpdate)
          ? [
              update.sessionUpdate === 'user_message_chunk'
                ? `\n> ${update.content.text}\n`
                : update.content.text,
            ]
          : [],
      )
      .join('');
  const said: string[] = [];
  return {
    prompt(text) {
      said.push(text);
      return outcomeOf(
        editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
      );
    },
    shown: async () => words(editor.updates),
    async stored() {
      const other = await acpEditor(home);
      await other.agent.request(methods.agent.session.load, {
        sessionId,
        cwd: home.workspace,
        mcpServers: [],
      });
      const prompts = other.updates.flatMap(({ update }: Loose) =>
        update.sessionUpdate === 'user_message_chunk' ? [update.content.text] : [],
      );
      expect(prompts).toEqual(said);
      const answers = words(
        other.updates.filter(({ update }) => update.sessionUpdate === 'agent_message_chunk'),
      );
      await other.close();
      // Whoever sent the prompt got this as the error of its request.
      return answers.replaceAll('The turn was interrupted.', '');
    },
  };
}

async function ecaParty(eca: Wire): Promise<Party> {
  const chatId = 'pipe-chat';
  // A chat that is opened later has its blank lines elsewhere.
  const words = (said: Wire['said']) =>
    said
      .flatMap(({ method, params }) =>
        method === 'chat/contentReceived' && params.role === 'assistant' && params.content.type === 'text'
          ? [params.content.text]
          : [],
      )
      .join('')
      .replaceAll(/\s+/g, ' ')
      .trim();
  const isIdle = ({ method, params }: Wire['said'][number]) =>
    method === 'chat/statusChanged' && params.status === 'idle';
  return {
    async prompt(message) {
      const from = eca.said.length;
      const outcome = await outcomeOf(eca.request('chat/prompt', { chatId, message, requestId: '1' }));
      // An interrupted prompt may have been stored before the host died; then its turn ends, too.
      if (outcome !== 'interrupted') await eca.wait(isIdle, from);
      return outcome;
    },
    shown: async () => words(eca.said),
    async stored() {
      const other = await ecaClient(home);
      await other.request('chat/open', { chatId });
      const text = words(other.said);
      await other.close();
      return text;
    },
  };
}

async function ahpParty(ahp: AhpClient): Promise<Party> {
  const session = 'parley:/pipe-session';
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  let turns = 0;
  const plain = (state: Loose) => JSON.stringify(state.turns);
  return {
    async prompt(text) {
      const turnId = `${session}#${(turns += 1)}`;
      ahp.dispatch(chat, {
        type: 'chat/turnStarted',
        turnId,
        startedAt: new Date(0).toISOString(),
        message: { text, origin: { kind: 'user' } },
      });
      const state = await ahp.until(chat, (now) => now.turns.some((turn: Loose) => turn.id === turnId));
      const { state: outcome } = state.turns.find((turn: Loose) => turn.id === turnId);
      return outcome === 'complete' ? 'end_turn' : 'interrupted';
    },
    shown: async () => plain(ahp.states.get(chat)),
    async stored() {
      const token = readFileSync(join(home.env['PARLEY_HOME'] ?? '', 'token'), 'utf8').trim();
      const other = await ahpClient({ ...infoOf(), token } as never);
      const state = await other.subscribe(chat);
      await other.close();
      expect(new Set(ahp.seqs).size).toBe(ahp.seqs.length);
      return plain(state);
    },
  };
}

test('messages of several MiB reach clients on stdio', async () => {
  const editor = await acpEditor(home);
  const party = await acpParty(editor);
  const long = 'x'.repeat(3 * 1024 * 1024);
  expect(await party.prompt(`say ${long}`)).toBe('end_turn');
  expect((await party.stored()) === `${long}\n`).toBe(true);
  await editor.close();
});

test(`${rounds} kills`, { timeout: 60_000 + 15_000 * rounds }, async () => {
  const next = random(seed);
  const editor = await acpEditor(home);
  const eca = await ecaClient(home);
  const ahp = await ahpOnStdio(home);
  const parties: Readonly<Record<string, Party>> = {
    acp: await acpParty(editor),
    eca: await ecaParty(eca),
    ahp: await ahpParty(ahp),
  };
  const each = <T>(run: (party: Party) => Promise<T>) =>
    Promise.all(Object.entries(parties).map(async ([name, party]) => [name, await run(party)] as const));
  for (let round = 0; round < rounds; round += 1) {
    const about = `round ${round} (seed ${seed})`;
    const { pid } = infoOf();
    const answers = each((party) => party.prompt(`${streamed} ${round}`));
    await pause(next() * 400);
    process.kill(pid, 'SIGKILL');
    for (const [name, answer] of await answers)
      expect(['end_turn', 'prompting', 'interrupted'], `${about}: ${name} got ${answer}`).toContain(answer);
    // A prompt that is sent in the moment of the kill may be interrupted, too.
    await vi.waitFor(() => expect(infoOf().pid, about).not.toBe(pid), { timeout: 100_000 });
    for (const [name, answer] of await each((party) => party.prompt(`say on ${round}`)))
      expect(['end_turn', 'prompting'], `${about}: ${name} goes on`).toContain(answer);
  }
  for (const [name, party] of Object.entries(parties))
    expect(await party.shown(), name).toBe(await party.stored());
  expect(editor.problems).toEqual([]);
  await Promise.all([editor.close(), eca.close(), ahp.close()]);
});

test('a host that is stopped tells those who watch a turn that it is over', async () => {
  const [editor, eca, ahp] = [await acpEditor(home), await ecaClient(home), await ahpOnStdio(home)];
  const asking = await acpParty(editor);
  void asking.prompt('tool shell_command {"command":"echo asked"}');
  await expect.poll(() => editor.asked).toHaveLength(1);
  // The pipe keeps the question for the next host; what else the editor waits for is over.
  const prompted = (await acpParty(editor)).prompt('hang');
  const started = await eca.request('chat/prompt', { chatId: 'watched', message: 'say on\nhang' });
  expect(started).toMatchObject({ status: 'prompting' });
  const chat = 'ahp-chat:/watched';
  await ahp.subscribe(chat);
  await ahp.until(chat, ({ activeTurn }) => activeTurn?.responseParts.length > 0);
  const from = eca.said.length;
  await home.run('stop').done;
  expect(await prompted).toBe('interrupted');
  await ahp.until(chat, ({ activeTurn, turns }) => !activeTurn && turns.length === 1);
  await eca.wait(({ method, params }) => method === 'chat/statusChanged' && params.status === 'idle', from);
  // Nobody has needed a host since, so none was started.
  expect(existsSync(join(home.env['PARLEY_HOME'] ?? '', 'host.json'))).toBe(false);
  await Promise.all([editor.close(), eca.close(), ahp.close()]);
});

/** The process that holds the data directory: a host that runs or is about to. */
function holder(): number {
  const path = join(home.env['PARLEY_HOME'] ?? '', 'lock.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid : 0;
}

test('hosts that are killed while they start', { timeout: 300_000 }, async () => {
  const [editor, eca, ahp] = [await acpEditor(home), await ecaClient(home), await ahpOnStdio(home)];
  const killed = new Set<number>();
  for (let kills = 0; kills < 3; kills += 1) {
    await vi.waitFor(() => expect(killed).not.toContain(holder()), { timeout: 100_000, interval: 1 });
    killed.add(holder());
    process.kill(holder(), 'SIGKILL');
  }
  const answers = [
    editor.agent.request(methods.agent.session.list, {}),
    eca.request('chat/list', {}),
    ahp.request('ping', { channel: 'ahp-root://' }),
  ];
  for (const answer of await Promise.all(answers)) expect(answer).toBeTypeOf('object');
  await Promise.all([editor.close(), eca.close(), ahp.close()]);
});
