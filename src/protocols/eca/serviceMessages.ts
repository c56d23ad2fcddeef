// What an ECA server says about everything beside the chats. Types only.

export interface ProviderStatus {
  readonly id: string;
  readonly label?: string;
  readonly configured: boolean;
  readonly auth: ProviderAuth;
  readonly login?: { readonly methods: readonly LoginMethod[] };
  readonly models: readonly ProviderModel[];
  readonly settings?: { readonly api?: string; readonly url?: string };
}

export interface ProviderAuth {
  readonly status: 'authenticated' | 'expiring' | 'expired' | 'unauthenticated' | 'local' | 'not-running';
  readonly type?: 'api-key' | 'oauth';
  readonly source?: 'config' | 'env' | 'login';
  readonly mode?: string;
  readonly expiresAt?: number;
  readonly envVar?: string;
}

export interface ProviderModel {
  readonly id: string;
  readonly capabilities: {
    readonly reason: boolean;
    readonly vision: boolean;
    readonly tools: boolean;
    readonly webSearch: boolean;
    readonly imageGeneration: boolean;
  };
}

export interface LoginMethod {
  readonly key: string;
  readonly label: string;
}

/** What comes next in a sign-in dialogue. */
export type LoginStep =
  | { readonly action: 'choose-method'; readonly methods: readonly LoginMethod[] }
  | {
      readonly action: 'authorize';
      readonly url: string;
      readonly message: string;
      readonly fields?: readonly LoginField[];
    }
  | { readonly action: 'device-code'; readonly url: string; readonly code: string; readonly message: string }
  | { readonly action: 'input'; readonly fields: readonly LoginField[] }
  | { readonly action: 'done' };

export interface LoginField {
  readonly key: string;
  readonly label: string;
  readonly type: 'secret' | 'text';
}

export interface JobSummary {
  readonly id: string;
  readonly type: 'shell';
  readonly status: 'running' | 'completed' | 'failed' | 'killed';
  readonly label: string;
  readonly summary: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** In short words, such as `5m23s`. */
  readonly elapsed: string;
  readonly exitCode: number | null;
  readonly chatId: string;
  readonly chatLabel: string;
  readonly toolCallId?: string;
}

export interface JobOutput {
  readonly lines: readonly { readonly text: string; readonly stream: 'stdout' | 'stderr' }[];
  readonly status: JobSummary['status'] | null;
  readonly exitCode: number | null;
}

/** Null stands for what does not apply, as clients expect every member. */
export interface McpServer {
  readonly name: string;
  readonly command: string | null;
  readonly args: readonly string[] | null;
  readonly url: string | null;
  readonly status: 'starting' | 'running' | 'failed' | 'stopping' | 'stopped' | 'disabled' | 'requires-auth';
  readonly disabled: boolean;
  readonly hasAuth: boolean;
  readonly instructions: string | null;
  readonly tools:
    | readonly {
        readonly name: string;
        readonly description: string;
        readonly parameters: unknown;
        readonly disabled: boolean;
      }[]
    | null;
  readonly prompts:
    | readonly {
        readonly name: string;
        readonly description?: string;
        readonly arguments?: readonly PromptArgument[];
      }[]
    | null;
  readonly resources:
    | readonly {
        readonly uri: string;
        readonly name: string;
        readonly description?: string;
        readonly mimeType?: string;
      }[]
    | null;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

export interface CompletionItems {
  readonly items: readonly { readonly text: string; readonly docVersion: number; readonly range: Range }[];
}

export interface RewriteReceived {
  readonly rewriteId: string;
  readonly content:
    | { readonly type: 'started' | 'reasoning' }
    | { readonly type: 'text' | 'replace'; readonly text: string }
    | { readonly type: 'error'; readonly message: string }
    | { readonly type: 'finished'; readonly totalTimeMs: number };
}
