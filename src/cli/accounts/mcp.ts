// `parley mcp`: lists, adds and removes the MCP servers of the user's settings, and signs in to them.
import { serverNameProblem } from '../../host/tools/serverNames.ts';
import type { McpServerSettings } from '../../host/settings/settings.ts';
import { readConfig, valueAt, withValue, writeConfig } from '../../io/settings/editConfigFile.ts';
import { sectionProblem } from '../../io/settings/load.ts';
import { openSettings, settingsFiles } from '../../io/settings/open.ts';
import { deleteSignIn } from '../../io/mcp/auth/storedSignIn.ts';
import { serverPlans } from '../../io/mcp/serverPlans.ts';
import type { NetworkEndpoint } from '../../io/mcp/serverPlans.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import type { Secrets } from '../../io/auth/secrets.ts';
import { refreshHost } from '../client/controlClient.ts';
import { openBrowser } from '../../io/processes/openBrowser.ts';
import { commandSettings } from '../setup/currentSettings.ts';
import { pairs } from './pairs.ts';
import { columns, noMore, onlyWord, readArgs, safe, UsageError } from '../say.ts';
import { unknownWord } from '../suggest.ts';
import { print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

export async function run(args: readonly string[]): Promise<number> {
  const [verb = 'list', ...rest] = args[0]?.startsWith('-') ? ['list', ...args] : args;
  switch (verb) {
    case 'list':
      return list(rest);
    case 'add':
      return add(rest);
    case 'remove':
      return remove(rest);
    case 'login':
      return login(rest);
    case 'logout':
      return logout(rest);
    default:
      throw unknownWord('mcp', verb);
  }
}

function list(args: readonly string[]): number {
  const { values, positionals } = readArgs(args, { json: { type: 'boolean' } });
  noMore(positionals);
  const settings = openSettings({ env: process.env });
  const { mcpServers } = settings.of([process.cwd()]);
  const problems = settings.problems().filter(({ kind }) => kind !== 'untrusted');
  settings.close();
  for (const { message } of problems) printError(`parley: ${message}\n`);
  const rows = Object.entries(mcpServers).map(([name, server]) => ({
    name,
    what: addressOf(server),
    disabled: server.disabled ?? false,
  }));
  if (values.json) print(`${jsonText(rows, 2)}\n`);
  else if (rows.length === 0) print('No MCP servers. Add one with parley mcp add NAME -- COMMAND ARGS...\n');
  else
    print(
      `${columns(rows.map(({ name, what, disabled }) => [name, what, disabled ? 'disabled' : ''])).join('\n')}\n`,
    );
  return problems.length > 0 ? 1 : 0;
}

/** The command or the URL without its password. Variables and headers may hold secrets and are left out. */
function addressOf(server: McpServerSettings): string {
  return 'command' in server
    ? [server.command, ...(server.args ?? [])].join(' ')
    : server.url.replace(/(\/\/)[^/@\s]+@/, '$1[hidden]@');
}

async function add(args: readonly string[]): Promise<number> {
  const end = args.indexOf('--');
  const { values, positionals } = readArgs(end < 0 ? args : args.slice(0, end), {
    url: { type: 'string' },
    header: { type: 'string', multiple: true, default: [] },
    env: { type: 'string', multiple: true, default: [] },
  });
  const name = onlyWord(positionals, 'server name');
  const [command, ...words] = end < 0 ? [] : args.slice(end + 1);
  if ((command === undefined) === (values.url === undefined))
    throw new UsageError(
      `Give ${name} either a command or a URL: parley mcp add ${name} -- COMMAND ARGS..., or parley mcp ` +
        `add ${name} --url URL`,
    );
  const server: McpServerSettings =
    values.url === undefined
      ? { command: command ?? '', args: words, ...(values.env.length > 0 ? { env: pairs(values.env) } : {}) }
      : { url: values.url, ...(values.header.length > 0 ? { headers: pairs(values.header) } : {}) };
  const { user } = settingsFiles(process.env);
  const before = readConfig(user);
  const isReplaced = valueAt(before, ['mcpServers', name], user) !== undefined;
  const problem = isReplaced ? undefined : serverNameProblem(name);
  if (problem !== undefined) throw new UsageError(problem);
  const text = withValue(before, ['mcpServers', name], { value: server, file: user });
  const invalid = sectionProblem(user, 'mcpServers', valueAt(text, ['mcpServers'], user));
  if (invalid) throw new UsageError(invalid.message);
  writeConfig(user, text, 'nothing');
  await refreshHost();
  print(isReplaced ? `Replaced ${name} in ${user}.\n` : `Added ${name} to ${user}.\n`);
  return 0;
}

async function remove(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  const name = onlyWord(positionals, 'server name');
  const { user } = settingsFiles(process.env);
  const text = readConfig(user);
  if (valueAt(text, ['mcpServers', name], user) === undefined)
    throw new Error(`${user} has no MCP server "${name}".`);
  writeConfig(user, withValue(text, ['mcpServers', name], { value: undefined, file: user }), 'nothing');
  await refreshHost();
  print(`Removed ${name} from ${user}.\n`);
  return 0;
}

/** Signs in from this terminal, and tells the running host. */
async function login(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  const name = onlyWord(positionals, 'server name');
  const secrets = openSecrets(dataPaths(process.env).secrets);
  const server = networkServer(name, secrets);
  const { beginSignIn } = await import('../../io/mcp/auth/signIn.ts');
  const signIn = await beginSignIn(server, secrets, commandSettings(process.env).fetch);
  if ('refused' in signIn) throw new Error(signIn.refused);
  print(`Open this page to sign in to ${name}:\n\n  ${safe(signIn.url)}\n\n`);
  openBrowser(signIn.url);
  const refused = await signIn.done;
  if (refused) throw new Error(safe(refused.refused));
  await refreshHost();
  print(`Signed in to ${name}.\n`);
  return 0;
}

async function logout(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  const name = onlyWord(positionals, 'server name');
  const secrets = openSecrets(dataPaths(process.env).secrets);
  const wasSignedIn = deleteSignIn(secrets, networkServer(name, secrets).url);
  if (wasSignedIn) await refreshHost();
  print(wasSignedIn ? `Signed out of ${name}.\n` : `Not signed in to ${name}.\n`);
  return 0;
}

function networkServer(name: string, secrets: Secrets): NetworkEndpoint {
  const settings = openSettings({ env: process.env });
  const plans = serverPlans({ roots: [process.cwd()] }, settings, {
    env: process.env,
    stored: (secret) => secrets.get(`secret:${secret}`),
  });
  settings.close();
  const plan = plans.find((candidate) => candidate.name === name);
  if (!plan)
    throw new Error(
      `Unknown MCP server "${name}". Servers for this folder: ` +
        `${plans.map((server) => server.name).join(', ') || 'none'}.`,
    );
  if (plan.problem !== undefined) throw new Error(`${name} cannot be used. ${plan.problem}`);
  if (!('url' in plan.endpoint)) throw new Error(`"${name}" is a local program and needs no sign-in.`);
  return plan.endpoint;
}
