// The environment of external agents: what a terminal would give them, without the secrets that are not
// theirs.
import { isSecretVariable } from '../../host/policy/secretVariables.ts';
import { withoutDirenv } from './withoutDirenv.ts';

type Environment = { readonly [name: string]: string | undefined };

interface AgentVariables {
  /** Names of more variables that the agent gets; a final star is a wildcard. */
  readonly inherits?: readonly string[];
  readonly env?: Environment;
  /** Variables that make the agent ask before it acts; what the user has set wins. */
  readonly quirks?: { readonly askingEnv?: Environment };
}

/** What belongs to our own process, or to the shell that started it: a new terminal would not have it. */
const ours: readonly string[] = [
  ...['PARLEY_*', 'NODE_CHANNEL_FD', 'NODE_UNIQUE_ID', 'ELECTRON_RUN_AS_NODE', 'CLAUDECODE'],
  ...['npm_lifecycle_*', 'npm_package_*', 'npm_command', 'npm_execpath', 'npm_node_execpath', 'INIT_CWD'],
  ...['NOTIFY_SOCKET', 'WATCHDOG_*', 'LISTEN_*', 'INVOCATION_ID', 'JOURNAL_STREAM', 'MAINPID'],
  ...['_', 'PWD', 'OLDPWD', 'SHLVL'],
  // They hold the values of other variables, among them secrets.
  ...['DIRENV_DIFF', 'DIRENV_DIR', 'DIRENV_FILE', 'DIRENV_WATCHES', '__MISE_*'],
];

/** The environment of an agent program. `env` of its settings wins, then what the project adds. */
export function agentEnvironment(
  own: Environment,
  { inherits = [], env, quirks }: AgentVariables,
  project: Environment = {},
): Record<string, string> {
  const passed = Object.entries(withoutDirenv(own)).filter(
    ([name]) => matches(name, inherits) || (!matches(name, ours) && !isSecretVariable(name)),
  );
  const all = [
    ...Object.entries(quirks?.askingEnv ?? {}),
    ...passed,
    ...Object.entries(project),
    ...Object.entries(env ?? {}),
  ];
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

export interface EnvironmentDifference {
  /** Names that say that they are secrets, which belong to others. */
  readonly secrets: readonly string[];
  /** The other names that the agent does not get. */
  readonly others: readonly string[];
}

/** What of our environment an agent does not get; names only. */
export function environmentDifference(own: Environment, agent: AgentVariables): EnvironmentDifference {
  const given = agentEnvironment(own, agent);
  const missing = Object.keys(own)
    .filter((name) => own[name] !== undefined && !Object.hasOwn(given, name) && !matches(name, ours))
    .toSorted();
  return {
    secrets: missing.filter(isSecretVariable),
    others: missing.filter((name) => !isSecretVariable(name)),
  };
}

/** A name may end in `*` as a wildcard. */
function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
