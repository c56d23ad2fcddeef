// Opens pseudo-terminals through a native package that is loaded on first use; where it is missing, everything else still works.
import { errorText } from '../../base/errorText.ts';
import { stat } from 'node:fs/promises';
import type { Pty, PtyProblem, PtyWish, Terminals } from '../../host/terminals/pty.ts';
import { childEnvironment } from '../processes/environment.ts';
import { loadNodePty } from './nodePty.ts';
import type { LoadNodePty, NodePty } from './nodePty.ts';
import { openLinuxPty } from './ptyLinux.ts';
import { openPortablePty } from './ptyPortable.ts';
import { launchOf } from './shellSetup.ts';

export interface TerminalsOptions {
  /** Our own environment, of which programs get what the allow list names. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** How long the programs of a terminal may take to clean up before they are killed, in milliseconds. */
  readonly grace?: number;
  readonly load?: LoadNodePty;
  readonly platform?: 'linux' | 'other';
}

export function terminals({
  env = process.env,
  grace = 1_000,
  load,
  platform = process.platform === 'linux' ? 'linux' : 'other',
}: TerminalsOptions = {}): Terminals {
  let loading: Promise<NodePty | PtyProblem> | undefined;
  return {
    async open(wish) {
      loading ??= loadNodePty(load);
      const node = await loading;
      if ('problem' in node) return node;
      const refused = await checkWish(wish);
      if (refused) return refused;
      return start(node, wish, { env, grace, platform });
    },
  };
}

async function start(
  node: NodePty,
  wish: PtyWish,
  { env, grace, platform }: Required<Omit<TerminalsOptions, 'load'>>,
): Promise<Pty | PtyProblem> {
  const launch = launchOf(wish.program, { ...env, ...wish.env });
  try {
    const environment = childEnvironment(env, {
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      ...wish.env,
      ...launch.env,
    });
    const options = { wish, launch, grace, env: environment };
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

async function checkWish({ cwd, cols, rows }: PtyWish): Promise<PtyProblem | undefined> {
  const found = await stat(cwd).catch(() => undefined);
  if (!found?.isDirectory())
    return { problem: 'failed', message: `The terminal could not be started: ${cwd} is not a directory.` };
  const fits = [cols, rows].every((size) => Number.isInteger(size) && size > 0 && size <= largest);
  return fits
    ? undefined
    : { problem: 'failed', message: `A terminal of ${cols} by ${rows} characters cannot be opened.` };
}

/** The kernel keeps the size in sixteen bits. */
const largest = 65_535;
