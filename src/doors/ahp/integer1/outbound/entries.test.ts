import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differencesOf, enriched, stepsOf } from '../../../../../test/kit/ahpLogs.ts';
import { logs } from '../../../../../test/kit/logs.ts';
import { format1Logs } from '../../../../../test/kit/released.ts';
import { lawRuns, storedLogs } from '../../../../../test/kit/storedLogs.ts';
import { coalesce } from '../../../../model/coalesce.ts';
import type { Role } from '../../../../host/policy/roles.ts';
import type { Entry } from '../../../../model/event.ts';
import { reducers } from '../../../../../test/kit/ahp/integer1/reduce.ts';
import type { SessionState } from '../../../../protocols/ahp/integer1/state.ts';
import { chatTarget, isSameTarget } from '../../channels/target.ts';
import { actionsPerEntry } from '../../delivery/serverSeq.ts';
import { stepShownTo } from '../../outbound/offeredAnswers.ts';
import { project, show } from './entries.ts';
import { sessionState } from './sessionState.ts';

const stored = await storedLogs(enriched(logs()));

test('the snapshot at any entry and the actions after it make the later snapshot', () => {
  fc.assert(
    fc.property(stored, ({ entries }) => checkLaw(entries)),
    { numRuns: lawRuns(1000) },
  );
});

test('also for those who are not offered every answer', () => {
  fc.assert(
    fc.property(stored, fc.constantFrom('observe', 'approve'), ({ entries }, role) =>
      checkLaw(entries, role),
    ),
    { numRuns: lawRuns(300) },
  );
});

test.each(format1Logs.map(({ name, entries }) => [name, entries] as const))(
  'also for a log of format 1: %s',
  (_, entries) => checkLaw(entries),
);

test('also when the pieces of a stream were merged', () => {
  fc.assert(
    fc.property(stored, fc.nat(), ({ entries }, cut) => {
      const k = cut % (entries.length + 1);
      checkLaw([...entries.slice(0, k), ...coalesce(entries.slice(k))]);
    }),
    { numRuns: lawRuns(300) },
  );
});

test('numbers grow over a whole log, and an entry becomes no more actions than it has numbers', () => {
  fc.assert(
    fc.property(stored, ({ entries }) => {
      const seqs = stepsOf(entries).flatMap((step) => project(step).map(({ seq }) => seq));
      expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
      for (const step of stepsOf(entries)) expect(show(step).length).toBeLessThan(actionsPerEntry);
    }),
    { numRuns: lawRuns(300) },
  );
});

test('what a client dispatched comes back with its number at most once per entry and session', () => {
  fc.assert(
    fc.property(stored, ({ entries }) => {
      for (const step of stepsOf(entries)) {
        const echoes = project(step)
          .filter((outgoing) => outgoing.envelope('x').origin)
          .map(({ target, action }) => `${JSON.stringify(target)} ${action.type}`);
        expect(echoes).toEqual([...new Set(echoes)]);
      }
    }),
    { numRuns: lawRuns(300) },
  );
});

test('an action names its session as each client spells it, and the text is the envelope', () => {
  fc.assert(
    fc.property(enriched(logs(20)), ({ entries }) => {
      for (const outgoing of stepsOf(entries).flatMap(project)) {
        for (const uri of ['script:/session-1', 'ahp-session:/session-1']) {
          const params: unknown = JSON.parse(outgoing.text(uri)).params;
          expect(params).toEqual(JSON.parse(JSON.stringify(outgoing.envelope(uri))));
          expect(params).toMatchObject({
            action: outgoing.target.kind === 'terminal' ? { terminal: uri } : { session: uri },
          });
        }
      }
    }),
    { numRuns: 50 },
  );
});

/** Times are the reader's own in this version, and folders are told with the list alone. */
function checkLaw(entries: readonly Entry[], role: Role = 'control'): void {
  const views = new Map<string, SessionState>();
  for (const step of stepsOf(entries).map((each) => stepShownTo(role, each))) {
    const shown = show(step);
    for (const chat of step.after.order) {
      const wanted = sessionState(step.after, chat, chat);
      if (!wanted) throw new Error(`no state of ${chat}`);
      const had = views.get(chat);
      const got = had
        ? shown
            .filter(({ target }) => isSameTarget(target, chatTarget(chat)))
            .reduce((view, { action }) => reducers.session(view, action, step.entry.at), had)
        : wanted;
      const differences = differencesOf(comparable(wanted), comparable(got));
      if (differences.length > 0)
        throw new Error(
          `${chat} after ${JSON.stringify(step.entry.event)}\n${differences.join('\n')}\n` +
            JSON.stringify(shown.map(({ action }) => action)),
        );
      views.set(chat, wanted);
    }
    for (const chat of views.keys()) if (!step.after.order.includes(chat)) views.delete(chat);
  }
}

function comparable(state: SessionState): unknown {
  const { modifiedAt: _, project: __, workingDirectory: ___, ...summary } = state.summary;
  // A model without a name is none.
  const { model, ...rest } = summary;
  return { ...state, summary: model?.id ? summary : rest };
}
