// Decides whether a tool call may run, for every agent in the same way. Pure: the caller passes in all facts.
import { isRecord } from '../../base/isRecord.ts';
import { present } from '../../base/present.ts';
import type { Autonomy, Rule } from '../../model/event.ts';
import type { ToolIntent } from './toolRequest.ts';
import { unreadLine } from './commandLine.ts';
import {
  hidesFromRules,
  judgeLine,
  leavesWorkspace,
  lineDenied,
  changesNothing,
  onlyReads,
  usesForeignRepository,
} from './judgeCommand.ts';
import { linePaths, lineSecrets } from './reads/lineReads.ts';
import { contains, fitsGlob, fitsName, isAbsolute } from '../../base/paths.ts';
import { isLocalAddress } from './privateAddresses.ts';
import { isProtected } from './protectedPaths.ts';
import { isSecretFile } from './secretFiles.ts';
import { matchesWhole, nameOfRule } from './ruleText.ts';
import { usesGit } from './safeGit.ts';
import type { Repository } from './safeGit.ts';

export interface Ruling {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** The rule that decided, as text for the log and for people. */
  readonly rule: string;
  /** Set if no rule can ever allow it; a lasting answer is not offered then. */
  readonly once?: true;
  /** The hook whose rule decided. */
  readonly hook?: string;
  /** Set if the refusal ends the turn. */
  readonly ends?: true;
  /** Set if a rule allowed git: it then runs without the programs that a repository configures. */
  readonly safeGit?: true;
  /** Set if the command line changes no file, as long as git runs without those programs. */
  readonly onlyReads?: true;
  /** Whether the command runs in the sandbox; undefined where commands are not confined. */
  readonly confined?: boolean;
}

/** The facts that a decision depends on, besides the intent. */
export interface PolicyContext {
  /** Absolute, links resolved. */
  readonly roots: readonly string[];
  readonly rules: readonly Rule[];
  readonly mode?: string | undefined;
  /** The permission mode. `auto` is passed only where commands can be confined. */
  readonly autonomy?: Autonomy | undefined;
  /** The user allows everything inside the workspace that no rule denies or asks about. */
  readonly trusted?: boolean;
  /** Parley's own directories. */
  readonly own?: readonly string[];
  /** A directory outside the workspace that needs no approval to read. */
  readonly readable?: string | undefined;
  /** The user's home directory, for paths that begin with `~/`. */
  readonly home?: string | undefined;
  /** The path with links resolved, as far as it exists. */
  readonly canonical?: (path: string) => string;
  /** Whether there is such a file; without it every path counts as one. */
  readonly isFile?: (path: string) => boolean;
  /** Whether it is a link or has one below it; without it every path counts as such. */
  readonly holdsLinks?: (path: string) => boolean;
  /** The repository that git would use in a directory. */
  readonly repositoryAt?: (directory: string) => Repository | undefined;
}

/**
 * Strictest first: denials, then what a person must confirm each time, then rules that ask, rules that
 * allow, and the defaults.
 */
export function judge(intent: ToolIntent, context: PolicyContext): Ruling {
  const rules = context.rules.filter((rule) => isAbout(rule, intent));
  return (
    denyRuling(rules, intent, context) ??
    (isPlan(context) ? planRuling(intent) : undefined) ??
    fullRuling(rules, intent, context) ??
    sandboxRuling(rules, intent, context) ??
    sensitiveRuling(intent, context) ??
    askRuling(rules, intent, context) ??
    secretFileRuling(rules, intent, context) ??
    allowRuling(rules, intent, context) ??
    editRuling(intent, context) ??
    secretLineRuling(intent, context) ??
    defaultRuling(rules, intent, context)
  );
}

function isPlan({ mode, autonomy }: PolicyContext): boolean {
  return mode === 'plan' || autonomy === 'plan';
}

