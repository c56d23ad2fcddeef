// What a protocol version implements towards the door. The versions are sibling folders,
// listed in versions.ts.
import type { Host } from '../../host/host.ts';
import type { Role } from '../../host/policy/roles.ts';
import type { ResourceFiles } from '../../host/workspace/resourceFiles.ts';
import type { TerminalHub } from '../../host/terminals/terminalHub.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { OpenDesk } from './outbound/customizations.ts';
import type { SignIns } from './inbound/signIns.ts';

export interface AhpOptions {
  /** What we say we are. */
  readonly version: string;
  /** The principal whose credential was used. A client id belongs to the principal that used it first. */
  readonly principal: string;
  /** What the client may do; absent means everything. */
  readonly role?: Role;
  /** Requests beyond the protocol, whose names begin with `x-`. It refuses what it does not know. */
  readonly extension?: (method: string, params: unknown, signal: AbortSignal) => unknown;
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

export interface Opening {
  readonly host: Host;
  readonly peer: Peer;
  readonly options: AhpOptions;
  /** The version as the client offered it. */
  readonly version: string;
  readonly client: { readonly id: string; readonly name?: string };
  /** What the client added to its first message. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

/** How clients offer a version: as one number, or as a version in the range that starts at a baseline. */
export type VersionOffer =
  | { readonly integer: number }
  | {
      readonly baseline: string;
      /** Unreleased version numbers that mean the baseline. */
      readonly aliases?: readonly string[];
    };

export interface ProtocolVersion {
  readonly offer: VersionOffer;
  /** What every request to a client has besides its own params. */
  readonly requestMembers: Readonly<Record<string, unknown>>;
  /**
   * Whether a client that reconnects with these subscriptions speaks this version, although the
   * host does not know it.
   */
  readonly takesUnknown?: (subscriptions: readonly unknown[]) => boolean;
  readonly open: (opening: Opening) => VersionConnection;
}

/** One connection after its first message. */
export interface VersionConnection {
  /** The answer to the first message, whichever of the two it was. */
  initialize(params: unknown): unknown;
  reconnect(params: unknown): unknown;
  request(method: string, params: unknown): unknown;
  notification(method: string, params: unknown): void;
  /** Gives a dispatched action back that its sender may not dispatch. */
  refuse(params: unknown, reason: string): void;
  close(): void;
}
