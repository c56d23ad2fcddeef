// The real host for one file of tests, and editors that start `parley acp` on it. All they hear is
// held against the schema.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { acpProcess } from '../../kit/acpClient.ts';
import type { AcpClient } from '../../kit/acpClient.ts';
import { newHome } from '../../kit/parley.ts';
import type { Home, Served } from '../../kit/parley.ts';

let home: Home;
let served: Served;
const editors: AcpClient[] = [];

/** Done to the home of the host before it starts. */
export const preparations: ((home: Home) => Promise<void> | void)[] = [];

beforeAll(async () => {
  home = newHome();
  for (const prepare of preparations) await prepare(home);
  served = await home.serve();
});

afterAll(() => home.dispose());

afterEach(async () => {
  for (const each of editors.splice(0)) {
    await each.close();
    if (each.problems.length > 0) throw new Error(each.problems.join('\n'));
  }
});

export function place(): Home & Served {
  return { ...home, ...served };
}

/** An editor that has not said a word yet. */
export function stranger(): AcpClient {
  const client = acpProcess(home);
  editors.push(client);
  return client;
}

export async function editor(hello: object = {}): Promise<AcpClient> {
  const client = stranger();
  await client.initialize(hello);
  return client;
}

/** An editor with a session in the workspace. */
export async function working(
  hello: object = {},
): Promise<{ client: AcpClient; sessionId: string; cwd: string }> {
  const client = await editor(hello);
  const cwd = home.workspace;
  return { client, cwd, sessionId: await client.newSession({ cwd }) };
}

/** What the agent has said in a session so far, joined. */
export function spoken(client: AcpClient, sessionId: string): string {
  return client
    .updates(sessionId)
    .flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [update.content.text]
        : [],
    )
    .join('');
}

export function kinds(client: AcpClient, sessionId: string): readonly string[] {
  return client.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate);
}

/** The answer to the last request of a method's kind is recognised by a member of its result. */
export function answerAt({ sent }: AcpClient, member: string): number {
  return sent.findLastIndex(({ result }) => result !== undefined && result !== null && member in result);
}

export const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

export const shell = (command: string) => `tool shell_command ${JSON.stringify({ command })}`;