/** Rules that the user wrote still hold in every mode. */
function fullRuling(rules: readonly Rule[], intent: ToolIntent, context: PolicyContext): Ruling | undefined {
  if (context.autonomy !== 'full') return undefined;
  return (
    askRuling(rules, intent, context) ??
    hiddenRuling(rules, intent, context) ?? { effect: 'allow', rule: 'the permission mode full' }
  );
}

/** A line that hides what it starts passes no rule about commands, also where it is not read any further. */
function hiddenRuling(
  rules: readonly Rule[],
  intent: ToolIntent,
  context: PolicyContext,
): Ruling | undefined {
  const strict = rules.filter((rule) => isStrict(rule) && (rule.command ?? rule.args?.['command']));
  const isHidden = hidesFromRules(intent, strict) && !allowRuling(rules, intent, context);
  return isHidden ? { effect: 'ask', rule: hidesCommands } : undefined;
}

const hidesCommands = 'a rule restricts some commands, and this command line hides what it does';

/** Shown when an agent wants to run a command outside the sandbox. */
export const leavesSandbox = 'this runs outside the sandbox';

/**
 * A confined command cannot do what others are asked about, so its line is only read for rules and secrets.
 * Leaving the sandbox is asked about each time, whatever rules say.
 */
function sandboxRuling(
  rules: readonly Rule[],
  intent: ToolIntent,
  context: PolicyContext,
): Ruling | undefined {
  if (context.autonomy !== 'auto' || !intent.sandbox) return undefined;
  if (intent.sandbox.runs?.confined) return confinedAgentRuling(rules, intent, context);
  if (intent.command === undefined || intent.sandbox.runs) return undefined;
  if (intent.sandbox?.outside !== undefined)
    return { effect: 'ask', rule: leavesSandbox, once: true, confined: false };
  if (intent.paths.some((path) => !context.roots.some((root) => contains(root, path)))) return undefined;
  const asked =
    askRuling(rules, intent, context) ??
    hiddenRuling(rules, intent, context) ??
    secretLineRuling(intent, context);
  return { ...(asked ?? { effect: 'allow', rule: 'inside the sandbox' }), confined: true };
}

/** The agent runs the call where it is confined itself, so that also its paths and addresses are harmless. */
function confinedAgentRuling(rules: readonly Rule[], intent: ToolIntent, context: PolicyContext): Ruling {
  const asked =
    askRuling(rules, intent, context) ??
    hiddenRuling(rules, intent, context) ??
    secretFileRuling(rules, intent, context) ??
    secretLineRuling(intent, context);
  return { ...(asked ?? { effect: 'allow', rule: 'inside the sandbox' }), confined: true };
}

const changingKinds: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** Protected files and those outside the workspace were asked about before. */
function editRuling(
  { toolKind, command, paths }: ToolIntent,
  { autonomy }: PolicyContext,
): Ruling | undefined {
  const isFree = autonomy === 'edits' || autonomy === 'auto';
  return isFree && command === undefined && changingKinds.has(toolKind) && paths.length > 0
    ? { effect: 'allow', rule: `edits in the workspace (permission mode ${autonomy})` }
    : undefined;
}

function denyRuling(rules: readonly Rule[], intent: ToolIntent, context: PolicyContext): Ruling | undefined {
  const rule = rules.find((each) => each.effect === 'deny' && restricts(each, intent, context));
  return rule && { effect: 'deny', rule: nameOfRule(rule), ...present({ hook: rule.hook, ends: rule.ends }) };
}

function askRuling(rules: readonly Rule[], intent: ToolIntent, context: PolicyContext): Ruling | undefined {
  const rule = rules.find((each) => each.effect === 'ask' && restricts(each, intent, context));
  return rule && { effect: 'ask', rule: nameOfRule(rule) };
}

