// What an agent must never change unasked: the files that decide what runs or what is allowed, also where they do not exist yet.
import { below, contains } from '../workspace/paths.ts';

export interface Places {
  readonly roots: readonly string[];
  /** The directories of this program. */
  readonly own?: readonly string[];
}

/** The path is absolute with links resolved. Where a workspace lies does not matter, only what is named within it. */
export function isProtected(path: string, { roots, own = [] }: Places): boolean {
  const inside = roots.flatMap((root) => below(root, path) ?? []).toSorted((a, b) => b.length - a.length)[0];
  const names = (inside ?? path).split(/[/\\]/).map(plain);
  const whole = `/${names.join('/')}`;
  return (
    names.some((name) => folders.has(name)) ||
    files.has(names.at(-1) ?? '') ||
    endings.some((ending) => ending.test(whole)) ||
    own.some((directory) => contains(plainPath(directory), plainPath(path)))
  );
}

/** Some file systems ignore case, trailing dots and blanks, streams after a colon, and letters nobody sees. */
function plain(name: string): string {
  const seen = name.normalize('NFKC').replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '');
  return (
    seen
      .replace(/:.*$/, '')
      .replace(/[. ]+$/, '')
      .toLowerCase() || seen
  );
}

function plainPath(path: string): string {
  return path.split(/[/\\]/).map(plain).join('/');
}

const folders: ReadonlySet<string> = new Set([
  '.git',
  'git~1',
  '.husky',
  '.githooks',
  '.vscode',
  '.idea',
  '.zed',
  '.vs',
  '.fleet',
  '.devcontainer',
  '.parley',
  '.eca',
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.opencode',
  '.continue',
  '.windsurf',
  '.kiro',
  '.roo',
  '.qwen',
  '.crush',
  '.goose',
  '.amazonq',
  '.cargo',
  '.mvn',
  '.mise',
  '.direnv',
  '.ssh',
  '.gnupg',
  '.aws',
  '.kube',
  '.docker',
  'launchagents',
  'launchdaemons',
  'autostart',
]);

const files: ReadonlySet<string> = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.inputrc',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.xsessionrc',
  '.pam_environment',
  'config.fish',
  '.envrc',
  '.mise.toml',
  'mise.toml',
  '.npmrc',
  '.pnpmfile.cjs',
  'bunfig.toml',
  '.bazelrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.lefthook.yml',
  '.aider.conf.yml',
  '.pypirc',
  '.netrc',
  '_netrc',
  '.gitconfig',
  '.gitmodules',
  '.curlrc',
  '.wgetrc',
  '.ripgreprc',
  '.vimrc',
  '.exrc',
  '.gvimrc',
  '.nvimrc',
  '.nvim.lua',
  '.emacs',
  '.dir-locals.el',
  '.mcp.json',
  'mcp.json',
  '.lldbinit',
  '.gdbinit',
  '.pythonrc',
  '.irbrc',
]);

const endings: readonly RegExp[] = [
  /\.code-workspace$/,
  /\/fish\/(?:conf\.d|functions)\//,
  /\/\.config\/(?:git|systemd|fish|parley|eca|zed|nvim)\//,
  /\/\.emacs\.d\//,
  /\/sitecustomize\.py$/,
  /\/crontabs?\//,
];
