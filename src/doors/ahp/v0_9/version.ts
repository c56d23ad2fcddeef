// AHP 0.9: a translation of 1.0. Only outgoing messages differ.
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import type { ProtocolVersion } from '../protocolVersion.ts';
import { projectionsByRole } from '../outbound/offeredAnswers.ts';
import { V1_0Connection } from '../v1_0/connection.ts';
import { olderChat, olderSession, olderSummary, project } from './translate.ts';

const translation = {
  projections: projectionsByRole(project),
  session: olderSession,
  chat: olderChat,
  summary: olderSummary,
};

export const v0_9: ProtocolVersion = {
  offer: { baseline: '0.9.0' },
  requestMembers: { channel: rootChannel },
  open: (opening) => new V1_0Connection(opening, translation),
};
