// `parley sandbox`: runs one command as the commands of agents run. Its exit code is ours.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ownSandbox } from '../../app/ownSandbox.ts';
import { childEnvironment } from '../../io/processes/environment.ts';
import { hasNotBegun, mostAttempts } from '../../rpc/processes/beginning.ts';
import { confineIf } from '../../io/sandbox/confineIf.ts';
import type { ConfinedStart } from '../../io/sandbox/confineIf.ts';
import type { NotPossible, ReachNetwork } from '../../host/ports.ts';
import { openSettings } from '../../io/settings/open.ts';
import { printError } from '../output.ts';
import { readArgs, short } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { env } = process;
  const { values, positionals } = readArgs(args, { network: { type: 'string' } });
  const [wanted, settings] = [values.network, openSettings({ env })];
  const network = wanted ?? settings.of([]).sandbox?.network ?? 'ask';
  const { hosts = [] } = settings.of([]).sandbox ?? {};
  settings.close();
  if (network !== 'off' && network !== 'ask' && network !== 'on')
    return complain(`--network is off, ask or on, not ${network}.`);
  if (positionals.length === 0) return complain('Missing command. Usage: parley sandbox -- npm test');
  return ownSandbox(env, async (sandbox) => {
    const status = await sandbox.status();
    if (!status.available) return complain(`${status.why} ${status.cure}`, 1);
    const cwd = process.cwd();
    const terminal = process.stdin.isTTY || process.stdout.isTTY;
    const refused = new Set<string>();
    const reach = refuseNames((name) => void (refused.size < mostNames && refused.add(name)));
    const confined = { write: [cwd], network, hosts, reach, scratch: 'command' } as const;
    const wish = { cwd, confined, terminal, env: childEnvironment(env) };
    const code = await begun(() => confineIf(positionals, wish, sandbox));
    if (code !== 0 && refused.size > 0) complain(refusedText([...refused]));
    return code;
  });
}

/** Nobody can be asked here, so only names of the settings are reached. */
function refuseNames(tell: (name: string) => void): ReachNetwork {
  return ({ name, port }) => {
    tell(port === 443 || port === 80 ? name : `${name}:${port}`);
    return Promise.resolve({
      allowed: false,
      reason: 'parley sandbox reaches no names without --network on',
    });
  };
}

/** More are not named. */
const mostNames = 20;

function refusedText(names: readonly string[]): string {
  return (
    `the command failed, and the sandbox had refused it connections to ${names.map((name) => short(name, 100)).join(', ')}. ` +
    'Run it with --network on, or add these names to sandbox.hosts of your settings.'
  );
}

async function begun(begin: () => ConfinedStart | NotPossible, attempts = mostAttempts): Promise<number> {
  const inside = begin();
  if ('refused' in inside) return complain(inside.refused, 1);
  const code = await started(inside).finally(() => inside.release());
  // Somebody may have ended it while its sandbox was made.
  return attempts > 1 && code < 128 && hasNotBegun(inside) ? begun(begin, attempts - 1) : code;
}

/** A signal to us is meant for the command; a terminal sends it to both. */
function started({ words: [program = '', ...words], env }: ConfinedStart): Promise<number> {
  const child = spawn(program, words, { env, stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, pass);
  return new Promise<number>((resolve) => {
    child.once('error', (error) => resolve(complain(error.message, 1)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  }).finally(() => {
    for (const signal of signals) process.off(signal, pass);
  });
}

function complain(text: string, code = 2): number {
  printError(`parley: ${text}\n`);
  return code;
}
