// Health and metrics of the host, for load balancers and monitoring. Neither shows anything of a session.
import type { LinkStatus } from '../links/hostLinks.ts';
import type { LeaseHolder } from '../store/durableStore.ts';

export interface HostStatus {
  /** The hosts that share the store; absent if nobody else can use it. Rejects if it cannot be reached. */
  readonly hosts?: (() => Promise<readonly LeaseHolder[]>) | undefined;
  /** The links to those hosts. */
  readonly links?: (() => readonly LinkStatus[]) | undefined;
  /** Everything that is measured, as Prometheus reads it. */
  metrics(): Promise<string>;
}

export interface HealthPage {
  readonly status: 200 | 503;
  readonly body: object;
}

/** Strangers learn only whether the host can work; those who are signed in also who has the sessions. */
export async function healthPage(
  { hosts, links }: HostStatus,
  { version, isKnown }: { readonly version: string; readonly isKnown: boolean },
): Promise<HealthPage> {
  if (!hosts) return { status: 200, body: { status: 'ok', version } };
  try {
    const all = (await inTime(hosts())) ?? [];
    const hasLease = all.some(({ isMe }) => isMe);
    return {
      status: hasLease ? 200 : 503,
      body: {
        status: hasLease ? 'ok' : 'lease lost',
        version,
        ...(isKnown ? { hosts: all, links: links?.() ?? [] } : {}),
      },
    };
  } catch {
    return { status: 503, body: { status: 'store unavailable', version } };
  }
}

/** How long a status page waits for the store, in milliseconds. */
const patience = 900;

export async function inTime<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The store does not answer.')), patience);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
