// What an agent sends in version 2 of ACP, as far as it differs from version 1.
import type { ContentBlock, PermissionOption, PlanEntry, SelectOption } from '../v1/messages.ts';

export interface InitializeResponse {
  readonly protocolVersion: 2;
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  readonly capabilities: {
    readonly session: {
      readonly prompt: { readonly image: object; readonly audio: object; readonly embeddedContext: object };
      readonly mcp: { readonly stdio: object; readonly http: object };
      readonly delete: object;
      readonly additionalDirectories: object;
    };
  };
  readonly authMethods: readonly AuthMethod[];
}

export interface AuthMethod {
  readonly type: 'agent' | 'terminal';
  readonly methodId: string;
  readonly name: string;
  readonly description?: string;
  readonly args?: readonly string[];
}

export type ConfigOption = {
  readonly configId: string;
  readonly name: string;
  readonly description?: string | null;
  readonly category?: string | null;
} & (
  | { readonly type: 'boolean'; readonly currentValue: boolean }
  | {
      readonly type: 'select';
      readonly currentValue: string;
      readonly options: readonly SelectOption[] | readonly OptionGroup[];
    }
);

export interface OptionGroup {
  readonly groupId: string;
  readonly name: string;
  readonly options: readonly SelectOption[];
}

export interface AvailableCommand {
  readonly type: 'command';
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly type: 'text'; readonly hint: string };
}

export interface SessionSettings {
  readonly configOptions: readonly ConfigOption[];
  readonly availableCommands: readonly AvailableCommand[];
}

export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';

export type ToolCallContent =
  | { readonly type: 'content'; readonly content: ContentBlock }
  | { readonly type: 'diff'; readonly changes: readonly DiffChange[]; readonly patch: GitPatch }
  | { readonly type: 'terminal'; readonly terminalId: string };

export interface DiffChange {
  readonly operation: 'add' | 'delete' | 'modify';
  readonly path: string;
  readonly fileType: 'text';
}

export interface GitPatch {
  readonly format: 'git_patch';
  readonly text: string;
}

export interface ToolCallUpdate {
  readonly toolCallId: string;
  readonly name?: string;
  readonly title?: string;
  readonly kind?: string;
  readonly status?: ToolCallStatus;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly { readonly path: string; readonly line?: number | null }[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

export type StateUpdate =
  | { readonly state: 'running' | 'requires_action' | 'idle' }
  | { readonly state: 'idle'; readonly stopReason: string }
  | {
      readonly state: 'idle';
      readonly stopReason: 'error';
      readonly error: { readonly code: number; readonly message: string };
    };

/** An update that version 1 has in another form, or not at all. */
export type SessionUpdate =
  | {
      readonly sessionUpdate: 'user_message';
      readonly messageId: string;
      readonly content: readonly ContentBlock[];
    }
  | ({ readonly sessionUpdate: 'state_update' } & StateUpdate)
  | ({ readonly sessionUpdate: 'tool_call_update' } & ToolCallUpdate)
  | {
      readonly sessionUpdate: 'terminal_update';
      readonly terminalId: string;
      readonly command?: string;
      /** The whole output, in base64. */
      readonly output: { readonly data: string };
      /** Present once the command has ended. */
      readonly exitStatus?: { readonly exitCode?: number };
    }
  | {
      readonly sessionUpdate: 'plan_update';
      readonly plan: {
        readonly type: 'items';
        readonly planId: string;
        readonly entries: readonly PlanEntry[];
      };
    }
  | {
      readonly sessionUpdate: 'available_commands_update';
      readonly availableCommands: readonly AvailableCommand[];
    }
  | { readonly sessionUpdate: 'config_option_update'; readonly configOptions: readonly ConfigOption[] };

export interface PermissionRequest {
  readonly sessionId: string;
  readonly title: string;
  readonly subject: { readonly type: 'tool_call'; readonly toolCall: ToolCallUpdate };
  readonly options: readonly PermissionOption[];
}
