// How one generation of clients is spoken to. Everything else about a chat is the same for all of them.
import type { Live, Projection } from '../../../host/session/live.ts';
import { shareLive } from '../../../host/session/live.ts';
import type { Session } from '../../../host/session/session.ts';
import type { ChatId } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type {
  PermissionOption,
  PermissionRequest,
  SessionUpdate,
} from '../../../protocols/acp/v1/messages.ts';
import { project } from './entries.ts';
import type { AcpUpdate } from './entries.ts';

export interface WireVersion {
  readonly number: 1 | 2;
  /** The messages for one entry, live and in replay. */
  readonly project: Projection<AcpUpdate>;
  readonly live: (session: Session) => Live<AcpUpdate>;
  /** What a client is told first about a chat that it opens. */
  readonly opening: (state: State, chat: ChatId) => readonly AcpUpdate[];
  /** An update outside the projection, in the form of this generation; undefined if it has none. */
  readonly update: (update: SessionUpdate) => object | undefined;
  readonly permission: (request: PermissionRequest) => OfferedOptions;
}

export interface OfferedOptions {
  readonly options: readonly PermissionOption[];
}

export const version1: WireVersion = {
  number: 1,
  project,
  live: shareLive(project),
  opening: () => [],
  update: (update) => update,
  permission: (request) => request,
};
