// A host in memory with scripted turns and ECA clients, for the tests of the ECA door. All are closed after
// each test.
import { afterEach } from 'vitest';
import { greetedClient } from './ecaClient.ts';
import type { EcaClient } from './ecaClient.ts';
import { rig } from './host.ts';
import type { Rig, Script } from './host.ts';

/** Call it once at the top of a test file. */
export function useEcaHost() {
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });
  const closeLater = (client: EcaClient): void => {
    opened.unshift(() => client.close());
  };
  return {
    closeLater,
    start: async (scripts: { readonly [text: string]: Script } = {}): Promise<Rig> => {
      const made = await rig();
      for (const [text, script] of Object.entries(scripts)) made.scripts.set(text, script);
      opened.push(() => made.close());
      return made;
    },
    connect: async ({ host }: Rig, options?: Parameters<typeof greetedClient>[1]): Promise<EcaClient> => {
      const client = await greetedClient(host, options);
      closeLater(client);
      return client;
    },
  };
}

export const says =
  (text: string): Script =>
  async (turn) =>
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text });

/** Asks to run a command and says what became of it. */
export const shell: Script = async (turn) => {
  const tool = 'x';
  turn.report({
    kind: 'tool.started',
    tool,
    name: 'shell_command',
    title: 'Preparing shell command',
    toolKind: 'execute',
    source: 'native',
  });
  turn.report({
    kind: 'tool.ready',
    tool,
    input: { command: 'echo hi' },
    title: '$ echo hi',
    toolKind: 'execute',
  });
  const verdict = await turn.approve({
    tool,
    intent: {
      name: 'shell_command',
      toolKind: 'execute',
      input: { command: 'echo hi' },
      paths: ['/w'],
      command: 'echo hi',
    },
    title: '$ echo hi',
  });
  if (verdict.allowed)
    turn.report({
      kind: 'tool.ended',
      tool,
      result: { status: 'done', content: [{ type: 'text', text: 'hi' }] },
    });
  turn.report({
    kind: 'text.added',
    item: 'i',
    channel: 'answer',
    text: verdict.allowed ? 'Done.' : `Refused: ${verdict.reason}`,
  });
};