function allowRuling(rules: readonly Rule[], intent: ToolIntent, context: PolicyContext): Ruling | undefined {
  const generous = rules.filter(({ effect }) => effect === 'allow');
  const rule = allowing(generous, intent, context);
  if (rule === undefined)
    return isReading(intent) ? { effect: 'allow', rule: 'reads inside the workspace' } : undefined;
  const isGit = intent.command !== undefined && usesGit(intent.line ?? unreadLine);
  return { effect: 'allow', rule, ...(isGit ? { safeGit: true } : {}) };
}

/** A rule allows a file of secrets only if it names the file; a rule for a whole folder does not. */
function secretFileRuling(
  rules: readonly Rule[],
  { command, paths }: ToolIntent,
  { roots }: PolicyContext,
): Ruling | undefined {
  const secrets = command === undefined ? paths.filter((path) => isSecretFile(path, roots)) : [];
  const isFree = secrets.every((path) => rules.some((rule) => namesFile(rule, path, roots)));
  return isFree ? undefined : secretRuling;
}

/** A rule that allows a command with such a file by name comes first. */
function secretLineRuling(intent: ToolIntent, context: PolicyContext): Ruling | undefined {
  return lineSecrets(intent, context).length > 0 ? secretRuling : undefined;
}

/** Shown when Parley asks about a file that usually holds secrets. */
export const secretFile = 'this file usually holds secrets';

const secretRuling: Ruling = { effect: 'ask', rule: secretFile, once: true };

function namesFile(rule: Rule, path: string, roots: readonly string[]): boolean {
  if (rule.effect !== 'allow' || !rule.paths) return false;
  const folders = rule.folders ?? roots;
  return rule.paths.some((glob) => !/(?:^|[/\\])[*?.]*$/.test(glob) && fitsGlob(glob, path, folders));
}

/** Why a search or a listing leaves a file out. */
export interface HiddenFile {
  readonly effect: 'deny' | 'ask';
  readonly rule: string;
}

/**
 * Finds the files that a search or a listing of a folder must leave out. The folder was judged as a whole, so
 * each file below it is judged by the rules about paths, and by the list of files that hold secrets.
 */
export function hiddenFiles(
  intent: ToolIntent,
  context: PolicyContext,
): (path: string) => HiddenFile | undefined {
  const { roots } = context;
  const rules = context.rules.filter((rule) => isAbout(rule, intent));
  const strict = pathRules(intent, context);
  return (path) => {
    const found = strict.find(({ patterns }) => isNear(patterns, path, roots));
    if (found) return { effect: found.effect, rule: found.rule };
    const isSecret = isSecretFile(path, roots) && !rules.some((rule) => namesFile(rule, path, roots));
    return isSecret ? { effect: 'ask', rule: secretFile } : undefined;
  };
}

/** The rules that deny or ask about some of the files that a call may reach, strictest first. */
export function pathRules(
  intent: ToolIntent,
  context: PolicyContext,
): readonly (HiddenFile & { readonly patterns: readonly string[] })[] {
  const rules = context.rules.filter((rule) => isAbout(rule, intent));
  return (['deny', 'ask'] as const).flatMap((effect) =>
    rules.flatMap(({ paths, ...rule }) =>
      paths && rule.effect === effect && restricts(rule, intent, context)
        ? [{ effect, rule: nameOfRule({ ...rule, paths }), patterns: patternsOf(paths, context) }]
        : [],
    ),
  );
}

function defaultRuling(rules: readonly Rule[], intent: ToolIntent, context: PolicyContext): Ruling {
  const strict = rules.filter(({ effect }) => effect !== 'allow');
  if (context.trusted) return trustRuling(intent, strict, context);
  if (usesForeignRepository(intent, context)) return { effect: 'ask', rule: foreignRepository, once: true };
  const isChanged = rules.some((rule) => rule.effect === 'allow' && isOutdated(rule, intent));
  return { effect: 'ask', rule: isChanged ? changedTool : 'default' };
}

