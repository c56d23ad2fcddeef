// kill -9 of the host at random moments: whatever any client was shown is there again, in order, once,
// and everybody can go on.
import { methods } from '@agentclientprotocol/sdk';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { reducers } from '../../src/protocols/ahp/v1_0/reduce.ts';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

const home = newHome();
afterAll(() => home.dispose());

/** `npm run faults:kill` asks for more. */
const rounds = Number(process.env['PARLEY_KILL_ROUNDS'] ?? 54);
const moments = ['stream', 'tool', 'ask'] as const;

/** Found on no other command line of this machine. */
const marker = `31.${process.pid}`;

/** Directives of the scripted model for each kind of moment. */
const prompts: Record<(typeof moments)[number], string> = {
  stream: `reason Let me think.\n${'stream 50 word\npause 5\n'.repeat(400)}`,
  tool: `say I will run it.\ntool shell_command {"command":"echo started; sleep ${marker}; echo never"}`,
  ask: 'say May I?\ntool write_file {"path":"x.txt","content":"x"}',
};

/** A repeatable source of moments. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const toolOf = (state: Loose) =>
  state.activeTurn?.responseParts.find((part: Loose) => part.kind === 'toolCall')?.toolCall;
const pause = (milliseconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
const spokenOf = (turn: Loose): string =>
  turn.responseParts.flatMap((part: Loose) => (part.kind === 'markdown' ? [part.content] : [])).join('');

async function start(ahp: AhpClient, session: string, moment: (typeof moments)[number]): Promise<string> {
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: `${session}#1`,
    startedAt: new Date(0).toISOString(),
    message: { text: prompts[moment], origin: { kind: 'user' } },
  });
  if (moment === 'stream') await ahp.until(chat, (state) => state.activeTurn?.responseParts.length > 1);
  else await ahp.until(chat, (state) => toolOf(state)?.status === 'pending-confirmation');
  if (moment === 'tool') {
    const { activeTurn } = ahp.states.get(chat);
    const { toolCallId, options } = toolOf(ahp.states.get(chat));
    ahp.dispatch(chat, {
      type: 'chat/toolCallConfirmed',
      turnId: activeTurn.id,
      toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: options[0].id,
    });
  }
  return chat;
}

/** Command lines of living processes that contain a word; a zombie has none. */
function processesWith(word: string): readonly string[] {
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
  return lines.filter((line) => line.includes(word));
}

test(`${rounds} rounds`, { timeout: 240_000 * Math.max(1, rounds / 54) }, async () => {
  const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_115);
  const next = random(seed);
  let host = await home.serve();
  for (let round = 0; round < rounds; round += 1) {
    const moment = moments[round % 3] ?? 'stream';
    const about = `round ${round} (${moment}, seed ${seed})`;
    const session = `parley:/kill-${round}`;
    const ahp = await ahpClient(host);
    const witnesses = round % 6 < 3;
    const chat = await start(ahp, session, moment);
    const eca = witnesses ? await ecaClient(home) : undefined;
    if (eca) await eca.request('chat/open', { chatId: `kill-${round}` });
    const acp = witnesses ? await acpEditor(home) : undefined;
    if (acp)
      await acp.agent.request(methods.agent.session.load, {
        sessionId: `kill-${round}`,
        cwd: home.workspace,
        mcpServers: [],
      });

    await pause(next() * 60);
    const dead = host.kill();
    await Promise.all([dead, ahp.peer.closed, ...(eca ? [eca.peer.closed] : [])]);
    const lastSeenServerSeq = ahp.last();
    const shown = ahp.states.get(chat);
    const shownToEca = (eca?.said ?? [])
      .flatMap(({ method, params }) =>
        method === 'chat/contentReceived' && params.role === 'assistant' && params.content.type === 'text'
          ? [params.content.text]
          : [],
      )
      .join('');
    const shownToAcp = (acp?.updates ?? [])
      .flatMap(({ update }: Loose) =>
        update.sessionUpdate === 'agent_message_chunk' ? [update.content.text] : [],
      )
      .join('');
    await acp?.close();

    host = await home.serve();
    const fresh = await ahpClient(host);
    const now = await fresh.subscribe(chat);
    expect(now.activeTurn, about).toBeUndefined();
    expect(now.turns, about).toHaveLength(1);
    const [turn] = now.turns;
    expect(turn, about).toMatchObject({ state: 'error' });
    expect(turn.responseParts.at(-1), about).toMatchObject({ kind: 'error' });
    const spoken = spokenOf(turn);
    const before = spokenOf(shown.activeTurn ?? shown.turns[0]);
    expect(spoken.startsWith(before), `${about}: ${before.length} shown, ${spoken.length} kept`).toBe(true);
    expect(spoken.startsWith(shownToEca.trimStart()), `${about}: ECA`).toBe(true);
    expect(spoken.startsWith(shownToAcp), `${about}: ACP`).toBe(true);
    const tools = turn.responseParts.flatMap((part: Loose) =>
      part.kind === 'toolCall' ? [part.toolCall.status] : [],
    );
    expect(tools, about).toEqual(moment === 'stream' ? [] : ['cancelled']);

    const resumed: Loose = await ahpClient(host, {
      clientId: (ahp as Loose).clientId,
      lastSeenServerSeq,
      subscriptions: [session, chat],
    });
    let again = shown;
    const replayed = resumed.resumed.type === 'replay' ? resumed.resumed.actions : [];
    for (const envelope of replayed)
      if (envelope.channel === chat) again = reducers.chat(again, envelope.action);
    const end = resumed.resumed.type === 'replay' ? again : resumed.states.get(chat);
    expect(end, `${about}: reconnect`).toEqual(now);
    const seqs = [...ahp.seqs, ...replayed.map(({ serverSeq }: Loose) => serverSeq)];
    expect(seqs, about).toEqual(seqs.toSorted((a, b) => a - b));
    expect(new Set(seqs).size, about).toBe(seqs.length);

    expect(processesWith(marker), `${about}: orphans`).toEqual([]);
    fresh.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: `${session}#2`,
      startedAt: new Date(0).toISOString(),
      message: { text: 'say We go on.', origin: { kind: 'user' } },
    });
    const after = await fresh.until(chat, (state) => state.turns.length === 2);
    expect(spokenOf(after.turns[1]), about).toContain('We go on.');
    await Promise.all([fresh.close(), resumed.close()]);
  }
  await host.kill('SIGTERM');
});
