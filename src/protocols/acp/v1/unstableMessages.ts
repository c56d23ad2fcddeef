// What an agent says that the specification may still change.

export interface AuthStatus {
  readonly state: 'authenticated' | 'unauthenticated' | 'not_required' | 'unknown';
  readonly accounts: readonly { readonly label: string; readonly active?: boolean }[];
}
