// Which places a confined program cannot see, and which files of a workspace it cannot change. Pure lists.
import { settingsFolders, shellStartFiles } from '../../host/policy/protectedPaths.ts';

/** Below the home directory: secrets of the user, profiles of browsers, and histories of shells. */
export const hiddenInHome: readonly string[] = [
  // Keys, and sign-ins of clouds, registries and databases.
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.oci',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/doctl',
  '.config/rclone',
  '.config/containers',
  '.config/git/credentials',
  '.config/github-copilot',
  '.netrc',
  '_netrc',
  '.git-credentials',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.boto',
  '.s3cfg',
  '.vault-token',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.gradle/gradle.properties',
  '.terraform.d',
  '.terraformrc',
  // Stores of passwords.
  '.password-store',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.config/1Password',
  '.config/Bitwarden',
  'Library/Keychains',
  // Sign-ins, settings and conversations of agents; each sees its own.
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.copilot',
  '.config/opencode',
  '.local/share/opencode',
  '.local/state/opencode',
  '.config/kilo',
  '.local/share/kilo',
  '.local/state/kilo',
  '.config/goose',
  '.local/share/goose',
  '.local/state/goose',
  '.kimi',
  '.qwen',
  '.pi',
  '.config/eca',
  // Browsers and mail.
  '.mozilla',
  '.thunderbird',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  '.config/vivaldi',
  '.config/opera',
  '.var/app',
  'snap/firefox',
  'snap/chromium',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  'Library/Application Support/BraveSoftware',
  'Library/Application Support/Microsoft Edge',
  'Library/Safari',
  'Library/Cookies',
  // What was typed before, passwords included.
  '.bash_history',
  '.zsh_history',
  '.local/share/fish/fish_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
];

/** Of the machine; other users than root cannot read most of it anyway. */
export const hiddenInSystem: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/ssl/private',
  '/var/lib/docker',
  '/var/lib/containerd',
];

/**
 * What starts programs by itself in a workspace, or decides what agents may do. It cannot be created, either.
 * The rest of what policy protects is guarded only where it exists: an agent could as well write such
 * commands into the project's own scripts.
 */
export const guardedNames: readonly string[] = [
  ...settingsFolders,
  // Files, but an empty folder in their place is no change that git would show.
  '.mcp.json',
  '.envrc',
];

/** Additional ones of a workspace that is, or contains, the home directory. */
export const guardedHomeNames: readonly string[] = [
  ...shellStartFiles,
  '.gitconfig',
  '.inputrc',
  '.xprofile',
  '.xsession',
  '.ssh',
  '.gnupg',
  '.config/git',
  '.config/fish',
  '.config/systemd',
  '.config/autostart',
  '.local/bin',
];

/** Names below the top of a workspace that policy protects and that are worth looking for. */
export const guardedDeeper: readonly string[] = [
  '.github/workflows',
  '.github/actions',
  '.gitea/workflows',
  '.forgejo/workflows',
  'gradle/wrapper',
  '.yarn/releases',
  '.yarn/plugins',
];

/** What policy protects by its name but builds write to, or what other projects use for something else. */
export const writtenByBuilds: ReadonlySet<string> = new Set(['.yarn', 'config', 'config.worktree']);
