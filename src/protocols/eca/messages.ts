// What an ECA server says: notifications, its own requests, and results, as they go over
// the wire. Types only.
import type {
  CompletionItems,
  JobOutput,
  JobSummary,
  LoginStep,
  McpServer,
  ProviderStatus,
  RewriteReceived,
} from './serviceMessages.ts';

export type Role = 'user' | 'system' | 'assistant';

/** Every notification by its method. */
export interface Notifications {
  'chat/contentReceived': ContentReceived;
  'chat/opened': { readonly chatId: string; readonly title?: string };
  'chat/cleared': { readonly chatId: string; readonly messages: boolean };
  'chat/deleted': { readonly chatId: string };
  'chat/statusChanged': { readonly chatId: string; readonly status: ChatStatus };
  'config/updated': ConfigUpdated;
  'tool/serverUpdated': ToolServer | ({ readonly type: 'mcp' } & McpServer);
  'tool/serverRemoved': { readonly name: string };
  'providers/updated': ProviderStatus;
  'jobs/updated': { readonly jobs: readonly JobSummary[] };
  'rewrite/contentReceived': RewriteReceived;
  '$/progress': { readonly type: 'start' | 'finish'; readonly taskId: string; readonly title: string };
  '$/showMessage': { readonly type: 'error' | 'warning' | 'info'; readonly message: string };
}

export type Method = keyof Notifications;

export type ChatStatus = 'running' | 'idle' | 'stopping' | 'login';

export interface ContentReceived {
  /**
   * Absent where what is said belongs to no chat, such as what is wrong with the
   * configuration from the beginning.
   */
  readonly chatId?: string;
  /** On chats that a tool of another chat started. */
  readonly parentChatId?: string;
  readonly role: Role;
  readonly content: Content;
}

export type Content =
  | { readonly type: 'text'; readonly text: string; readonly contentId?: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string }
  | { readonly type: 'progress'; readonly state: 'running'; readonly text: string }
  | { readonly type: 'progress'; readonly state: 'finished' }
  | UsageContent
  | {
      readonly type: 'hookActionStarted';
      readonly id: string;
      readonly name: string;
      readonly actionType: 'shell';
    }
  | {
      readonly type: 'hookActionFinished';
      readonly id: string;
      readonly name: string;
      readonly actionType: 'shell';
      readonly status: number;
      readonly output: string | null;
      readonly error: string | null;
      readonly toolCallId?: string;
    }
  | { readonly type: 'reasonStarted'; readonly id: string }
  | { readonly type: 'reasonText'; readonly id: string; readonly text: string }
  | { readonly type: 'reasonFinished'; readonly id: string; readonly totalTimeMs: number }
  | ({ readonly type: 'toolCallPrepare'; readonly argumentsText: string } & ToolName & ToolDisplay)
  | ({ readonly type: 'toolCallRun'; readonly manualApproval?: boolean } & ToolName & Called)
  | ({ readonly type: 'toolCallRunning' } & ToolName & Called)
  | ({
      readonly type: 'toolCalled';
      readonly error: boolean | null;
      readonly outputs: readonly ToolOutput[];
      readonly totalTimeMs: number;
    } & ToolName &
      Called)
  | ({ readonly type: 'toolCallRejected'; readonly reason: RejectReason } & ToolName & Called)
  /** The state of the task list alone; clients show it outside the conversation. */
  | {
      readonly type: 'toolCalled';
      readonly server: 'eca';
      readonly name: 'task';
      readonly origin: 'native';
      readonly details: TaskDetails;
    }
  /** A page that the model has named as a source. */
  | { readonly type: 'url'; readonly title: string; readonly url: string }
  | { readonly type: 'flag'; readonly text: string; readonly contentId: string }
  | { readonly type: 'metadata'; readonly title: string };

export interface ToolName {
  readonly id: string;
  readonly name: string;
  /** Null where nobody has a tool of that name. */
  readonly server: string | null;
  readonly origin: 'native' | 'mcp' | 'server' | 'unknown';
}

interface ToolDisplay {
  readonly summary?: string;
  readonly details?: ToolDetails;
}

interface Called extends ToolDisplay {
  readonly arguments: { readonly [name: string]: unknown };
  /** What other servers do not tell, by names of ours. */
  readonly _meta?: { readonly [name: string]: unknown };
}

export interface ToolOutput {
  readonly type: 'text';
  readonly text: string;
}

export type RejectReason = 'userChoiceDeny' | 'userConfigDeny' | 'hookRejected' | 'userPromptStop';

export interface UsageContent {
  readonly type: 'usage';
  readonly sessionTokens: number;
  readonly lastMessageCost?: string;
  readonly sessionCost?: string;
  readonly limit?: { readonly context: number; readonly output?: number };
  readonly contextBreakdown?: ContextBreakdown;
  readonly autoCompactPercentage?: number;
}

export interface ContextBreakdown {
  readonly categories: readonly {
    readonly name: string;
    readonly tokens: number;
    readonly color: string;
    readonly emoji: string;
  }[];
  readonly usedTokens: number;
  readonly freeTokens?: number;
  readonly contextLimit?: number;
  readonly freeColor: string;
  readonly freeEmoji: string;
}

export type ToolDetails =
  | {
      readonly type: 'fileChange';
      readonly path: string;
      readonly diff: string;
      readonly linesAdded: number;
      readonly linesRemoved: number;
    }
  | { readonly type: 'jsonOutputs'; readonly jsons: readonly string[] }
  | { readonly type: 'shellCommand'; readonly commands: readonly ShellCommand[]; readonly background?: true }
  | TaskDetails
  | SubagentDetails;

