// `parley sandbox`: runs one command as the commands of agents run. Its exit code is ours.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ownSandbox } from '../../app/ownSandbox.ts';
import { childEnvironment } from '../../io/processes/environment.ts';
import { hasNotBegun, mostAttempts } from '../../rpc/processes/beginning.ts';
import { confineIf } from '../../io/sandbox/confineIf.ts';
import type { ConfinedStart } from '../../io/sandbox/confineIf.ts';
import type { NotPossible } from '../../host/ports.ts';
import { openSettings } from '../../io/settings/open.ts';
import { printError } from '../output.ts';
import { readArgs } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { env } = process;
  const { values, positionals } = readArgs(args, { network: { type: 'string' } });
  const [wanted, settings] = [values.network, openSettings({ env })];
  const usual = settings.of([]).sandbox?.network === 'on' ? 'on' : 'off';
  const network = wanted ?? usual;
  settings.close();
  if (network !== 'off' && network !== 'on') return complain(`--network is off or on, not ${network}.`);
  if (positionals.length === 0) return complain('Missing command. Usage: parley sandbox -- npm test');
  return ownSandbox(env, async (sandbox) => {
    const status = await sandbox.status();
    if (!status.available) return complain(`${status.why} ${status.cure}`, 1);
    const cwd = process.cwd();
    const terminal = process.stdin.isTTY || process.stdout.isTTY;
    const confined = { write: [cwd], network, scratch: 'command' } as const;
    const wish = { cwd, confined, terminal, env: childEnvironment(env) };
    return begun(() => confineIf(positionals, wish, sandbox));
  });
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
