// The port to the hosts that own other sessions of the store. Implemented under io, faked in tests.
import type { Command, Rejection } from '../../model/command.ts';
import type { Origin, SessionId } from '../../model/event.ts';
import type { Carried } from './forwardedCommands.ts';

export interface SessionOwner {
  /** The name of the host. */
  readonly host: string;
  /** Another one after each start of the host. */
  readonly lease: string;
  /** Another one after each renewal of the lease. */
  readonly renewed: string;
  /** Where other hosts of the store reach it; absent if it takes no links. */
  readonly address?: LinkAddress;
}

export interface LinkAddress {
  readonly url: string;
  /** The SHA-256 fingerprint of the certificate that it shows; absent if nothing is encrypted. */
  readonly fingerprint?: string;
}

/** A command of a client of one host for a session that another host owns. */
export interface LinkCommand {
  /** The owner carries out one id once. */
  readonly id: string;
  readonly session: SessionId;
  readonly command: Command;
  readonly by: Origin;
  /** Set if the editor behind the command lends files or terminals, which the owner cannot use. */
  readonly lends?: true;
}

/** `gone`: the host does not own the session any more. */
export type LinkAnswer = Carried | { readonly gone: true };

/** The connection to another host. It is opened when it is needed, and again after it broke. */
export interface HostLink {
  /** Rejects with LinkBroken. */
  command(command: LinkCommand): Promise<LinkAnswer>;
  /** Asks the owner of an idle session to let it go; rejects with LinkBroken. */
  letGo(session: SessionId): Promise<boolean>;
  /** Tells what the owner does with a session until the returned function is called. */
  follow(session: SessionId, follower: LinkFollower): () => void;
  /** Whether the connection stands. */
  readonly isUp: boolean;
}

export interface Links {
  to(owner: SessionOwner): HostLink;
}

/** The other host cannot be reached, or the connection broke before it answered. */
export class LinkBroken extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'LinkBroken';
  }
}

/** What a host does for the others. */
export interface LinkService {
  command(command: LinkCommand): Promise<LinkAnswer>;
  /** `to` is the name of the host that asks. */
  letGo(session: SessionId, to: string): Promise<boolean>;
  /** Undefined if this host does not own the session. */
  follow(session: SessionId, on: LinkFollower): (() => void) | undefined;
}

export interface LinkFollower {
  /** Entries are stored and published. */
  stored(): void;
  /** The host does not own the session any more; nothing more comes. */
  gone(): void;
  /** The link broke; nothing comes until it is open again. */
  broke?(): void;
}

export function isGone(answer: LinkAnswer | Rejection): answer is { readonly gone: true } {
  return 'gone' in answer;
}
