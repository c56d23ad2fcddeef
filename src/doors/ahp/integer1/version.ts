// AHP integer version 1, which clients offer as a number, as a version of this door.
import { rootResource } from '../../../protocols/ahp/integer1/state.ts';
import type { ProtocolVersion } from '../protocolVersion.ts';
import { Integer1Connection } from './connection.ts';

export const integer1: ProtocolVersion = {
  offer: { integer: 1 },
  requestMembers: {},
  // This version cannot tell a client to initialize again, so an unknown client gets snapshots.
  takesUnknown: (subscriptions) => subscriptions.includes(rootResource),
  open: (opening) => new Integer1Connection(opening),
};
