// What a protocol version implements towards the door. The versions are sibling folders,
// listed in versions.ts.
import type { Catching } from './delivery/resume.ts';
import type { Host } from '../../host/host.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { AhpOptions } from './options.ts';

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
  reconnect(params: unknown, catching: Catching): unknown;
  request(method: string, params: unknown): unknown;
  notification(method: string, params: unknown): void;
  /** Gives a dispatched action back that its sender may not dispatch. */
  refuse(params: unknown, reason: string): void;
  close(): void;
}
