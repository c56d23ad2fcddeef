// `parley service`: a host that starts with the user's session, by the service manager of the system.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import { readConfig } from '../../io/settings/editConfigFile.ts';
import { runningHost } from '../client/controlClient.ts';
import { noMore, readArgs } from '../say.ts';
import { print, printError } from '../output.ts';
import { unknownWord } from '../suggest.ts';
import { serviceManager } from './serviceFiles.ts';
import type { ServiceManager } from './serviceFiles.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { print: { type: 'boolean' } });
  const [verb = 'status', ...rest] = positionals;
  noMore(rest);
  const action = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!action) throw unknownWord('service', verb);
  const manager = serviceManager({
    platform: process.platform,
    home: homedir(),
    uid: process.getuid?.() ?? 0,
    env: process.env,
    program: [process.execPath, realpathSync(resolve(process.argv[1] ?? 'parley'))],
  });
  if (!manager) {
    printError(
      'parley: There is no service on this system. Every command of Parley starts the host when it is ' +
        'needed.\n',
    );
    return 1;
  }
  if (values.print && verb === 'install') {
    print(`${manager.file}:\n\n${manager.text}`);
    return 0;
  }
  return action(manager);
}

const verbs: { readonly [verb: string]: (manager: ServiceManager) => number | Promise<number> } = {
  install,
  remove,
  status,
};

async function install(manager: ServiceManager): Promise<number> {
  const { file, text } = manager;
  const isSame = readConfig(file) === text;
  if (!isSame) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  print(isSame ? `${file} is already as it should be.\n` : `Wrote ${file}.\n`);
  const peer = await runningHost();
  peer?.close();
  const isRunning = peer !== undefined;
  for (const command of manager.enable(!isRunning)) {
    const problem = execute(command);
    if (problem === undefined) continue;
    printError(
      `parley: ${command.join(' ')} failed: ${problem}\nThe file stays. Run the command yourself.\n`,
    );
    return 1;
  }
  print(
    isRunning
      ? 'A host is already running and goes on. The service starts with your next session, or now with:\n' +
          `  parley stop; ${manager.start}\n`
      : 'The host runs, and starts with your session from now on.\n',
  );
  print('API keys that only your shell exports are not known to it: store them with parley login.\n');
  return 0;
}

function remove(manager: ServiceManager): number {
  if (!existsSync(manager.file)) {
    print('The service is not installed.\n');
    return 0;
  }
  const problems = manager.disable.flatMap((command) => execute(command) ?? []);
  rmSync(manager.file);
  print(`Removed ${manager.file}. Sessions and settings stay.\n`);
  for (const problem of problems) printError(`parley: ${manager.name} could not stop it: ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

function status(manager: ServiceManager): number {
  if (!existsSync(manager.file)) {
    print('The service is not installed. parley service install installs it.\n');
    return 1;
  }
  const isActive = execute(manager.status) === undefined;
  print(
    isActive
      ? `The host runs as a service of ${manager.name} (${manager.file}).\n`
      : `The service is installed (${manager.file}) but does not run. To start it: ${manager.start}\n`,
  );
  return isActive ? 0 : 1;
}

/** The reason why a command failed; undefined if it did not. */
function execute([program = '', ...args]: readonly string[]): string | undefined {
  const { error, status: code, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) return errorCode(error) === 'ENOENT' ? `${program} was not found.` : error.message;
  if (code === 0) return undefined;
  return stderr.trim() === '' ? `it ended with ${code ?? 'a signal'}.` : stderr.trim();
}
