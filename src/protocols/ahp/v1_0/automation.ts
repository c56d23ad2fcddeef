// Automations: what they are made of, the catalogue of them, and the state of one run.
import type { ErrorInfo, Meta, Open, URI, UsageInfo } from './content.ts';
import type { WireType } from './wireType.ts';

export type AutomationTriggerEvent = WireType<'automationTriggerEvent'>;

export type AutomationDefinition = WireType<'automationDefinition'>;

export interface AutomationEntry {
  readonly resource: URI;
  readonly definition: AutomationDefinition;
  readonly nextRunAt?: string;
  readonly runs: readonly AutomationRunSummary[];
  readonly runsNextCursor?: string;
  readonly operations: readonly Open<'update' | 'remove' | 'run'>[];
  readonly createdAt: string;
  readonly modifiedAt: string;
  readonly _meta?: Meta;
}

export interface AutomationState {
  readonly entries: readonly AutomationEntry[];
  readonly _meta?: Meta;
}

export type AutomationRunOrigin =
  | { readonly kind: 'manual' }
  | {
      readonly kind: 'trigger';
      readonly triggerId: string;
      readonly scheduledFor?: string;
      readonly catchUp?: boolean;
      readonly event?: Readonly<Record<string, unknown>>;
    };

export interface AutomationRunLifecycle {
  readonly status: Open<'pending' | 'running' | 'completed' | 'failed' | 'cancelled'>;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly usage?: UsageInfo;
  readonly error?: ErrorInfo;
}

export interface AutomationRunSummary {
  readonly resource: URI;
  readonly automation: URI;
  readonly origin: AutomationRunOrigin;
  readonly lifecycle: AutomationRunLifecycle;
  readonly primarySession?: URI;
  readonly sessionCount: number;
  readonly _meta?: Meta;
}

export interface AutomationRunState {
  readonly resource: URI;
  readonly automation: URI;
  readonly origin: AutomationRunOrigin;
  readonly lifecycle: AutomationRunLifecycle;
  readonly sessions: readonly URI[];
  readonly primarySession?: URI;
  readonly _meta?: Meta;
}
