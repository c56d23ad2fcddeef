// Finds out whether programs can be confined on this machine, by confining one, and says in words what is
// missing.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NotPossible, SandboxStatus } from '../../host/ports.ts';
import { systemFolders } from '../processes/environment.ts';
import { findProgram } from '../processes/findProgram.ts';
import { hasNotBegun, mostAttempts } from '../../rpc/processes/beginning.ts';
import type { Confined, Sandbox } from './sandbox.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface ProbeOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  /** A folder in which the probe may create one of its own. */
  readonly scratch: string;
  /** How long the sandbox may take, in milliseconds. */
  readonly patience?: number;
}

/** Only the system's own: in other folders of the PATH a confined program may have left one. */
export function findBubblewrap(): string | undefined {
  return findProgram('bwrap', { PATH: systemFolders });
}

export async function probeSandbox(
  sandbox: Pick<Sandbox, 'confine'>,
  { platform, env, scratch, patience = usualPatience }: ProbeOptions,
): Promise<SandboxStatus> {
  if (platform === 'win32')
    return { available: false, why: 'Parley has no sandbox on Windows.', cure: 'Use WSL.' };
  if (platform === 'linux' && findBubblewrap() === undefined)
    return { available: false, why: missing(findProgram('bwrap', env)), cure: installCure };
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(scratch, 'probe-'));
  try {
    const policy = { write: [folder], network: 'off', scratch: 'probe' } as const;
    const begin = () => sandbox.confine(['/bin/sh', '-c', `echo ${mark}`], folder, policy);
    return await tryOne(begin, { platform, patience, attempts: mostAttempts });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function missing(other: string | undefined): string {
  return other === undefined
    ? 'The sandbox needs bubblewrap, which is not installed.'
    : `The sandbox needs bubblewrap in a folder of the system (${systemFolders.split(':').join(', ')}). ` +
        `Parley does not run ${other}: a confined program might have written it.`;
}

const installCure =
  'Install it: sudo apt-get install bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap (Fedora), or ' +
  'sudo pacman -S bubblewrap (Arch).';

/** A sandbox that takes longer to start is of no use. */
const usualPatience = 10_000;

/** A program that ends well may have started nothing; this one has to say something. */
const mark = 'confined';

interface TryOptions {
  readonly platform: NodeJS.Platform;
  readonly patience: number;
  readonly attempts: number;
}

async function tryOne(
  begin: () => Confined | NotPossible,
  { platform, patience, attempts }: TryOptions,
): Promise<SandboxStatus> {
  const confined = begin();
  if ('refused' in confined)
    return { available: false, why: confined.refused, cure: 'Use another mode than auto.' };
  const { code, out, err } = await runToEnd(confined.words, patience);
  confined.release();
  if (attempts > 1 && typeof code === 'number' && hasNotBegun(confined))
    return tryOne(begin, { platform, patience, attempts: attempts - 1 });
  if (code === undefined) return refusalOf(`it did not end within ${patience / 1000} seconds`, readKernel());
  if (code !== 0) return refusalOf(err, readKernel());
  if (out.trim() !== mark) return refusalOf('it ended without starting the program', readKernel());
  return { available: true, how: platform === 'darwin' ? 'sandbox-exec' : 'bubblewrap' };
}

interface Ended {
  /** Undefined if it had to be ended; null if a signal ended it. */
  readonly code: number | null | undefined;
  readonly out: string;
  readonly err: string;
}

/** Whatever it has started ends with it, also if this process ends before. */
function runToEnd([program = '', ...words]: readonly string[], patience: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
    const kill = () => void (child.pid !== undefined && killGroup(child.pid));
    const finish = (code: Ended['code']) => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve({ code, ...said });
    };
    const timer = setTimeout(() => {
      kill();
      finish(undefined);
    }, patience);
    // Before others remove its folders.
    process.prependOnceListener('exit', kill);
    child.once('error', ({ message }) => {
      said.err += message;
      finish(null);
    });
    child.once('close', (code) => finish(code));
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** What the kernel says about namespaces of ordinary users; undefined where it has no such switch. */
export interface KernelSwitches {
  readonly appArmorRestricts?: string | undefined;
  readonly usersMayClone?: string | undefined;
  readonly mostNamespaces?: string | undefined;
}

export function refusalOf(
  stderr: string,
  kernel: KernelSwitches,
): Extract<SandboxStatus, { readonly available: false }> {
  const why = (reason: string) => `bubblewrap is installed but cannot start a sandbox: ${reason}`;
  if (kernel.usersMayClone === '0')
    return {
      available: false,
      why: why('the kernel forbids user namespaces.'),
      cure: 'Allow them: sudo sysctl kernel.unprivileged_userns_clone=1',
    };
  if (kernel.mostNamespaces === '0')
    return {
      available: false,
      why: why('the kernel allows no user namespaces.'),
      cure: 'Allow some: sudo sysctl user.max_user_namespaces=10000',
    };
  if (kernel.appArmorRestricts === '1')
    return {
      available: false,
      why: why('AppArmor restricts user namespaces.'),
      cure:
        'Load a profile that allows them for /usr/bin/bwrap (Ubuntu: sudo apt-get install ' +
        'apparmor-profiles, then enable bwrap-userns-restrict), or: ' +
        'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
    };
  if (/Unknown option/.test(stderr))
    return {
      available: false,
      why: why('it is older than version 0.8.'),
      cure: 'Install a newer bubblewrap.',
    };
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return {
    available: false,
    why: why(said === '' ? 'it ended without a word.' : `${said.slice(0, 200).replace(/\.$/, '')}.`),
    cure:
      'In a container, allow user namespaces (docker run --security-opt seccomp=unconfined --security-opt ' +
      'apparmor=unconfined), or rely on the container and use the mode full.',
  };
}

function readKernel(): KernelSwitches {
  const read = (name: string) => {
    try {
      return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
    } catch {
      return undefined;
    }
  };
  return {
    appArmorRestricts: read('kernel/apparmor_restrict_unprivileged_userns'),
    usersMayClone: read('kernel/unprivileged_userns_clone'),
    mostNamespaces: read('user/max_user_namespaces'),
  };
}
