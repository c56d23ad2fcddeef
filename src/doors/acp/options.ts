// What the ACP door needs from the application. A missing service is not offered.
import type { Caller } from '../../host/door.ts';
import type { Accounts } from './inbound/accounts.ts';
import type { CompletePrompt } from './unstable/nes/predict.ts';
import type { ProviderEndpoints } from './unstable/providers.ts';

export interface AcpOptions extends Partial<Caller> {
  /** Our name and version, for `initialize`. */
  readonly version: string;
  /** Whether the client is connected through a pipe that continues with the next host. */
  readonly resumable?: boolean;
  /** The agent of new sessions; absent means the first agent of the host. */
  readonly agent?: string;
  readonly accounts?: Accounts;
  readonly routes?: ProviderEndpoints;
  /** Sends one request to a model, outside of any session. */
  readonly complete?: CompletePrompt;
  /** The number of sessions on one page of `session/list`. */
  readonly pageSize?: number;
}
