// How git runs if a rule allowed it and no person: only in the workspace's own repository, and without the
// programs that a repository can configure.
import { programName, wordSet } from './commandLine.ts';
import type { CommandLine, CommandPart } from './commandLine.ts';
import { contains } from '../../base/paths.ts';

export interface Repository {
  /** The folder where git finds the repository. */
  readonly folder: string;
  /** The folder looks like a git directory itself; any folder of a clone may. */
  readonly bare: boolean;
  /**
   * It starts programs that the environment cannot disable (filters, external diffs), or leads git to write
   * files of others.
   */
  readonly startsPrograms: boolean;
  /** It exchanges commits with a repository on this machine, whose hooks the environment cannot disable. */
  readonly hasLocalRemote: boolean;
}

/** Nobody has looked at it, so it may do anything. */
export const unknownRepository = { bare: true, startsPrograms: true, hasLocalRemote: true } as const;

const gitPrograms: ReadonlySet<string> = wordSet('git gh glab hub tig lazygit jj');

export function usesGit({ parts }: CommandLine): boolean {
  return parts.some(startsGit);
}

export function usesJj({ words }: CommandPart): boolean {
  return words.some((word) => programName(word) === 'jj');
}

export function isGitProgram(program: string): boolean {
  return gitPrograms.has(program);
}

function startsGit({ words }: CommandPart): boolean {
  return words.some((word) => gitPrograms.has(programName(word)));
}

const showing: ReadonlySet<string> = wordSet('status diff log show branch commit rev-parse ls-files blame');

/**
 * Whether git may enter a repository that the index does not name yet: all but commands that leave the names
 * in the index as they are, and only show what the repository contains.
 */
export function mayFindRepositories(part: CommandPart): boolean {
  const [program = '', command = '', ...args] = part.words;
  const onlyShows = programName(program) === 'git' && showing.has(command);
  return startsGit(part) && !(onlyShows && !args.some((word) => /^--(?:sub|rec)/.test(word)));
}

const exchanges: ReadonlySet<string> = wordSet('push fetch pull clone ls-remote remote submodule subtree');

/** Whether git may exchange commits with another repository. */
export function usesRemote({ words }: CommandPart): boolean {
  return words.some((word) => exchanges.has(word));
}

const showingContent =
  /^(?:show|log|diff.*|blame|annotate|cat-file|grep|archive|whatchanged|format-patch|fast-export|range-diff|rev-list|merge-tree|request-pull)$/;

/** Whether git may show what a file once contained, also one that is not there any more. */
export function showsHistory(part: CommandPart): boolean {
  return startsGit(part) && part.words.some((word) => showingContent.test(word));
}

const keeping: ReadonlySet<string> = wordSet(`
  status log diff show add commit branch tag fetch push remote rev-parse rev-list ls-files ls-tree ls-remote rm
  describe shortlog reflog merge-base name-rev for-each-ref symbolic-ref cat-file whatchanged blame grep
  hash-object archive bundle init notes gc fsck count-objects check-ignore help version`);

/** Whether a command of git, or of a client of its hosts, brings no file into the work tree. */
export function keepsWorkTree([name = '', ...args]: readonly string[]): boolean {
  const program = programName(name);
  if (/^(?:gh|glab|hub)$/.test(program)) return !args.some((word) => bringing.test(word));
  if (program !== 'git') return false;
  const at = args.findIndex((word) => !word.startsWith('-'));
  const [command = 'help', ...rest] = args.slice(at < 0 ? args.length : at);
  if (command === 'stash') return /^(?:list|show)$/.test(rest[0] ?? '');
  if (command === 'reset') return rest.every((word) => /^(?!--)|^--(?:soft|mixed|quiet)?$/.test(word));
  const isNew = rest.length === 2 && rest[0] === (command === 'switch' ? '-c' : '-b');
  return keeping.has(command) || (/^(?:checkout|switch)$/.test(command) && isNew);
}

const bringing = /^(?:checkout|co|clone|sync|merge|fork|create|download)$/;

const ofTracked: ReadonlySet<string> = wordSet(`
  status log diff show add commit branch tag fetch push pull remote rev-parse rev-list ls-files ls-tree rm
  describe shortlog reflog merge-base name-rev for-each-ref symbolic-ref cat-file whatchanged checkout switch
  restore merge rebase reset stash cherry-pick revert`);
const fileOption = /^-[^-]*[FtOX]|^--(?:fi(?!r|x)|pathspec-fr|no-i|temp|ou|exclude-f)/;

/** Whether git takes no word for the path of a file, but for those it tracks, where it follows no links. */
export function namesNoFile([name = '', command = '', ...args]: readonly string[]): boolean {
  return programName(name) === 'git' && ofTracked.has(command) && !args.some((word) => fileOption.test(word));
}

/** Whether it is the repository of a workspace folder, not one below it, and starts no other program. */
export function isOwnRepository(
  { folder, bare, startsPrograms }: Repository,
  roots: readonly string[],
): boolean {
  return !bare && !startsPrograms && roots.some((root) => contains(folder, root));
}

const configuration: readonly (readonly [name: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.alternateRefsCommand', ''],
  ['safe.bareRepository', 'explicit'],
  ['protocol.ext.allow', 'never'],
  // Another repository on this machine runs its own hooks, with none of these settings.
  ['protocol.file.allow', 'never'],
  ['submodule.recurse', 'false'],
  // Otherwise a table in the index says where its entries are, and we read them in their order.
  ['index.threads', '1'],
  // These would show what is inside a repository that only an older commit names.
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
];

/** Settings from the environment override those of the repository. */
export const safeGitEnvironment: { readonly [name: string]: string } = {
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_ASKPASS: '',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: String(configuration.length),
  ...Object.fromEntries(
    configuration.flatMap(([name, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, name],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
};