/** Shown when Parley asks again about a tool that the user always allowed. */
export const changedTool = 'its server has changed this tool since it was allowed';

const foreignRepository =
  "git with a repository that is not the workspace's own, or whose configuration starts programs";

function isOutdated({ definition }: Rule, intent: ToolIntent): boolean {
  return definition !== undefined && definition !== intent.definition;
}

/**
 * Trust overrides no rule and does not reach outside the workspace, so a command line that hides what it does
 * still needs approval.
 */
function trustRuling(intent: ToolIntent, strict: readonly Rule[], context: PolicyContext): Ruling {
  if (leavesWorkspace(intent, context)) return { effect: 'ask', rule: 'outside the workspace' };
  return hidesFromRules(intent, strict)
    ? { effect: 'ask', rule: hidesCommands }
    : { effect: 'allow', rule: 'the session is trusted' };
}

const planReason = 'plan mode only reads: describe the change instead of making it';

function planRuling(intent: ToolIntent): Ruling | undefined {
  const kind = intent.toolKind;
  if (kind === 'edit' || kind === 'delete' || kind === 'move') return { effect: 'deny', rule: planReason };
  if (intent.command !== undefined)
    return intent.line && onlyReads(intent.line) ? undefined : { effect: 'deny', rule: planReason };
  return kind === 'execute' ? { effect: 'deny', rule: planReason } : undefined;
}

function isReading({ toolKind, command }: ToolIntent): boolean {
  return command === undefined && (toolKind === 'read' || toolKind === 'search' || toolKind === 'think');
}

function sensitiveRuling(intent: ToolIntent, context: PolicyContext): Ruling | undefined {
  const reason = sensitiveReason(intent, context);
  return reason === undefined ? undefined : { effect: 'ask', rule: reason, once: true };
}

/**
 * What no rule may allow: leaving the workspace, and changing the files that control Parley and other tools.
 */
function sensitiveReason(intent: ToolIntent, context: PolicyContext): string | undefined {
  const isOutside = (path: string) => !context.roots.some((root) => contains(root, path));
  const isGuarded = (path: string) => isProtected(path, context);
  const readable = isReading(intent) ? context.readable : undefined;
  if (intent.paths.some((path) => isOutside(path) && !(readable !== undefined && contains(readable, path))))
    return 'outside the workspace';
  if (intent.url !== undefined && isLocalAddress(intent.url))
    return 'an address of this machine or its network';
  if (!isReading(intent) && intent.paths.some(isGuarded)) return 'a protected file';
  const touched = linePaths(intent, context);
  const guarded = [...touched.written, ...touched.named].some(isGuarded);
  if (guarded && !changesNothing(intent, context)) return 'a protected file';
  return touched.written.some(isOutside) ? 'writes outside the workspace' : undefined;
}

/** A rule that keeps paths from being read holds for every tool that reads. */
function isAbout(rule: Rule, intent: ToolIntent): boolean {
  const isForReaders = rule.effect !== 'allow' && rule.paths !== undefined && isReading(intent);
  return (
    namesTool(rule, intent) || (isForReaders && namesTool(rule, { name: 'read_file', toolKind: 'read' }))
  );
}

/** A rule names a tool by its name, by a name pattern, or by `@kind`. Rules that deny or ask ignore case. */
function namesTool(
  { tool, effect }: Rule,
  { name, toolKind }: Pick<ToolIntent, 'name' | 'toolKind'>,
): boolean {
  if (tool.startsWith('@')) return tool.slice(1) === toolKind;
  return effect === 'allow' ? fitsName(tool, name) : fitsName(tool.toLowerCase(), name.toLowerCase());
}

