// Decides whether a tool may run: one judgement for every agent. Pure; what it must know of the world is handed in.
import { isRecord } from '../../base/isRecord.ts';
import type { Rule } from '../../model/event.ts';
import type { ToolRequest } from '../agent.ts';
import { unreadLine } from './commandLine.ts';
import {
  isVeiled,
  judgeLine,
  leavesWorkspace,
  lineDenied,
  linePaths,
  onlyReads,
  usesForeignRepository,
} from './judgeCommand.ts';
import { contains, fitsGlob, fitsName, isAbsolute } from '../workspace/paths.ts';
import { isLocalAddress } from './privateAddresses.ts';
import { isProtected } from './protectedPaths.ts';
import { matchesWhole, nameOfRule } from './ruleText.ts';
import { usesGit } from './safeGit.ts';
import type { Repository } from './safeGit.ts';

export interface Ruling {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** What decided, in words that can be stored and shown. */
  readonly rule: string;
  /** Set where no rule could ever allow it, so that a lasting answer would promise too much. */
  readonly once?: true;
  /** The hook whose rule decided. */
  readonly hook?: string;
  /** Set where the refusal ends the turn. */
  readonly ends?: true;
  /** Set where a rule has allowed git, which then runs without programs that a repository names. */
  readonly safeGit?: true;
}

export interface Ground {
  /** Absolute, links resolved. */
  readonly roots: readonly string[];
  readonly rules: readonly Rule[];
  readonly mode?: string | undefined;
  /** The user lets everything run that no rule forbids or asks about, inside the workspace. */
  readonly trusted?: boolean;
  /** The directories of this program. */
  readonly own?: readonly string[];
  /** A directory outside that may be looked at unasked. */
  readonly readable?: string | undefined;
  /** The user's own directory, which a path may begin with as `~/`. */
  readonly home?: string | undefined;
  /** A path with links resolved, as far as it exists. */
  readonly canonical?: (path: string) => string;
  /** The repository that git would use in a directory. */
  readonly repositoryAt?: (directory: string) => Repository | undefined;
}

/** Strictest first: what is forbidden, what only a human decides each time, what rules ask about, what they allow, and then the defaults. */
export function judge(request: ToolRequest, ground: Ground): Ruling {
  const rules = ground.rules.filter((rule) => isAbout(rule, request));
  const denied = rules.find((rule) => rule.effect === 'deny' && forbids(rule, request, ground));
  if (denied)
    return {
      effect: 'deny',
      rule: nameOfRule(denied),
      ...(denied.hook === undefined ? {} : { hook: denied.hook }),
      ...(denied.ends ? { ends: true } : {}),
    };
  const planned = ground.mode === 'plan' ? planRuling(request) : undefined;
  if (planned) return planned;
  const touchy = sensitive(request, ground);
  if (touchy) return { effect: 'ask', rule: touchy, once: true };
  const asked = rules.find((rule) => rule.effect === 'ask' && forbids(rule, request, ground));
  if (asked) return { effect: 'ask', rule: nameOfRule(asked) };
  const allowed = allowing(
    rules.filter(({ effect }) => effect === 'allow'),
    request,
    ground,
  );
  if (allowed !== undefined) {
    const git = request.command !== undefined && usesGit(request.line ?? unreadLine);
    return { effect: 'allow', rule: allowed, ...(git ? { safeGit: true } : {}) };
  }
  if (isReading(request)) return { effect: 'allow', rule: 'reads inside the workspace' };
  if (ground.trusted)
    return trustRuling(
      request,
      rules.filter(({ effect }) => effect !== 'allow'),
      ground,
    );
  if (usesForeignRepository(request, ground)) return { effect: 'ask', rule: foreignRepository, once: true };
  return {
    effect: 'ask',
    rule: rules.some((rule) => rule.effect === 'allow' && isOutdated(rule, request))
      ? changedTool
      : 'default',
  };
}

/** Why somebody is asked again who has said that a tool is always allowed. */
export const changedTool = 'its server has changed this tool since it was allowed';

const foreignRepository =
  'git in a repository that is not the own one of the workspace, or that names programs';

function isOutdated({ definition }: Rule, request: ToolRequest): boolean {
  return definition !== undefined && definition !== request.definition;
}

/** Trust lifts no rule and ends with the workspace, so a command line that keeps either of them in the dark is asked about all the same. */
function trustRuling(request: ToolRequest, strict: readonly Rule[], ground: Ground): Ruling {
  if (leavesWorkspace(request, ground)) return { effect: 'ask', rule: 'outside the workspace' };
  return isVeiled(request, strict)
    ? { effect: 'ask', rule: 'a rule forbids or asks about some commands, and this line hides what it does' }
    : { effect: 'allow', rule: 'the session is trusted' };
}

const planReason = 'plan mode only reads: describe the change instead of making it';

function planRuling(request: ToolRequest): Ruling | undefined {
  const kind = request.toolKind;
  if (kind === 'edit' || kind === 'delete' || kind === 'move') return { effect: 'deny', rule: planReason };
  if (request.command !== undefined)
    return request.line && onlyReads(request.line) ? undefined : { effect: 'deny', rule: planReason };
  return kind === 'execute' ? { effect: 'deny', rule: planReason } : undefined;
}

