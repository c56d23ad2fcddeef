// AHP 1.0 as a version of this door.
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import type { ProtocolVersion } from '../protocolVersion.ts';
import { projectionsByRole } from '../outbound/offeredAnswers.ts';
import { V1_0Connection } from './connection.ts';
import type { Translation } from './connection.ts';
import { project } from './outbound/entries.ts';

const untranslated: Translation = {
  projections: projectionsByRole(project),
  session: (state) => state,
  chat: (state) => state,
  summary: (summary) => summary,
};

export const v1_0: ProtocolVersion = {
  // VS Code counted 1.0.0 as 0.10.0 before it was released.
  offer: { baseline: '1.0.0', aliases: ['0.10.0'] },
  requestMembers: { channel: rootChannel },
  open: (opening) => new V1_0Connection(opening, untranslated),
};
