// What tests that kill and restart the host share: prompts, what was shown, and whether it is kept.
import { expect } from 'vitest';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import { read } from '../contracts/logStore.ts';
import type { AhpClient } from '../kit/clients.ts';
import type { Home } from '../kit/parley.ts';
import { openOn } from '../kit/testStore.ts';
import type { Loose } from '../kit/wire.ts';

/** Every turn that was shown is kept: the same if it had ended, else with all that was said and done. */
export function expectKept(shown: Loose, kept: Loose, about: string): void {
  expect(kept.turns.slice(0, shown.turns.length), about).toEqual(shown.turns);
  const turn = shown.activeTurn ?? { responseParts: [] };
  const now = shown.activeTurn ? (kept.turns[shown.turns.length] ?? kept.activeTurn) : turn;
  const [before, after] = [spokenOf(turn), spokenOf(now)];
  expect(after.startsWith(before), `${about}: ${before.length} shown, ${after.length} kept`).toBe(true);
  const done = ({ responseParts }: Loose) =>
    responseParts.filter(({ toolCall }: Loose) => toolCall?.status === 'completed');
  expect(done(now), about).toEqual(expect.arrayContaining(done(turn)));
}

/** What is wrong in the log. A summary that was shown as made is in effect, and no other. */
export async function problemsInLog({ env }: Pick<Home, 'env'>): Promise<readonly unknown[]> {
  const problems: unknown[] = [];
  const report = (problem: unknown) => problems.push(problem);
  const { PARLEY_STORE: database, PARLEY_HOME: directory = '' } = env;
  const store = database === undefined ? await openStore({ directory, report }) : await openOn(database);
  problems.push(...(await store.verify()));
  for (const { id } of store.summaries()) {
    const entries = await read(store, id);
    if (entries.some(({ seq }, at) => seq !== at + 1)) problems.push(`${id} has gaps`);
    const isCompaction = new Set<string>();
    const open = new Set<string>();
    for (const { event } of entries) {
      if (event.kind === 'tool.started' && event.name === 'compact_chat') isCompaction.add(event.tool);
      if (event.kind === 'tool.ended' && event.result.status === 'done' && isCompaction.has(event.tool))
        open.add(event.tool);
      if (event.kind === 'chat.compacted' && !open.delete(event.item ?? ''))
        problems.push(`${id} has a summary without its call`);
    }
    if (open.size > 0) problems.push(`${id} has a call without its summary`);
  }
  await store.close();
  return problems;
}

export function send(
  ahp: AhpClient,
  chat: string,
  [turnId, text]: readonly [turn: string, text: string],
): void {
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
}

/** The words of an answer. */
export function spokenOf(turn: Loose): string {
  return turn.responseParts
    .flatMap((part: Loose) => (part.kind === 'markdown' ? [part.content] : []))
    .join('');
}

export function toolOf(state: Loose): Loose {
  return state.activeTurn?.responseParts.find((part: Loose) => part.kind === 'toolCall')?.toolCall;
}

/** A repeatable source of moments. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