/** A rule that denies or asks matches as soon as one path, one argument or one part of a command matches. */
function restricts(rule: Rule, intent: ToolIntent, context: PolicyContext): boolean {
  if (rule.match !== undefined && rule.match !== intent.command) return false;
  if (rule.command && !lineDenied(rule.command, intent)) return false;
  if (rule.paths) {
    const patterns = patternsOf(rule.paths, context);
    const touched = [...intent.paths, ...linePaths(intent, context).all];
    if (!touched.some((path) => isNear(patterns, path, context.roots))) return false;
  }
  return (
    !rule.args ||
    Object.entries(rule.args).some(
      ([name, pattern]) =>
        matchesWhole(pattern, argument(intent, name), 'forbids') ||
        (name === 'command' && lineDenied(pattern, intent)),
    )
  );
}

/**
 * A path of a strict rule includes everything below it, in upper or lower case, and also
 * by its real location.
 */
function isNear(patterns: readonly string[], path: string, roots: readonly string[]): boolean {
  const plain = path.toLowerCase();
  const folders = roots.map((root) => root.toLowerCase());
  return patterns.some(
    (pattern) => fitsGlob(pattern, plain, folders) || fitsGlob(`${pattern}/**`, plain, folders),
  );
}

function patternsOf(paths: readonly string[], { home, canonical }: PolicyContext): readonly string[] {
  const all = paths.flatMap((path) => {
    const glob = path.startsWith('~/') && home !== undefined ? `${home}${path.slice(1)}` : path;
    const fixed = isAbsolute(glob) && canonical ? /^[^*?]*(?=\/|$)/.exec(glob)?.[0] : undefined;
    return [glob, fixed ? `${canonical?.(fixed) ?? fixed}${glob.slice(fixed.length)}` : glob];
  });
  return [...new Set(all)].map((pattern) => pattern.toLowerCase());
}

/**
 * The rules that allow a call: one for a tool, or rules for every part of a command line.
 * Undefined if none do.
 */
function allowing(rules: readonly Rule[], intent: ToolIntent, context: PolicyContext): string | undefined {
  const fitting = rules.filter((rule) => fitsAll(rule, intent, context.roots));
  if (intent.command === undefined) {
    const rule = fitting.find(({ command, match }) => command === undefined && match === undefined);
    return rule && nameOfRule(rule);
  }
  const all = fitting.find(isForEverything);
  if (all && !hidesFromRules(intent, context.rules.filter(isStrict))) return nameOfRule(all);
  if (usesForeignRepository(intent, context)) return undefined;
  const exact = fitting.find(
    ({ match, command }) =>
      match === intent.command || (intent.written && match === undefined && command === undefined),
  );
  return exact
    ? nameOfRule(exact)
    : judgeLine(
        intent,
        fitting.filter(({ match }) => match === undefined),
        context,
      );
}

/** The rule `*` without any limit: every call of every tool, also a command line that nobody understands. */
function isForEverything({ tool, command, match, paths, args, definition }: Rule): boolean {
  const limits = [command, match, paths, args, definition];
  return tool === '*' && limits.every((limit) => limit === undefined);
}

function isStrict({ effect }: Rule): boolean {
  return effect !== 'allow';
}

function fitsAll(rule: Rule, intent: ToolIntent, roots: readonly string[]): boolean {
  if (isOutdated(rule, intent)) return false;
  if (
    rule.paths &&
    !(
      intent.paths.length > 0 &&
      intent.paths.every((path) => rule.paths?.some((glob) => fitsGlob(glob, path, rule.folders ?? roots)))
    )
  )
    return false;
  // A pattern for a command line is checked against each of its parts instead.
  return (
    !rule.args ||
    Object.entries(rule.args).every(
      ([name, pattern]) =>
        (name === 'command' && intent.command !== undefined) ||
        matchesWhole(pattern, argument(intent, name), 'allows'),
    )
  );
}

/** A URL is compared in its normalized form. */
function argument({ input, url }: ToolIntent, name: string): string | undefined {
  if (name === 'url' && url !== undefined) return url;
  const value = isRecord(input) && Object.hasOwn(input, name) ? input[name] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  return JSON.stringify(value);
}
