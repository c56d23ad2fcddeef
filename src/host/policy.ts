// Decides whether a tool may run: rules first, then the default that reads inside the workspace are free and all else asks.
import type { Rule } from '../model/event.ts';
import type { ToolRequest } from './agent.ts';

export interface Ruling {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** What decided, in words that can be stored and shown. */
  readonly rule: string;
}

export interface Ground {
  readonly roots: readonly string[];
  readonly rules: readonly Rule[];
}

export function judge(request: ToolRequest, ground: Ground): Ruling {
  const matching = ground.rules.filter((rule) => matches(rule, request));
  const strictest = (['deny', 'ask', 'allow'] as const).find((effect) => matching.some((rule) => rule.effect === effect));
  const inside = request.paths.every((path) => ground.roots.some((root) => contains(root, path)));
  if (strictest === 'deny') return ruled('deny', matching);
  if (!inside) return { effect: 'ask', rule: 'outside the workspace' };
  if (strictest) return ruled(strictest, matching);
  const reads = request.toolKind === 'read' || request.toolKind === 'search' || request.toolKind === 'think';
  return reads ? { effect: 'allow', rule: 'reads inside the workspace' } : { effect: 'ask', rule: 'default' };
}

/** A rule without a match speaks for every call of its tool, except that a command line is never allowed by name alone. */
function matches(rule: Rule, request: ToolRequest): boolean {
  if (rule.tool !== request.name) return false;
  if (rule.match === undefined) return request.command === undefined || rule.effect !== 'allow';
  return rule.match === request.command;
}

function ruled(effect: Ruling['effect'], rules: readonly Rule[]): Ruling {
  const rule = rules.find((candidate) => candidate.effect === effect);
  return { effect, rule: rule ? `${rule.effect} ${rule.tool}${rule.match === undefined ? '' : `: ${rule.match}`}` : effect };
}

/** Both paths are absolute and resolved; a twin such as /w/app-secret is not inside /w/app. */
export function contains(root: string, path: string): boolean {
  const base = root.endsWith('/') || root.endsWith('\\') ? root.slice(0, -1) : root;
  return path === root || path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}\\`);
}
