// Whatever happens in whatever order: once every proposal is settled, our copy is the host's state.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import { reduceChat } from '../../src/protocols/ahp/v1_0/reducers/chat.ts';
import type { ActionEnvelope } from '../../src/protocols/ahp/v1_0/state.ts';
import { chatState } from '../../test/scenarios/console/states.ts';
import { advance, replicate } from './replica.ts';

const reduce = reduceChat;
const start = chatState('ahp-chat:/one');

const action: fc.Arbitrary<ClientAction> = fc.oneof(
  fc.record({
    type: fc.constant('chat/draftChanged' as const),
    draft: fc.record({ text: fc.string({ maxLength: 3 }), origin: fc.constant({ kind: 'user' as const }) }),
  }),
  fc.record({
    type: fc.constant('chat/pendingMessageSet' as const),
    kind: fc.constantFrom('queued' as const, 'steering' as const),
    id: fc.constantFrom('a', 'b', 'c'),
    message: fc.constant({ text: 'm', origin: { kind: 'user' as const } }),
  }),
  fc.record({
    type: fc.constant('chat/pendingMessageRemoved' as const),
    kind: fc.constantFrom('queued' as const, 'steering' as const),
    id: fc.constantFrom('a', 'b', 'c'),
  }),
  fc.record({ type: fc.constant('chat/isReadChanged' as const), isRead: fc.boolean() }),
);

/**
 * What happens: we propose, somebody else acts, or the host accepts or rejects the oldest of our proposals.
 */
const step = fc.oneof(
  fc.record({ do: fc.constant('propose' as const), action }),
  fc.record({ do: fc.constant('foreign' as const), action }),
  fc.record({ do: fc.constantFrom('accept' as const, 'reject' as const) }),
);

test('a settled copy equals the state of the host', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let host = start;
      let seq = 0;
      let replica = replicate(start, 0, { proposals: [], reduce });
      let clientSeq = 0;
      const tell = (envelope: ActionEnvelope, settled?: number) => {
        if (envelope.rejectionReason === undefined) host = reduce(host, envelope.action);
        replica = advance(replica, envelope, { settled, reduce });
      };
      const settleOldest = (accepted: boolean) => {
        const [oldest] = replica.proposals;
        if (!oldest) return;
        const envelope = {
          channel: start.resource,
          action: oldest.action,
          serverSeq: accepted ? ++seq : seq,
          ...(accepted ? {} : { rejectionReason: 'no' }),
        };
        tell(envelope, oldest.clientSeq);
      };
      for (const one of steps) {
        if (one.do === 'propose') {
          const proposals = [
            ...replica.proposals,
            { clientSeq: ++clientSeq, action: one.action, sent: true },
          ];
          replica = replicate(replica.confirmed, replica.seq, { proposals, reduce });
        } else if (one.do === 'foreign')
          tell({ channel: start.resource, action: one.action, serverSeq: ++seq });
        else settleOldest(one.do === 'accept');
        expect(replica.confirmed).toEqual(host);
      }
      while (replica.proposals.length > 0) settleOldest(true);
      expect(replica.shown).toBe(replica.confirmed);
      expect(replica.shown).toEqual(host);
    }),
  );
});

test('an action that the snapshot already holds is not applied again', () => {
  const replica = replicate(start, 7, { proposals: [], reduce });
  const old = {
    channel: start.resource,
    action: { type: 'chat/activityChanged', activity: 'old' },
    serverSeq: 7,
  } as const;
  expect(advance(replica, old, { settled: undefined, reduce })).toBe(replica);
});
