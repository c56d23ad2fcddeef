// `parley mcp`: the MCP servers of the user's settings.
import type { McpServerSettings } from '../../host/settings/settings.ts';
import { readConfig, valueAt, withValue, writeConfig } from '../../io/settings/editConfigFile.ts';
import { readText } from '../../io/settings/load.ts';
import { openSettings, settingsFiles } from '../../io/settings/open.ts';
import { forget } from '../../io/mcp/kept.ts';
import { wantedServers } from '../../io/mcp/wanted.ts';
import type { NetworkWay } from '../../io/mcp/wanted.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import type { Secrets } from '../../io/auth/secrets.ts';
import { askHost } from '../client/askHost.ts';
import { openBrowser } from '../openBrowser.ts';
import { jsonText, print, printError } from '../output.ts';
import { settled } from '../setup/currentSettings.ts';
import { columns, noMore, onlyWord, readArgs, safe, UsageError } from '../say.ts';

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
      throw new UsageError(`there is no parley mcp ${verb}. Try list, add, remove, login or logout.`);
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
    ...shown(server),
    disabled: server.disabled ?? false,
  }));
  if (values.json) print(`${jsonText(rows, 2)}\n`);
  else if (rows.length === 0)
    print('No MCP server is set up. Add one with parley mcp add NAME -- COMMAND ARGS...\n');
  else
    print(
      `${columns(rows.map(({ name, what, disabled }) => [name, what, disabled ? 'turned off' : ''])).join('\n')}\n`,
    );
  return problems.length > 0 ? 1 : 0;
}

/** Variables and headers may hold secrets and are not shown; neither is a password in an address. */
function shown(server: McpServerSettings): { readonly what: string } {
  return {
    what:
      'command' in server
        ? [server.command, ...(server.args ?? [])].join(' ')
        : server.url.replace(/(\/\/)[^/@\s]+@/, '$1[hidden]@'),
  };
}

function add(args: readonly string[]): number {
  const end = args.indexOf('--');
  const { values, positionals } = readArgs(end < 0 ? args : args.slice(0, end), {
    url: { type: 'string' },
    header: { type: 'string', multiple: true, default: [] },
    env: { type: 'string', multiple: true, default: [] },
  });
  const name = onlyWord(positionals, 'the server');
  const [command, ...words] = end < 0 ? [] : args.slice(end + 1);
  if ((command === undefined) === (values.url === undefined))
    throw new UsageError(
      `say how ${name} is reached: parley mcp add ${name} -- COMMAND ARGS..., or parley mcp add ${name} --url URL`,
    );
  const server: McpServerSettings =
    values.url === undefined
      ? { command: command ?? '', args: words, ...(values.env.length > 0 ? { env: pairs(values.env) } : {}) }
      : { url: values.url, ...(values.header.length > 0 ? { headers: pairs(values.header) } : {}) };
  const { user } = settingsFiles(process.env);
  const text = withValue(readConfig(user), ['mcpServers', name], { value: server, file: user });
  const wrong = readText(text, user).problems.find(({ message }) => message.includes('mcpServers'));
  if (wrong) throw new UsageError(wrong.message);
  writeConfig(user, text, 'nothing');
  print(`Added ${name} to ${user}.\n`);
  return 0;
}

function remove(args: readonly string[]): number {
  const { positionals } = readArgs(args, {});
  const name = onlyWord(positionals, 'the server');
  const { user } = settingsFiles(process.env);
  const text = readConfig(user);
  if (valueAt(text, ['mcpServers', name], user) === undefined)
    throw new Error(`${user} has no MCP server ${name}.`);
  writeConfig(user, withValue(text, ['mcpServers', name], { value: undefined, file: user }), 'nothing');
  print(`Removed ${name} from ${user}.\n`);
  return 0;
}

/** Signs in to a server of the settings. It happens here, in the user's own terminal; a host that runs learns of it at once. */
async function login(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  const name = onlyWord(positionals, 'the server');
  const secrets = openSecrets(dataPaths(process.env).secrets);
  const way = networkWay(name, secrets);
  const { beginSignIn } = await import('../../io/mcp/signIn.ts');
  const begun = await beginSignIn(way, secrets, settled(process.env).fetch);
  if ('refused' in begun) throw new Error(begun.refused);
  print(`Go to this address to sign in to ${name}:\n\n  ${safe(begun.url)}\n\n`);
  openBrowser(begun.url);
  const refused = await begun.done;
  if (refused) throw new Error(safe(refused.refused));
  await askHost('refresh');
  print(`You are signed in to ${name}.\n`);
  return 0;
}

async function logout(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  const name = onlyWord(positionals, 'the server');
  const secrets = openSecrets(dataPaths(process.env).secrets);
  const there = forget(secrets, networkWay(name, secrets).url);
  if (there) await askHost('refresh');
  print(there ? `You are signed out of ${name}.\n` : `Nobody is signed in to ${name}.\n`);
  return 0;
}

function networkWay(name: string, secrets: Secrets): NetworkWay {
  const settings = openSettings({ env: process.env });
  const plans = wantedServers({ roots: [process.cwd()] }, settings, {
    env: process.env,
    stored: (secret) => secrets.get(`secret:${secret}`),
  });
  settings.close();
  const plan = plans.find((each) => each.name === name);
  if (!plan)
    throw new Error(
      `there is no MCP server ${name}. Those that hold here are: ${plans.map((each) => each.name).join(', ') || 'none'}.`,
    );
  if (plan.problem !== undefined) throw new Error(`${name} cannot be used. ${plan.problem}`);
  if (!('url' in plan.way)) throw new Error(`nobody signs in to ${name}: it is a program on this machine.`);
  return plan.way;
}

function pairs(given: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`"${pair}" is not understood; write NAME=VALUE.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
