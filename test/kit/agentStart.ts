// Starts the reference agent in a host for one test, and looks afterwards whether anything
// went wrong unnoticed.
import { afterAll, afterEach, expect } from 'vitest';
import type { Session } from '../../src/host/session/session.ts';
import type { UserMessage } from '../../src/model/event.ts';
import { agentRig, answerOf, brief, ended, prompt } from './agentRig.ts';
import { disposeReference } from './reference/program.ts';
import type { AgentRig, RigOptions } from './agentRig.ts';
import { testClient } from './host.ts';

const rigs: AgentRig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) {
    await rig.close();
    if (rig.problems.length > 0) throw new Error(`problems were reported: ${JSON.stringify(rig.problems)}`);
  }
});
afterAll(disposeReference);

export async function start(
  options: RigOptions = {},
): Promise<{ readonly rig: AgentRig; readonly session: Session }> {
  const rig = await agentRig(options);
  rigs.push(rig);
  return { rig, session: await rig.create() };
}

/** What the agent answers to a message that it can finish. */
export async function answered(session: Session, text: string): Promise<string> {
  const turn = await prompt(session, text);
  expect(turn.outcome).toEqual({ kind: 'completed' });
  return answerOf(turn);
}

/** What reaches the agent of a message whose text is "show". */
export async function shown(
  session: Session,
  message: Omit<UserMessage, 'id'>,
): Promise<{ readonly blocks: unknown; readonly items: readonly string[] }> {
  const id = `turn-${message.text}-${Math.random()}`;
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn: id, message: { id: `m-${id}`, ...message } },
    testClient,
  );
  const turn = await ended(session, id);
  return {
    blocks: JSON.parse(answerOf(turn)) as unknown,
    items: brief(turn.items).filter((line) => !line.startsWith('answer')),
  };
}
