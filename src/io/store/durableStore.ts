// What the app needs of a store beyond the host's port: maintenance and checks.
import type { LinkAddress } from '../../host/ownership/hostLinks.ts';
import type { LogStore, SharedStore } from '../../host/session/logStore.ts';
import type { SharedSignIns, SignInStorage } from '../auth/signInStorage.ts';
import type { LinkStatus } from '../links/hostLinks.ts';
import type { LinkKey } from '../links/linkProof.ts';
import type { SessionId } from '../../model/event.ts';

export interface DurableStore extends LogStore<SharedHosts> {
  /** Preloads the list of sessions in small steps; `all` also packs what an earlier host has left. */
  warm(what: 'list' | 'all'): Promise<void>;
  /** Checks everything that is stored and lists the problems. */
  verify(): Promise<readonly StoreDamage[]>;
}

export interface SharedHosts extends SharedStore {
  readonly own: StoreLinks;
  /** The hosts that use the store now. */
  holders(): Promise<readonly LeaseHolder[]>;
  /** Who may sign in at all of them. */
  readonly signIns: SignInStorage & { readonly shared: SharedSignIns };
}

/** How hosts of the store find and know each other. */
export interface StoreLinks {
  /** The lease of this host, by which others name it. */
  readonly me: string;
  /** With it this host proves to others that it is one of the store. */
  readonly key: LinkKey;
  /** The public key of another host, by its lease; undefined if it has none. */
  publicKeyOf(lease: string): Promise<string | undefined>;
  /** Tells the other hosts where this one takes links. */
  publish(address: LinkAddress): Promise<void>;
  /** The links of this host to others. */
  status(): readonly LinkStatus[];
}

/** A host that uses a store which it shares with others. */
export interface LeaseHolder {
  readonly name: string;
  readonly version: string;
  /** When it started, in milliseconds since 1970. */
  readonly started: number;
  /** The seconds until others may take its sessions; it renews them again and again. */
  readonly left: number;
  /** How many sessions it owns. */
  readonly sessions: number;
  readonly isMe: boolean;
  /** Where it takes links of other hosts; absent if it takes none. */
  readonly address?: string;
}

/** The long outputs that belong to a store, for copies. */
export interface OutputFiles {
  list(session: SessionId): Promise<readonly OutputFile[]>;
  /** Undefined if there is none of this name. */
  read(session: SessionId, name: string): Promise<Uint8Array | undefined>;
  /** Stores all of it or nothing. */
  write(session: SessionId, file: Pick<OutputFile, 'name' | 'at'>, bytes: Uint8Array): Promise<void>;
}

export interface OutputFile {
  readonly name: string;
  /** When it was written, in milliseconds since 1970; it is deleted by its age. */
  readonly at: number;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly hash: string;
}

export interface StoreDamage {
  readonly part: 'database' | 'log' | 'catalogue';
  readonly session?: SessionId;
  readonly seq?: number;
  readonly problem: string;
}
