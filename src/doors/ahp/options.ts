// What the AHP door needs from the application. A missing service is not offered.
import type { Caller } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import type { TerminalHub } from '../../host/terminals/terminalHub.ts';
import type { ResourceFiles } from '../../host/workspace/resourceFiles.ts';
import type { Clients } from './clients.ts';
import type { SignIns } from './inbound/signIns.ts';
import type { OpenDesk } from './outbound/customizations.ts';

/** A client id belongs to the principal that used it first. */
export interface AhpOptions {
  readonly caller: Caller;
  /** What we say we are. */
  readonly version: string;
  /** The clients of the host. All connections to one host share this value. */
  readonly clients: Clients;
  /** Whether the client is connected through a pipe that continues with the next host. */
  readonly resumable?: boolean;
  /** Requests beyond the protocol, whose names begin with `x-`. It refuses unknown methods. Named even
   * where there are none: the console needs them, and nothing else notices that they are missing. */
  readonly extension: ((method: string, params: unknown, signal: AbortSignal) => unknown) | undefined;
  /** Where a client may begin to look for a workspace. */
  readonly defaultDirectory?: string;
  /** The files of this machine; without them only what states refer to is served. */
  readonly files?: ResourceFiles;
  /** Folders of our own, which hold keys and logs and are never served. */
  readonly own?: readonly string[];
  /** The tool servers of some folders; without it none are shown. */
  readonly servers?: OpenDesk;
  /** The sign-in resources of servers; without them no token is accepted. */
  readonly signIns?: SignIns;
  /** The terminals of the host; without them none are offered. */
  readonly terminals?: (host: Host) => TerminalHub;
}
