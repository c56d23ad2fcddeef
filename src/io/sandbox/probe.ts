// Finds out whether programs can be confined on this machine, by confining one, and says in words what is
// missing.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NotPossible, SandboxStatus } from '../../host/ports.ts';
import { systemFolders } from '../processes/environment.ts';
import { findProgram } from '../processes/findProgram.ts';
import type { Confined, Sandbox } from './sandbox.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface ProbeOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  /** A folder in which the probe may create one of its own. */
  readonly scratch: string;
}

/** Only the system's own: in other folders of the PATH a confined program may have left one. */
export function findBubblewrap(): string | undefined {
  return findProgram('bwrap', { PATH: systemFolders });
}

export async function probeSandbox(
  sandbox: Pick<Sandbox, 'confine'>,
  { platform, env, scratch }: ProbeOptions,
): Promise<SandboxStatus> {
  if (platform === 'win32')
    return { available: false, why: 'Parley has no sandbox on Windows.', cure: 'Use WSL.' };
  if (platform === 'linux' && findBubblewrap() === undefined)
    return { available: false, why: missing(findProgram('bwrap', env)), cure: installCure };
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(scratch, 'probe-'));
  try {
    const policy = { write: [folder], network: 'off', scratch: 'probe' } as const;
    return await tryOne(sandbox.confine(['/bin/sh', '-c', ':'], folder, policy), platform);
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
const patience = 10_000;

function tryOne(confined: Confined | NotPossible, platform: NodeJS.Platform): Promise<SandboxStatus> {
  if ('refused' in confined)
    return Promise.resolve({ available: false, why: confined.refused, cure: 'Use another mode than auto.' });
  const [program = '', ...words] = confined.words;
  return new Promise((resolve) => {
    execFile(program, words, { env: { PATH: '/usr/bin:/bin' }, timeout: patience }, (error, _, stderr) => {
      confined.release();
      const how = platform === 'darwin' ? 'sandbox-exec' : 'bubblewrap';
      resolve(error ? refusalOf(stderr, readKernel()) : { available: true, how });
    });
  });
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
    why: why(said === '' ? 'it ended without a word.' : `${said.slice(0, 200)}.`),
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
