// What an agent sends to a client unasked: session updates and permission requests.
import type { ConfigOption } from './agentMessages.ts';
import type { ContentBlock, ToolCallContent } from './content.ts';
import type { SubagentUpdate } from './unstableMessages.ts';

export interface SessionNotification {
  readonly sessionId: string;
  readonly update: SessionUpdate;
}

export type SessionUpdate =
  | {
      readonly sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
      readonly messageId: string;
      readonly content: ContentBlock;
      readonly _meta?: object;
    }
  | ({ readonly sessionUpdate: 'tool_call'; readonly title: string } & ToolCallUpdate)
  | ({ readonly sessionUpdate: 'tool_call_update' } & ToolCallUpdate)
  | { readonly sessionUpdate: 'plan'; readonly entries: readonly PlanEntry[] }
  | {
      readonly sessionUpdate: 'usage_update';
      readonly used: number;
      readonly size: number;
      readonly cost?: { readonly amount: number; readonly currency: string };
    }
  | {
      readonly sessionUpdate: 'session_info_update';
      readonly title: string | null;
      readonly updatedAt: string;
    }
  | { readonly sessionUpdate: 'config_option_update'; readonly configOptions: readonly ConfigOption[] }
  | { readonly sessionUpdate: 'current_mode_update'; readonly currentModeId: string }
  | {
      readonly sessionUpdate: 'available_commands_update';
      readonly availableCommands: readonly AvailableCommand[];
    }
  | {
      readonly sessionUpdate: 'compaction_update';
      readonly compactionId: string;
      readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
      readonly summary?: readonly ContentBlock[];
    }
  /** Unstable; the earlier name of a plan stands beside the newer one. */
  | {
      readonly sessionUpdate: 'plan_update';
      readonly plan: PlanName & { readonly type: 'items'; readonly entries: readonly PlanEntry[] };
    }
  | ({ readonly sessionUpdate: 'plan_removed' } & PlanName)
  | SubagentUpdate
  | {
      readonly sessionUpdate: 'notice';
      readonly severity: 'info' | 'warning' | 'error';
      readonly title: string;
      readonly description?: string;
    };

interface PlanName {
  readonly planId: string;
  readonly id: string;
}

export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly hint: string };
}

/** Absent members keep what they were; a list that is there replaces the old one. */
export interface ToolCallUpdate {
  readonly toolCallId: string;
  readonly title?: string;
  readonly name?: string;
  readonly kind?: ToolKind;
  readonly status?: ToolCallStatus;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly { readonly path: string; readonly line?: number }[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other';

export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

export interface PlanEntry {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low';
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export interface PermissionRequest {
  readonly sessionId: string;
  readonly toolCall: ToolCallUpdate;
  readonly options: readonly PermissionOption[];
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
}
