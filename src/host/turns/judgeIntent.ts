// Judges what an agent wants to do in a turn: collects the facts that policy needs from the session and the
// machine.
import { fitsName, isAbsolute, resolvePath } from '../../base/paths.ts';
import { present } from '../../base/present.ts';
import type { Autonomy, Rule } from '../../model/event.ts';
import { unreadLine } from '../policy/commandLine.ts';
import { changesNothing, gitFolders, searchedWorkTrees } from '../policy/judgeCommand.ts';
import { hiddenFiles, judge, pathRules, secretFile } from '../policy/policy.ts';
import { unhidden } from '../policy/reads/ignoreFiles.ts';
import { searchedFolders } from '../policy/reads/lineReads.ts';
import type { SearchedFolder } from '../policy/reads/lineReads.ts';
import { fitsPattern } from '../policy/reads/searchedWords.ts';
import { unknownRepository } from '../policy/safeGit.ts';
import type { Repository } from '../policy/safeGit.ts';
import { allowedAutonomy, lowerAutonomy, turnCap } from '../settings/autonomy.ts';
import type { HiddenFile, PolicyContext, Ruling } from '../policy/policy.ts';
import type { ToolIntent } from '../policy/toolRequest.ts';
import type { Chat, Turn } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import type { HostPaths, World } from '../world.ts';

export interface JudgeOptions {
  readonly session: Session;
  readonly world: World;
  readonly signal: AbortSignal;
  readonly rules: () => readonly Rule[];
  /** The turn that the agent works on; a device that may choose less gets less. */
  readonly turn: Pick<Turn, 'id'>;
  readonly chat: Pick<Chat, 'id'>;
}

/**
 * The session option that allows everything inside the workspace without asking; rules that
 * deny or ask still apply.
 */
export const trustOption = 'trust';

/** The intent with its paths resolved and its command parsed, and the ruling on it. */
export async function judgeIntent(
  given: ToolIntent,
  options: JudgeOptions,
): Promise<{ readonly intent: ToolIntent; readonly ruling: Ruling }> {
  const intent = await resolveIntent(given, options);
  const known = policyContext(intent, options);
  const repositoryAt = await repositoriesOf(intent, known, options.world.paths);
  const context = { ...known, repositoryAt, autonomy: await autonomyOf(options) };
  const reads = changesNothing(intent, context) ? ({ onlyReads: true } as const) : {};
  const first = { ...judge(intent, context), ...reads };
  const ruling = await judgeRepositories(first, { intent, context, options });
  const folders = ruling.effect === 'deny' ? [] : searchedFolders(intent, context);
  return { intent, ruling: await searchRuling(ruling, { folders, intent, context, options }) };
}

/**
 * Git enters a repository inside the work tree as soon as its index names it, and a command can bring such
 * a name. So all of them count as parts of the one that git runs in.
 */
async function judgeRepositories(
  ruling: Ruling,
  { intent, context, options }: Omit<CommandSearch, 'folders'>,
): Promise<Ruling> {
  const { paths } = options.world;
  for (const folder of ruling.safeGit || ruling.onlyReads ? searchedWorkTrees(intent, context) : []) {
    if (!(await paths.startsProgramsBelow?.(folder, options.signal))) continue;
    const repositoryAt = (directory: string) => ({
      ...(context.repositoryAt?.(directory) ?? { folder: directory, bare: false, hasLocalRemote: false }),
      startsPrograms: true,
    });
    return judge(intent, { ...context, repositoryAt });
  }
  return ruling;
}

type AutonomyOptions = Pick<JudgeOptions, 'session' | 'world' | 'chat' | 'turn'>;

/** The permission mode that holds: never more than the settings, the folder and the machine allow. */
export async function autonomyOf(options: AutonomyOptions): Promise<Autonomy> {
  const level = permittedAutonomy(options);
  if (level !== 'auto') return level;
  return (await options.world.programs?.sandbox?.status())?.available ? level : 'ask';
}

/** The permission mode that people allow here, whether or not the machine has a sandbox for it. */
export function permittedAutonomy({ session, world, chat, turn }: AutonomyOptions): Autonomy {
  const { roots, autonomy } = session.head;
  const cap = turnCap(session.head, { chat: chat.id, turn });
  const chosen = lowerAutonomy(autonomy?.level ?? 'ask', cap);
  return allowedAutonomy(chosen, roots, world.settings);
}

/**
 * The folders of the session, links followed as they were at first: a command of another session, in a folder
 * around this one, may have put a link in its place.
 */
export function rootsOf({ session, world }: Pick<JudgeOptions, 'session' | 'world'>): readonly string[] {
  return session.head.roots.map((root) => {
    const place = session.places.get(root) ?? world.paths.canonical(root);
    session.places.set(root, place);
    return place;
  });
}

/** Finds the files that a search or a listing must leave out. */
export function hiddenFrom(
  intent: ToolIntent,
  options: JudgeOptions,
): (path: string) => HiddenFile | undefined {
  return hiddenFiles(intent, policyContext(intent, options));
}

/** More files than this are not looked at. */
const mostFiles = 20_000;

