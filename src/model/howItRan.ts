// How a call ran and who decided about it, as clients are told.
import type { Origin, SandboxUse } from './event.ts';
import type { ToolItem } from './state.ts';

/** The name of the actor, for people. */
export function originName(by: Origin): string {
  if (by.kind === 'client') {
    const name = by.name ?? `${by.door} client ${by.client}`;
    return by.device === undefined ? name : `${name} (${by.device})`;
  }
  return by.kind === 'agent' ? by.agent : 'the host';
}

/** In the sandbox with which network, or outside by whose word. */
export type HowItRan =
  | Extract<SandboxUse, { readonly confined: true }>
  | { readonly confined: false; readonly allowedBy?: string };

/** Undefined for a call that no sandbox concerns. */
export function howItRan({ sandbox, approval }: ToolItem): HowItRan | undefined {
  if (!sandbox || sandbox.confined) return sandbox;
  return { confined: false, ...(approval ? { allowedBy: originName(approval.by) } : {}) };
}
