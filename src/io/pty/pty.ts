// Opens pseudo-terminals with a native package. If the package is missing, only terminals are unavailable.
import { errorText } from '../../base/errorText.ts';
import { stat } from 'node:fs/promises';
import { setTimeout as pass } from 'node:timers/promises';
import { hasNotBegun, mostAttempts } from '../../rpc/processes/beginning.ts';
import type { NotPossible } from '../../host/ports.ts';
import type { Pty, PtyEnd, PtyProblem, PtyWish, Terminals } from '../../host/terminals/pty.ts';
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
  /** How long a sandbox may take until its program runs, in milliseconds. */
  readonly patience?: number;
  readonly load?: LoadNodePty;
  readonly platform?: 'linux' | 'other';
  /** Confines the programs that ask for it. */
  readonly sandbox?: Pick<Sandbox, 'confine'> | undefined;
}

interface Options
  extends Required<Omit<TerminalsOptions, 'load' | 'sandbox'>>, Pick<TerminalsOptions, 'sandbox'> {
  /** How often a sandbox may be made. */
  readonly attempts: number;
}

export function terminals({
  env = process.env,
  grace = 1_000,
  patience = usualPatience,
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
      return start(node, wish, { env, grace, patience, platform, sandbox, attempts: mostAttempts });
    },
  };
}

async function start(node: NodePty, wish: PtyWish, options: Options): Promise<Pty | PtyProblem> {
  const { env, sandbox, attempts, patience } = options;
  const plain = launchOf(wish.program, { ...env, ...wish.env });
  const variables = { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...wish.env, ...plain.env };
  const launch = confinedLaunch({ ...plain, env: childEnvironment(env, variables) }, wish, sandbox);
  if ('refused' in launch) return { problem: 'failed', message: launch.refused };
  try {
    const early = new EarlyOutput(wish);
    const own = launch.hasBegun ? { ...wish, ...early.listener } : wish;
    const opened = await openPty(node, own, { ...options, launch });
    if ('problem' in opened) launch.dispose();
    if ('problem' in opened || own === wish) return opened;
    opened.pause();
    const latest = performance.now() + patience;
    while (hasNotBegun(launch) && !early.hasEnded && performance.now() < latest) await pass(step);
    if (hasNotBegun(launch) && !early.hasEnded) {
      opened.kill();
      return { problem: 'failed', message: `The sandbox did not start within ${patience / 1_000} seconds.` };
    }
    if (hasNotBegun(launch) && attempts > 1)
      return await start(node, wish, { ...options, attempts: attempts - 1 });
    early.handOver();
    opened.resume();
    return opened;
  } catch (error) {
    launch.dispose();
    return {
      problem: 'failed',
      message: `The terminal could not be opened: ${errorText(error)}.`,
    };
  }
}

/** Longer than a sandbox takes on a busy machine; one that waits for a lost network drive never starts. */
const usualPatience = 60_000;

/** Between two looks whether a confined program runs, in milliseconds. */
const step = 5;

/** What a terminal says, and how it ends, before somebody has it. */
class EarlyOutput {
  readonly #wish: PtyWish;
  #text = '';
  #end: PtyEnd | undefined;
  #isHandedOver = false;

  constructor(wish: PtyWish) {
    this.#wish = wish;
  }

  readonly listener: Pick<PtyWish, 'data' | 'exited'> = {
    data: (text) => {
      if (this.#isHandedOver) this.#wish.data(text);
      else this.#text += text;
    },
    exited: (end) => {
      if (this.#isHandedOver) this.#wish.exited(end);
      else this.#end = end;
    },
  };

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Passes it on after whoever opens the terminal has got it. */
  handOver(): void {
    setImmediate(() => {
      this.#isHandedOver = true;
      if (this.#text !== '') this.#wish.data(this.#text);
      if (this.#end) this.#wish.exited(this.#end);
    });
  }
}

interface OpenOptions extends Options {
  readonly launch: ShellLaunch;
}

async function openPty(
  node: NodePty,
  wish: PtyWish,
  { launch, grace, platform }: OpenOptions,
): Promise<Pty | PtyProblem> {
  const options = { wish, launch, grace, env: launch.env };
  return platform === 'linux' ? openLinuxPty(node, options) : openPortablePty(node, options);
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
  return { ...launch, file, args, dispose, env: inside.env, hasBegun: inside.hasBegun };
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