const tooManyFiles = 'this searches more files than can be checked for secrets';

interface CommandSearch {
  readonly folders: readonly SearchedFolder[];
  readonly intent: ToolIntent;
  readonly context: PolicyContext;
  readonly options: JudgeOptions;
}

/**
 * A command that searches folders reads every file below them, so each counts as if the command named it.
 * Where commands are not asked about, only rules of the user need a look at every file.
 */
async function searchRuling(ruling: Ruling, search: CommandSearch): Promise<Ruling> {
  const { intent, context } = search;
  const isRuled = pathRules(intent, context).length > 0;
  if (!isRuled && (context.autonomy === 'full' || ruling.effect !== 'allow')) return ruling;
  let asks: string | undefined;
  for await (const found of hiddenBelow(search)) {
    if (found?.effect === 'deny') return { effect: 'deny', rule: found.rule };
    asks ??= found?.rule;
    if (!found && (isRuled || !ruling.confined)) asks = tooManyFiles;
  }
  return withQuestion(ruling, asks);
}

/** The files below the folders that need a question; undefined comes last if there are too many files. */
async function* hiddenBelow({
  folders,
  intent,
  context,
  options,
}: CommandSearch): AsyncGenerator<HiddenFile | undefined, void> {
  const isHidden = hiddenFiles(intent, context);
  const { files, paths } = options.world;
  const isUnhidden = unhidden(files);
  let count = 0;
  for (const searched of folders) {
    const walk = { depth: depthOf(searched), signal: options.signal };
    const below = files?.walk(searched.folder, walk) ?? [];
    for await (const { path, type } of below) {
      count += 1;
      if (count > mostFiles) {
        yield undefined;
        return;
      }
      // A program may follow a link.
      const real = type === 'link' ? paths.canonical(path) : path;
      const found = type === 'directory' ? undefined : isHidden(real);
      if (!found || !(isRead(path, searched) || (searched.obeys && (await isUnhidden(path))))) continue;
      // What is in a repository is also in what other commands of git show.
      const isFree = found.rule === secretFile && (context.autonomy === 'full' || searched.tracked);
      if (!isFree) yield found;
    }
  }
}

function depthOf({ only }: SearchedFolder): number {
  return only?.below === false ? only.levels.length : Number.POSITIVE_INFINITY;
}

function isRead(path: string, { folder, hidden, only, names }: SearchedFolder): boolean {
  const rest = path.slice(folder.length);
  const name = rest.split(/[/\\]/).at(-1) ?? '';
  if (names && !names.some((pattern) => fitsName(pattern, name))) return false;
  return only ? fitsPattern(only, rest) : hidden || !/[/\\]\./.test(rest);
}

/** The same ruling, but asked about if it allows; it runs where it would have run. */
function withQuestion(ruling: Ruling, rule: string | undefined): Ruling {
  if (rule === undefined || ruling.effect !== 'allow') return ruling;
  const { onlyReads, confined } = ruling;
  return { effect: 'ask', rule, once: true, ...present({ onlyReads, confined }) };
}

/** Resolves the paths and parses the command of an intent; what the agent says about them is not trusted. */
async function resolveIntent(
  { line: _, ...intent }: ToolIntent,
  { session, world }: JudgeOptions,
): Promise<ToolIntent> {
  const base = session.head.roots[0] ?? '/';
  // Programs disagree about `..` after a link, so both paths count.
  const whole = (path: string) => (isAbsolute(path) ? path : `${base}/${path}`);
  const paths = [
    ...new Set(
      intent.paths.flatMap((path) => [
        world.paths.canonical(whole(path)),
        world.paths.canonical(resolvePath(base, path)),
      ]),
    ),
  ];
  return {
    ...intent,
    paths,
    ...(intent.command === undefined
      ? {}
      : { line: (await world.parseCommand?.(intent.command)) ?? unreadLine }),
  };
}

function policyContext(intent: ToolIntent, { session, world, rules }: JudgeOptions): PolicyContext {
  const { mode, options, rules: own } = session.head;
  return {
    roots: rootsOf({ session, world }),
    rules: [...own, ...(intent.rules ?? []), ...rules()],
    mode: intent.readOnly ? 'plan' : mode,
    trusted: options[trustOption] === true,
    canonical: (path) => world.paths.canonical(path),
    isFile: (path) => world.paths.isFile?.(path) ?? true,
    holdsLinks: (path) => world.paths.holdsLinks?.(path) ?? true,
    own: world.paths.own ?? [],
    home: world.paths.home,
    readable: world.outputs?.directory(session.id),
  };
}

/** What git would find for a line. Looked up before anybody judges: an index may be large. */
export async function repositoriesOf(
  intent: ToolIntent,
  context: PolicyContext,
  paths: Pick<HostPaths, 'repositoriesAt'>,
): Promise<(folder: string) => Repository | undefined> {
  const { entered, named } = gitFolders(intent, context);
  const folders = [...new Set([...entered, ...named])];
  if (!paths.repositoriesAt) return () => undefined;
  const found = await paths.repositoriesAt(folders);
  return (folder) => (found.has(folder) ? found.get(folder) : { folder, ...unknownRepository });
}
