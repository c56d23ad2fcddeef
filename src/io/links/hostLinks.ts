// The links of this host to others: one connection for each host whose sessions are followed or commanded
// here.
import { errorText } from '../../base/errorText.ts';
import { isRecord } from '../../base/isRecord.ts';
import { LinkBroken } from '../../host/ownership/hostLinks.ts';
import type {
  HostLink,
  LinkAnswer,
  LinkCommand,
  LinkFollower,
  Links,
} from '../../host/ownership/hostLinks.ts';
import type { SessionOwner } from '../../host/ownership/hostLinks.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import { dialHost } from './dialHost.ts';
import { makeProof } from './linkProof.ts';
import type { LinkKey } from './linkProof.ts';

export interface HostLinksOptions {
  /** The name of this host. */
  readonly name: string;
  /** The lease of this host. */
  readonly me: () => string;
  /** The key of this host, once the others can know it. */
  readonly key: () => Promise<LinkKey>;
  /** The public key of another host, by its lease. */
  readonly publicKeyOf: (lease: string) => Promise<string | undefined>;
}

/** A link as operators see it. */
export interface LinkStatus {
  readonly host: string;
  readonly url: string;
  readonly isUp: boolean;
  /** How many sessions of the other host are followed here. */
  readonly sessions: number;
  /** Why it is down. */
  readonly problem?: string;
}

/** How long the other host may take to answer, in milliseconds; it may wait for its database. */
const answerTime = 10_000;

/** The pause before a broken link is opened again, in milliseconds. */
const redialPause = 1_000;

export class HostLinks implements Links {
  readonly #options: HostLinksOptions;
  readonly #links = new Map<string, DialledLink>();

  constructor(options: HostLinksOptions) {
    this.#options = options;
  }

  to(owner: SessionOwner): HostLink {
    const known = this.#links.get(owner.lease);
    if (known) return known;
    const link = new DialledLink(owner, {
      ...this.#options,
      unused: () => this.#links.delete(owner.lease),
    });
    this.#links.set(owner.lease, link);
    return link;
  }

  status(): readonly LinkStatus[] {
    return [...this.#links.values()].map((link) => link.status());
  }

  close(): void {
    for (const link of [...this.#links.values()]) link.close();
  }
}

interface DialledLinkOptions extends HostLinksOptions {
  /** Nobody needs the link any more. */
  readonly unused: () => void;
}

class DialledLink implements HostLink {
  readonly #owner: SessionOwner;
  readonly #options: DialledLinkOptions;
  readonly #followers = new Map<string, Set<LinkFollower>>();
  #dialling: Promise<Peer> | undefined;
  #peer: Peer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #closed = false;

  constructor(owner: SessionOwner, options: DialledLinkOptions) {
    this.#owner = owner;
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#peer !== undefined;
  }

  async command(command: LinkCommand): Promise<LinkAnswer> {
    const answer = await this.#request('command', command);
    if (isAnswer(answer)) return answer;
    throw new LinkBroken('It gave an answer that this version does not know.');
  }

  async letGo(session: string): Promise<boolean> {
    return (await this.#request('letGo', { session, to: this.#options.name })) === true;
  }

  follow(session: string, follower: LinkFollower): () => void {
    const followers = this.#followers.get(session) ?? new Set();
    const isFirst = followers.size === 0;
    this.#followers.set(session, followers.add(follower));
    if (this.#peer && isFirst) this.#ask(this.#peer, session);
    else if (!this.#peer) this.#dialFollowers();
    return () => {
      followers.delete(follower);
      if (followers.size > 0) return;
      this.#followers.delete(session);
      this.#peer?.notify('unfollow', { session });
    };
  }

  status(): LinkStatus {
    const { host, address } = this.#owner;
    return {
      host,
      url: address?.url ?? '',
      isUp: this.isUp,
      sessions: this.#followers.size,
      ...(this.#problem !== undefined && !this.isUp ? { problem: this.#problem } : {}),
    };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#peer?.close();
    this.#options.unused();
  }

  async #request(method: string, params: unknown): Promise<unknown> {
    const peer = await this.#connected();
    try {
      return await peer.request(method, params, { signal: AbortSignal.timeout(answerTime) });
    } catch (error) {
      throw new LinkBroken(`The link broke: ${errorText(error, String(error))}.`);
    }
  }

  #connected(): Promise<Peer> {
    if (this.#peer) return Promise.resolve(this.#peer);
    this.#dialling ??= this.#dial().finally(() => {
      this.#dialling = undefined;
    });
    return this.#dialling;
  }

  async #dial(): Promise<Peer> {
    const { address, lease } = this.#owner;
    try {
      if (this.#closed || !address) throw new LinkBroken('This host is stopping.');
      const { key, publicKeyOf, me } = this.#options;
      const theirs = await publicKeyOf(lease);
      if (theirs === undefined) throw new LinkBroken('It has no key in the store.');
      const proof = makeProof({ key: await key(), theirs, from: me(), to: lease });
      const peer = createPeer(await dialHost(address, proof), {
        handle: {
          request: () => undefined,
          notification: (method, params) =>
            this.#told(method, isRecord(params) ? params['session'] : undefined),
        },
      });
      this.#peer = peer;
      this.#problem = undefined;
      void peer.closed.then(() => this.#broke());
      for (const session of this.#followers.keys()) this.#ask(peer, session);
      return peer;
    } catch (error) {
      this.#problem = errorText(error, String(error));
      throw error instanceof LinkBroken ? error : new LinkBroken(this.#problem);
    }
  }

  #broke(): void {
    this.#peer = undefined;
    this.#problem ??= 'The connection ended.';
    for (const followers of this.#followers.values())
      for (const follower of [...followers]) follower.broke?.();
    if (this.#followers.size > 0) this.#redial();
    else this.#options.unused();
  }

  /** As long as somebody follows a session of the other host. */
  #dialFollowers(): void {
    if (this.#closed || this.#followers.size === 0) return;
    this.#connected().catch(() => this.#redial());
  }

  #redial(): void {
    if (this.#closed) return;
    if (this.#followers.size === 0) return this.#options.unused();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#dialFollowers(), redialPause);
    this.#timer.unref();
  }

  /** What was stored before the other host counts us as a follower is told as news. */
  #ask(peer: Peer, session: string): void {
    peer.request('follow', { session }).then(
      (answer) => this.#told(isRecord(answer) && answer['follows'] === true ? 'stored' : 'gone', session),
      // The link broke; it is opened again.
      () => {},
    );
  }

  #told(method: string, session: unknown): void {
    if (typeof session !== 'string') return;
    for (const follower of [...(this.#followers.get(session) ?? [])]) {
      if (method === 'stored') follower.stored();
      else if (method === 'gone') follower.gone();
    }
  }
}

function isAnswer(value: unknown): value is LinkAnswer {
  if (!isRecord(value)) return false;
  if (typeof value['rejected'] === 'string') return typeof value['message'] === 'string';
  return typeof value['seq'] === 'number' || value['gone'] === true;
}
