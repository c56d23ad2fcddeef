// The git state of a folder for people who review changes: branch, what is staged, and a commit of some
// files. The hooks of the repository do not run.
import { relative } from 'node:path';
import { contains } from '../../base/paths.ts';
import { present } from '../../base/present.ts';
import type { NotPossible } from '../../host/ports.ts';
import { repositoryAt } from '../files/repositoryAt.ts';
import { runGit } from './runGit.ts';

export interface WorkTree {
  /** The folder of the repository. */
  readonly folder: string;
  /** Absent for a commit without a branch. */
  readonly branch?: string;
  readonly upstream?: string;
  readonly ahead?: number;
  readonly behind?: number;
  /** Paths in the repository whose content is staged. */
  readonly staged: readonly string[];
  /** Paths that differ from the last commit, staged or not. */
  readonly changed: readonly string[];
}

/** Undefined if the folder is in no repository. */
export async function workTree(folder: string): Promise<WorkTree | NotPossible | undefined> {
  const place = await repositoryAt(folder);
  if (!place || place.bare) return undefined;
  if (place.startsPrograms) return { refused: startsPrograms };
  // Git would start another git in repositories inside this one, with what these configure.
  const args = ['status', '--porcelain=v2', '--branch', '--untracked-files=all', '-z', noNested];
  const { code, output, problem } = await runGit(args, { root: place.folder });
  if (code !== 0) return { refused: problem || 'git could not be started.' };
  return readStatus(place.folder, output.toString());
}

const noNested = '--ignore-submodules=dirty';

export interface CommitRequest {
  readonly message: string;
  /** Absolute paths; what else is staged stays staged. */
  readonly paths: readonly string[];
}

/** The short name of the new commit. */
export async function commitFiles(
  folder: string,
  { message, paths }: CommitRequest,
): Promise<{ readonly commit: string } | NotPossible> {
  const place = await repositoryAt(folder);
  if (!place || place.bare) return { refused: 'The folder is in no git repository.' };
  if (place.startsPrograms) return { refused: startsPrograms };
  const root = place.folder;
  const outside = paths.find((path) => !contains(root, path));
  if (outside !== undefined) return { refused: `${outside} is not in the repository ${root}.` };
  const names = paths.map((path) => relative(root, path));
  const added = await runGit(['--literal-pathspecs', 'add', '--all', '--', ...names], { root });
  if (added.code !== 0) return { refused: added.problem || 'git could not be started.' };
  const commit = ['--literal-pathspecs', 'commit', '--quiet', '--file=-', '--', ...names];
  const { code, output, problem } = await runGit(commit, { root, input: message });
  if (code !== 0) return { refused: problem || output.toString().trim() || 'git made no commit.' };
  const head = await runGit(['rev-parse', '--short', 'HEAD'], { root });
  return { commit: head.output.toString().trim() };
}

const startsPrograms =
  'The configuration of this repository starts programs, so Parley does not run git here. ' +
  'Commit in a terminal.';

/** Fields of the lines that stand before the path. */
const fieldsBefore: { readonly [kind: string]: number } = { '1': 8, '2': 9, u: 10, '?': 1 };

function readStatus(folder: string, text: string): WorkTree {
  const lines = text.split('\0');
  const header = (name: string) =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(header('ab') ?? '') ?? [];
  const head = header('head');
  const [staged, changed]: [string[], string[]] = [[], []];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const kind = line[0] ?? '';
    const before = fieldsBefore[kind];
    if (before === undefined) continue;
    const path = line.split(' ').slice(before).join(' ');
    changed.push(path);
    if (kind !== '?' && line[2] !== '.') staged.push(path);
    // The old name of a renamed file follows by itself.
    if (kind === '2') at += 1;
  }
  return {
    folder,
    staged,
    changed,
    ...present({
      branch: head === '(detached)' ? undefined : head,
      upstream: header('upstream'),
      ahead: ahead === undefined ? undefined : Number(ahead),
      behind: behind === undefined ? undefined : Number(behind),
    }),
  };
}
