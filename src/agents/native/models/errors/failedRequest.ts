// What the error messages need to know about the request that failed.
import type { RetryRule } from '../../../../host/settings/settings.ts';
import type { RefusalReason } from '../../model.ts';

/**
 * One row of a wire's table of refusals. Every field that is set must match; `message` is for
 * vendors without a code.
 */
export interface RefusalRule {
  readonly reason: RefusalReason;
  /** Matches the vendor's names for the kind of error: `type`, `code`, `status` or `reason`. */
  readonly code?: RegExp;
  /** Matches the field of the request that the vendor complains about. */
  readonly param?: RegExp;
  /** Matches the vendor's message. */
  readonly message?: RegExp;
}

export interface FailedRequest {
  /** The provider's name for users. */
  readonly name: string;
  /** The provider's id, as in `parley login`. */
  readonly provider: string;
  /** Where the key comes from: a variable, `settings` or `parley login`. */
  readonly keyFrom?: string | undefined;
  readonly model: string;
  readonly url: string;
  /** Errors that the user wants to be retried. */
  readonly rules?: readonly RetryRule[] | undefined;
  /** What refusals mean in the wire format of the request. */
  readonly refusals?: readonly RefusalRule[] | undefined;
}