export interface SubagentDetails {
  readonly type: 'subagent';
  readonly subagentChatId: string;
  readonly model: string | null;
  readonly agentName: string;
  readonly step: number;
  readonly maxSteps: number | null;
  readonly variant?: string;
}

export interface ShellCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** What "approve and remember" would remember; absent where it is asked about every time. */
  readonly approvalKey?: string;
  readonly remembered?: boolean;
}

export interface TaskDetails {
  readonly type: 'task';
  readonly tasks: readonly Task[];
  readonly inProgressTaskIds: readonly number[];
  readonly summary: {
    readonly done: number;
    readonly inProgress: number;
    readonly pending: number;
    readonly total: number;
  };
  readonly activeSummary?: string;
}

export interface Task {
  readonly id: number;
  readonly subject: string;
  readonly description: string;
  readonly status: 'pending' | 'in-progress' | 'done';
  readonly priority: 'high' | 'medium' | 'low';
  readonly isBlocked: boolean;
  readonly blockedBy?: readonly number[];
}

/** Absent means unchanged. Null is sent for a variant alone, because some clients take it for a value. */
export interface ConfigUpdated {
  readonly chatId?: string;
  readonly chat: ChatConfig;
}

export interface ChatConfig {
  readonly models?: readonly string[];
  readonly agents?: readonly string[];
  readonly selectModel?: string;
  readonly selectAgent?: string;
  readonly variants?: readonly string[];
  /** Null where the model has none, because a client would keep the one it had. */
  readonly selectVariant?: string | null;
  readonly selectTrust?: boolean;
  readonly welcomeMessage?: string;
  /** The names of the members above in older clients. */
  readonly behaviors?: readonly string[];
  readonly selectBehavior?: string;
  readonly defaultBehavior?: string;
  readonly defaultAgent?: string;
  readonly defaultModel?: string;
}

export interface ToolServer {
  readonly type: 'native';
  readonly name: 'ECA';
  readonly status: 'running';
  readonly tools: readonly ToolInfo[];
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly disabled?: boolean;
}

/** The one question we ask the client ourselves, with the method `chat/askQuestion`. */
export interface AskQuestion {
  readonly chatId: string;
  readonly question: string;
  readonly allowFreeform: boolean;
  readonly requestId: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly toolCallId?: string;
}

/** Every result by the method of its request. */
export interface Results {
  initialize: {
    readonly chatWelcomeMessage: string;
    readonly serverInfo: { readonly name: string; readonly version: string };
  };
  shutdown: null;
  'chat/prompt':
    | { readonly chatId: string; readonly model: string; readonly status: 'prompting' | 'error' }
    | LoginResult;
  'chat/list': { readonly chats: readonly ChatRow[] };
  'chat/open': { readonly found: false } | OpenedChat;
  'chat/history': { readonly contents: readonly ContentReceived[]; readonly meta: PageMeta };
  'chat/delete': Done;
  'chat/clear': Done;
  'chat/update': Done;
  'chat/rollback': Done;
  'chat/addFlag': Done;
  'chat/removeFlag': Done;
  'chat/fork': Done;
  'chat/queryContext': { readonly chatId: string | null; readonly contexts: readonly FoundContext[] };
  'chat/queryFiles': { readonly chatId: string | null; readonly files: readonly FoundFile[] };
  'chat/queryCommands': { readonly chatId: string | null; readonly commands: readonly CommandInfo[] };
  'providers/list': { readonly providers: readonly ProviderStatus[] };
  'providers/login': LoginStep;
  'providers/loginInput': LoginStep;
  'providers/logout': Done;
  'jobs/list': { readonly jobs: readonly JobSummary[] };
  'jobs/kill': { readonly killed: boolean };
  'jobs/readOutput': JobOutput;
  'mcp/addServer': { readonly server: McpServer };
  'mcp/updateServer': Done;
  'mcp/removeServer': { readonly name: string; readonly removed: true };
  'completion/inline': CompletionItems;
  'rewrite/prompt': { readonly status: 'prompting'; readonly model: string };
}

/** While a chat is used to sign in, there is no model to name. */
export interface LoginResult {
  readonly chatId: string;
  readonly status: 'login' | 'idle';
}

export type Done = { readonly [key: string]: never };

export interface ChatRow {
  readonly id: string;
  readonly title: string | null;
  readonly status: ChatStatus;
  readonly messageCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly model?: string;
}

export interface OpenedChat {
  readonly found: true;
  readonly chatId: string;
  readonly title?: string;
  readonly selection: ChatSelection;
  readonly meta: PageMeta;
}

/** The agent and model of one chat; null for what is not chosen. */
export interface ChatSelection {
  readonly model: string | null;
  readonly agent: string;
  readonly variant: string | null;
  readonly variants: readonly string[];
  readonly trust: boolean;
}

/** Where a page lies among the stored messages of a chat; cursors are opaque. */
export interface PageMeta {
  readonly total: number;
  readonly returned: number;
  readonly beforeCursor: string | null;
  readonly afterCursor: string | null;
  readonly compactionCursor: string | null;
}

export interface FoundFile {
  readonly type: 'file' | 'directory';
  readonly path: string;
}

export type FoundContext = FoundFile | { readonly type: 'cursor' | 'repoMap' } | FoundResource;

export interface FoundResource {
  readonly type: 'mcpResource';
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly server: string;
}

export interface CommandInfo {
  readonly name: string;
  readonly description: string;
  readonly type: 'native' | 'mcpPrompt' | 'custom-prompt' | 'skill';
  /** Nothing where nobody has said which there are. */
  readonly arguments:
    | readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[]
    | null;
}
