// How a call or a program of a turn is confined: where it may write, and which network it reaches.
import { present } from '../../../base/present.ts';
import type { SandboxNetwork, SandboxUse } from '../../../model/event.ts';
import type { Ruling } from '../../policy/policy.ts';
import type { ToolIntent, ToolRequest } from '../../policy/toolRequest.ts';
import type { Confinement, NotPossible, SandboxStatus } from '../../ports.ts';
import { autonomyOf, permittedAutonomy, rootsOf } from '../judgeIntent.ts';
import { askForNetwork, askToLeave } from '../networkQuestions.ts';
import type { NetworkQuestionOptions } from '../networkQuestions.ts';
import type { TurnContextOptions } from '../turnContext.ts';
import { openAsk } from './openAsk.ts';

export function confinedBy(
  options: TurnContextOptions,
  sandbox: SandboxUse | undefined,
  { title, tool }: Pick<ToolRequest, 'title' | 'tool'>,
): { readonly confined?: Confinement } {
  if (!sandbox?.confined) return {};
  const leave = askToLeave(
    { newId: () => options.world.ids.next(), open: openedIn(options) },
    { title, tool },
  );
  return { confined: { ...confinementOf(options, sandbox.network, title), leave } };
}

/** How the call runs; undefined if no program runs for it. */
export function sandboxUse(
  options: TurnContextOptions,
  { confined }: Ruling,
  { sandbox: asked }: ToolIntent,
): SandboxUse | undefined {
  if (!asked || asked.runs) return asked?.runs;
  if (!confined) return confined === undefined ? outsideUse(options) : { confined };
  const { session, world } = options;
  const { network = 'ask' } = world.settings?.of(session.head.roots).sandbox ?? {};
  return { confined, network };
}

/** How a program runs that is not confined now; `off` is why in auto, where others are. */
export function outsideUse(options: TurnContextOptions, off?: 'off'): SandboxUse {
  const level = permittedAutonomy(options);
  const { available = false } = options.world.programs?.sandbox?.known() ?? {};
  if (level !== 'auto') return { confined: false, because: level };
  return { confined: false, ...present({ because: available ? off : ('unavailable' as const) }) };
}

export async function limitsOf(
  options: TurnContextOptions,
  when: 'auto' | 'always',
  who?: string,
): Promise<Confinement | NotPossible | undefined> {
  const { session, world } = options;
  if (when === 'auto' && (await autonomyOf(options)) !== 'auto') return undefined;
  const status = await world.programs?.sandbox?.status();
  if (when === 'always' && !status?.available)
    return { refused: status ? `${status.why} ${status.cure}` : 'There is no sandbox here.' };
  const { network = 'ask' } = world.settings?.of(session.head.roots).sandbox ?? {};
  return confinementOf(options, who === undefined || knowsNames(status) ? network : 'on', who);
}

/** Without the network by name an agent, which needs its model, has the whole network. */
function knowsNames(status: SandboxStatus | undefined): boolean {
  return !(status?.available && status.how === 'sandbox-exec');
}

/** The commands of a session share their temporary folder. */
function confinementOf(
  options: TurnContextOptions,
  network: SandboxNetwork,
  who = 'A program of this session',
): Confinement {
  const { session, world, rules } = options;
  const write = rootsOf(options).filter((root) => world.paths.canonical(root) === root);
  const common = { write, network, scratch: session.id };
  if (network !== 'ask') return common;
  return { ...common, reach: askForNetwork({ session, world, rules, open: openedIn(options) }, who) };
}

function openedIn(options: TurnContextOptions): NetworkQuestionOptions['open'] {
  return (question, withdrawal) => openAsk(options, question, withdrawal);
}
