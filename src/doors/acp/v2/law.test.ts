// Laws of version 2 for any log: every update is valid in the schema of the SDK, a client that loads a
// session ends where one is that followed it, and both versions say the same words.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { updateProblems } from '../../../../test/kit/acpSchemaV2.ts';
import { logs, sessionId } from '../../../../test/kit/logs.ts';
import type { RandomLog } from '../../../../test/kit/logs.ts';
import { storedLogs } from '../../../../test/kit/storedLogs.ts';
import type { Projection } from '../../../host/session/live.ts';
import { emptyState } from '../../../model/state.ts';
import type { AcpUpdate } from '../outbound/entries.ts';
import { replayEntries } from '../outbound/replay.ts';
import { version1 } from '../outbound/wireVersion.ts';
import { version2 } from './project.ts';

const stored = await storedLogs(logs());

interface Update {
  readonly sessionUpdate: string;
  readonly [key: string]: unknown;
}

const updatesIn = (messages: readonly AcpUpdate[]): readonly Update[] =>
  messages.flatMap((message) => ('update' in message ? [message.update as unknown as Update] : []));

function live({ entries, states }: RandomLog, project: Projection<AcpUpdate>): readonly Update[] {
  return entries.flatMap((entry, at) => {
    const [before, after] = [states[at], states[at + 1]];
    if (!before || !after) throw new Error('no state');
    return updatesIn(project({ entry, before, after }).filter(({ chat }) => chat === sessionId));
  });
}

function replayed({ entries, states }: RandomLog): readonly Update[] {
  const upTo = states.at(-1) ?? emptyState(sessionId);
  const range = { entries, from: emptyState(sessionId), upTo, chat: sessionId, project: version2.project };
  return updatesIn([...replayEntries(range)]);
}

/** The last word about each call, terminal and user message, and the texts by their ids. */
function view(updates: readonly Update[]): ReadonlyMap<string, unknown> {
  const seen = new Map<string, unknown>();
  for (const update of updates) {
    const { sessionUpdate: kind, messageId, toolCallId, terminalId, content, ...rest } = update;
    if (kind.endsWith('_chunk')) {
      const key = `${kind} ${String(messageId)}`;
      const { text = '' } = content as { text?: string };
      const known = seen.get(key);
      seen.set(key, (typeof known === 'string' ? known : '') + text);
    } else if (typeof messageId === 'string') seen.set(`message ${messageId}`, content);
    else if (toolCallId !== undefined || terminalId !== undefined) {
      const key = `${String(toolCallId)} ${String(terminalId)}`;
      seen.set(key, { ...(seen.get(key) as object), ...rest, ...(content === undefined ? {} : { content }) });
    }
  }
  return seen;
}

const words = (updates: readonly Update[]) =>
  [...view(updates)].filter(([key]) => key.startsWith('agent_message_chunk'));

/** Few random logs run a command; these do, so the law is always tried on some. */
const withTerminals = fc
  .sample(stored, { numRuns: 200, seed: 7 })
  .filter((log) => live(log, version2.project).some((update) => update.sessionUpdate === 'terminal_update'));

test('every update is valid, and loading shows what following has shown', () => {
  let terminals = 0;
  fc.assert(
    fc.property(stored, (log) => {
      const followed = live(log, version2.project);
      expect(followed.flatMap(updateProblems)).toEqual([]);
      const [now, loaded] = [view(followed), view(replayed(log))];
      for (const [key, value] of loaded) expect([key, now.get(key)]).toEqual([key, value]);
      expect(words(followed)).toEqual(words(live(log, version1.project)));
      terminals += followed.filter(({ sessionUpdate }) => sessionUpdate === 'terminal_update').length;
    }),
    { numRuns: 150, examples: withTerminals.map((log) => [log]) },
  );
  expect(terminals).toBeGreaterThan(0);
});