function isReading({ toolKind, command }: ToolRequest): boolean {
  return command === undefined && (toolKind === 'read' || toolKind === 'search' || toolKind === 'think');
}

/** What no rule may allow: leaving the workspace, and changing what decides over us. */
function sensitive(request: ToolRequest, ground: Ground): string | undefined {
  const isOutside = (path: string) => !ground.roots.some((root) => contains(root, path));
  const guarded = (path: string) => isProtected(path, ground);
  const looked = isReading(request) && ground.readable !== undefined ? ground.readable : undefined;
  if (request.paths.some((path) => isOutside(path) && !(looked !== undefined && contains(looked, path))))
    return 'outside the workspace';
  if (request.url !== undefined && isLocalAddress(request.url))
    return 'an address of this machine or its network';
  if (!isReading(request) && request.paths.some(guarded)) return 'a protected file';
  const touched = linePaths(request, ground);
  if (touched.written.some(guarded) || touched.named.some(guarded)) return 'a protected file';
  return touched.written.some(isOutside) ? 'writes outside the workspace' : undefined;
}

/** A rule speaks of a tool by its name, by a pattern of names, or by its kind. Whoever forbids means every spelling. */
function isAbout({ tool, effect }: Rule, { name, toolKind }: ToolRequest): boolean {
  if (tool.startsWith('@')) return tool.slice(1) === toolKind;
  return effect === 'allow' ? fitsName(tool, name) : fitsName(tool.toLowerCase(), name.toLowerCase());
}

/** Strict rules take hold of anything that comes near: one path, one argument, one part of a command is enough. */
function forbids(rule: Rule, request: ToolRequest, ground: Ground): boolean {
  if (rule.match !== undefined && rule.match !== request.command) return false;
  if (rule.command && !lineDenied(rule.command, request)) return false;
  if (
    rule.paths &&
    ![...request.paths, ...linePaths(request, ground).all].some((path) =>
      rule.paths?.some((glob) => near(glob, path, ground)),
    )
  )
    return false;
  return (
    !rule.args ||
    Object.entries(rule.args).some(
      ([name, pattern]) =>
        matchesWhole(pattern, argument(request, name), 'forbids') ||
        (name === 'command' && lineDenied(pattern, request)),
    )
  );
}

/** What a strict rule names counts with all that is in it, in any spelling of its letters, and by where it really lies. */
function near(glob: string, path: string, ground: Ground): boolean {
  const roots = ground.roots.map((root) => root.toLowerCase());
  return patternsOf(glob, ground).some(
    (pattern) =>
      fitsGlob(pattern, path.toLowerCase(), roots) || fitsGlob(`${pattern}/**`, path.toLowerCase(), roots),
  );
}

function patternsOf(given: string, { home, canonical }: Ground): readonly string[] {
  const glob = given.startsWith('~/') && home !== undefined ? `${home}${given.slice(1)}` : given;
  const fixed = isAbsolute(glob) && canonical ? /^[^*?]*(?=\/|$)/.exec(glob)?.[0] : undefined;
  const real = fixed ? `${canonical?.(fixed) ?? fixed}${glob.slice(fixed.length)}` : glob;
  return [...new Set([glob, real])].map((pattern) => pattern.toLowerCase());
}

/** What allows a call: one rule for a tool, or for a command line rules for all of its parts. Undefined where nothing does. */
function allowing(rules: readonly Rule[], request: ToolRequest, ground: Ground): string | undefined {
  const fitting = rules.filter((rule) => fitsAll(rule, request, ground.roots));
  if (request.command === undefined) {
    const rule = fitting.find(({ command, match }) => command === undefined && match === undefined);
    return rule && nameOfRule(rule);
  }
  if (usesForeignRepository(request, ground)) return undefined;
  const exact = fitting.find(
    ({ match, command }) =>
      match === request.command || (request.written && match === undefined && command === undefined),
  );
  return exact
    ? nameOfRule(exact)
    : judgeLine(
        request,
        fitting.filter(({ match }) => match === undefined),
        ground,
      );
}

function fitsAll(rule: Rule, request: ToolRequest, roots: readonly string[]): boolean {
  if (isOutdated(rule, request)) return false;
  if (
    rule.paths &&
    !(
      request.paths.length > 0 &&
      request.paths.every((path) => rule.paths?.some((glob) => fitsGlob(glob, path, roots)))
    )
  )
    return false;
  // What a rule says of a command line is held against each of its parts.
  return (
    !rule.args ||
    Object.entries(rule.args).every(
      ([name, pattern]) =>
        (name === 'command' && request.command !== undefined) ||
        matchesWhole(pattern, argument(request, name), 'allows'),
    )
  );
}

/** An address counts in its plain form, however it was written. */
function argument({ input, url }: ToolRequest, name: string): string | undefined {
  if (name === 'url' && url !== undefined) return url;
  const value = isRecord(input) && Object.hasOwn(input, name) ? input[name] : undefined;
  return value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
}
