// Opens pseudo-terminals with a native package. If the package is missing, only terminals are unavailable.
import { errorText } from '../../base/errorText.ts';
import { stat } from 'node:fs/promises';
import type { NotPossible } from '../../host/ports.ts';
import type { Pty, PtyProblem, PtyWish, Terminals } from '../../host/terminals/pty.ts';
import { childEnvironment } from '../processes/environment.ts';
import { confineIf } from '../sandbox/confineIf.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { loadNodePty } from './nodePty.ts';
import type { LoadNodePty, NodePty } from './nodePty.ts';
import { openLinuxPty } from './ptyLinux.ts';
import { openPortablePty } from './ptyPortable.ts';
import { launchOf } from './shellSetup.ts';
import type { ShellLaunch } from './shellSetup.ts';

export interface TerminalsOptions {
  /** Our own environment; programs get the allowed variables of it. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** How long the programs of a terminal may take to clean up before they are killed, in milliseconds. */
  readonly grace?: number;
  readonly load?: LoadNodePty;
  readonly platform?: 'linux' | 'other';
  /** Confines the programs that ask for it. */
  readonly sandbox?: Pick<Sandbox, 'confine'> | undefined;
}

type Options = Required<Omit<TerminalsOptions, 'load' | 'sandbox'>> & Pick<TerminalsOptions, 'sandbox'>;

export function terminals({
  env = process.env,
  grace = 1_000,
  load,
  platform = process.platform === 'linux' ? 'linux' : 'other',
  sandbox,
}: TerminalsOptions = {}): Terminals {
  let loading: Promise<NodePty | PtyProblem> | undefined;
  return {
    async open(wish) {
      loading ??= loadNodePty(load);
      const node = await loading;
      if ('problem' in node) return node;
      const refused = await checkWish(wish);
      if (refused) return refused;
      return start(node, wish, { env, grace, platform, sandbox });
    },
  };
}

async function start(
  node: NodePty,
  wish: PtyWish,
  { env, grace, platform, sandbox }: Options,
): Promise<Pty | PtyProblem> {
  const plain = launchOf(wish.program, { ...env, ...wish.env });
  const variables = { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...wish.env, ...plain.env };
  const launch = confinedLaunch({ ...plain, env: childEnvironment(env, variables) }, wish, sandbox);
  if ('refused' in launch) return { problem: 'failed', message: launch.refused };
  try {
    const options = { wish, launch, grace, env: launch.env };
    const opened = platform === 'linux' ? await openLinuxPty(node, options) : openPortablePty(node, options);
    if ('problem' in opened) launch.dispose();
    return opened;
  } catch (error) {
    launch.dispose();
    return {
      problem: 'failed',
      message: `The terminal could not be opened: ${errorText(error)}.`,
    };
  }
}

function confinedLaunch(
  launch: ShellLaunch,
  { cwd, confined }: PtyWish,
  sandbox: TerminalsOptions['sandbox'],
): ShellLaunch | NotPossible {
  const wish = { cwd, confined, terminal: true, env: launch.env };
  const inside = confineIf([launch.file, ...launch.args], wish, sandbox);
  if ('refused' in inside) return inside;
  const [file = '', ...args] = inside.words;
  const dispose = () => {
    inside.release();
    launch.dispose();
  };
  return { ...launch, file, args, dispose, env: inside.env };
}

async function checkWish({ cwd, cols, rows }: PtyWish): Promise<PtyProblem | undefined> {
  const found = await stat(cwd).catch(() => undefined);
  if (!found?.isDirectory())
    return { problem: 'failed', message: `The terminal could not be started: ${cwd} is not a directory.` };
  const fits = [cols, rows].every((size) => Number.isInteger(size) && size > 0 && size <= largest);
  return fits
    ? undefined
    : { problem: 'failed', message: `A terminal of ${cols} by ${rows} characters cannot be opened.` };
}

/** The kernel stores the size in 16 bits. */
const largest = 65_535;
