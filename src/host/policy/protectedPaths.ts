// Files that an agent must not change without approval: they control what runs or what is allowed. They count
// even before they exist.
import { below, contains } from '../../base/paths.ts';

export interface ProtectedRoots {
  readonly roots: readonly string[];
  /** Parley's own directories. */
  readonly own?: readonly string[];
}

/** The path is absolute with links resolved. Inside a workspace, only the part below its root counts. */
export function isProtected(path: string, { roots, own = [] }: ProtectedRoots): boolean {
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

/**
 * Some file systems ignore case, trailing dots and blanks, streams after a colon, and invisible characters.
 */
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

/** Settings of editors and agents, and git hooks: what starts programs by itself, or says what is allowed. */
export const settingsFolders: readonly string[] = [
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
  '.agents',
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
  '.junie',
  '.augment',
];

const folders: ReadonlySet<string> = new Set([
  ...settingsFolders,
  '.git',
  'git~1',
  // More agents.
  '.clinerules',
  '.cline',
  '.codebuddy',
  '.factory',
  '.grok',
  '.iflow',
  '.kilocode',
  '.kimi',
  '.openhands',
  '.trae',
  '.vibe',
  // Continuous integration.
  '.circleci',
  '.buildkite',
  '.teamcity',
  '.woodpecker',
  '.gitlab',
  // Tool settings that name programs.
  '.cargo',
  '.mvn',
  '.mise',
  '.direnv',
  '.yarn',
  '.ssh',
  '.gnupg',
  '.aws',
  '.kube',
  '.docker',
  'launchagents',
  'launchdaemons',
  'autostart',
]);

/** Files that bash and zsh run when they start or end. */
export const shellStartFiles: readonly string[] = [
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
];

const files: ReadonlySet<string> = new Set([
  ...shellStartFiles,
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
  '.tool-versions',
  '.npmrc',
  '.pnpmfile.cjs',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  'bunfig.toml',
  '.bazelrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.lefthook.yml',
  '.pypirc',
  '.netrc',
  '_netrc',
  '.gitconfig',
  '.gitmodules',
  '.gitattributes',
  '.curlrc',
  '.wgetrc',
  '.ripgreprc',
  'gradlew',
  'gradlew.bat',
  'mvnw',
  'mvnw.cmd',
  '.vimrc',
  '.exrc',
  '.gvimrc',
  '.nvimrc',
  '.nvim.lua',
  '.emacs',
  '.dir-locals.el',
  '.lldbinit',
  '.gdbinit',
  '.pythonrc',
  '.irbrc',
  // Agent instructions, and what agents start.
  'agents.md',
  'agents.local.md',
  'agents.override.md',
  'agent.md',
  'claude.md',
  'claude.local.md',
  'gemini.md',
  'gemini.local.md',
  'qwen.md',
  'crush.md',
  'crush.local.md',
  'warp.md',
  'skill.md',
  '.cursorrules',
  '.windsurfrules',
  '.roorules',
  '.rules',
  '.goosehints',
  'copilot-instructions.md',
  '.aider.conf.yml',
  '.mcp.json',
  'mcp.json',
  'opencode.json',
  'opencode.jsonc',
  'crush.json',
  '.crush.json',
  // Continuous integration.
  '.gitlab-ci.yml',
  '.gitlab-ci.yaml',
  '.travis.yml',
  '.drone.yml',
  '.woodpecker.yml',
  '.woodpecker.yaml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  '.appveyor.yml',
  'cloudbuild.yaml',
  'jenkinsfile',
  '.devcontainer.json',
  // A folder with this file and a few others is a bare repository, and git runs its configuration.
  'config',
  'config.worktree',
]);

/** Programs put files into a folder that is named, so the folder itself and those around it count as well. */
const endings: readonly RegExp[] = [
  /\.code-workspace$/,
  /\/fish\/(?:conf\.d|functions)(?:\/|$)/,
  /\/\.config(?:\/(?:git|systemd|fish|parley|eca|zed|nvim)(?:\/|$)|$)/,
  /\/\.emacs\.d(?:\/|$)/,
  /\/sitecustomize\.py$/,
  /\/crontabs?(?:\/|$)/,
  /\/\.(?:github|gitea|forgejo)(?:\/(?:workflows|actions)(?:\/|$)|$)/,
  /\/\.github\/(?:instructions|prompts|agents|chatmodes|skills)(?:\/|$)/,
  /\/gradle(?:\/wrapper(?:\/|$)|$)/,
  // Bare repositories, by their usual name and by the hooks that git runs.
  /\/[^/]+\.git\//,
  /\/hooks\/(?:(?:pre|post)-[a-z-]+|applypatch-msg|commit-msg|prepare-commit-msg|reference-transaction|update|proc-receive|push-to-checkout|sendemail-validate|fsmonitor-watchman)$/,
];
