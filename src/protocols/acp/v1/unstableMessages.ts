// What an agent says that the specification may still change.

export interface AuthStatus {
  readonly state: 'authenticated' | 'unauthenticated' | 'not_required' | 'unknown';
  readonly accounts: readonly { readonly label: string; readonly active?: boolean }[];
}

/** Sent in the session whose work it is part of. */
export interface SubagentUpdate {
  readonly sessionUpdate: 'subagent_update';
  readonly sessionId: string;
  readonly title: string | null;
  readonly capabilities: { readonly cancel: object };
  readonly state: {
    readonly state: 'running' | 'idle' | 'requires_action';
    readonly stopReason?: string;
    readonly error?: { readonly code: number; readonly message: string };
  };
}
