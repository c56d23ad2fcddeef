// The environment of external agents: what a terminal would give them, without the secrets that are not
// theirs.
import { childEnvironment } from '../processes/environment.ts';

type Environment = { readonly [name: string]: string | undefined };

interface AgentVariables {
  /** Names of more variables that the agent gets; a final star is a wildcard. */
  readonly inherits?: readonly string[];
  readonly env?: Environment;
  /** Variables that make the agent ask before it acts; what the user has set wins. */
  readonly quirks?: { readonly askingEnv?: Environment };
}

/** What programs of a terminal use: proxies, the keyring, ssh, the display, the browser, toolchains. */
const terminal: readonly string[] = [
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'ALL_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'all_proxy',
  ],
  ...['DBUS_SESSION_BUS_ADDRESS', 'GNOME_KEYRING_CONTROL', 'SECURITYSESSIONID', 'KRB5CCNAME'],
  ...[
    'SSH_AUTH_SOCK',
    'SSH_AGENT_PID',
    'SSH_ASKPASS',
    'GIT_ASKPASS',
    'GIT_SSH',
    'GIT_SSH_COMMAND',
    'GNUPGHOME',
  ],
  ...['GIT_AUTHOR_*', 'GIT_COMMITTER_*', 'GIT_EDITOR', 'EDITOR', 'VISUAL', 'PAGER'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_*', 'DESKTOP_SESSION', 'BROWSER', 'WSL_*', 'WSLENV'],
  ...['TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'LS_COLORS', 'MANPATH', 'INFOPATH', 'LD_LIBRARY_PATH'],
  ...['CONDA_*', 'ASDF_*', 'MISE_*', 'NIX_*', 'HOMEBREW_*', 'PNPM_HOME', 'BUN_INSTALL', 'DENO_*', 'FNM_*'],
  ...['ANDROID_HOME', 'DOTNET_ROOT', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'KUBECONFIG'],
];

/** The environment of an agent program. `env` of its settings wins, then what the project adds. */
export function agentEnvironment(
  own: Environment,
  { inherits = [], env, quirks }: AgentVariables,
  project: Environment = {},
): Record<string, string> {
  const passed = Object.entries(own).filter(
    ([name]) => matches(name, inherits) || (matches(name, terminal) && !isSecretName(name)),
  );
  return childEnvironment(own, { ...quirks?.askingEnv, ...Object.fromEntries(passed), ...project, ...env });
}

export interface EnvironmentDifference {
  /** Names that look like secrets of others. */
  readonly secrets: readonly string[];
  /** The other names that the agent does not get. */
  readonly others: readonly string[];
}

/** What of our environment an agent does not get; names only. */
export function environmentDifference(own: Environment, agent: AgentVariables): EnvironmentDifference {
  const given = agentEnvironment(own, agent);
  const missing = Object.keys(own)
    .filter((name) => own[name] !== undefined && !Object.hasOwn(given, name) && !name.startsWith('PARLEY_'))
    .toSorted();
  return {
    secrets: missing.filter((name) => isSecretName(name)),
    others: missing.filter((name) => !isSecretName(name)),
  };
}

/** Whether the name of a variable says that its value is a secret. */
function isSecretName(name: string): boolean {
  return /(?:^|_)(?:API_?KEY|ACCESS_KEY|KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)?|CREDENTIALS?|AUTH)(?:_|$)/i.test(
    name.replace(/^SSH_AUTH_SOCK$/, ''),
  );
}

/** A name may end in `*` as a wildcard. */
function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
