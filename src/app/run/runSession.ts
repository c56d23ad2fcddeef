// The session of `parley run`: a new one, or an earlier one with the wishes of this run.
import { didYouMean } from '../../base/nearest.ts';
import type { AgentInfo } from '../../host/agent.ts';
import type { Host } from '../../host/host.ts';
import type { Session } from '../../host/session/session.ts';
import type { Summary } from '../../host/session/summary.ts';
import { isRejection } from '../../model/command.ts';
import { autonomyLevels } from '../../model/event.ts';
import type { Origin, Rule, SessionChanges } from '../../model/event.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { CheckedWishes } from './runDoor.ts';

export interface RunSession {
  readonly session: Session;
  /** Takes the rules of this run back from an earlier session. */
  readonly restore: () => void;
}

interface Additions {
  readonly by: Origin;
  readonly rules: readonly Rule[];
}

export async function runSession(
  host: Host,
  wished: CheckedWishes,
  additions: Additions,
): Promise<RunSession> {
  await checkSandbox(host, wished);
  const isNew = wished.session === undefined && !wished.newest;
  return isNew ? newSession(host, wished, additions) : earlierSession(host, wished, additions);
}

/** A run that is to go on by itself never goes on without the sandbox. */
async function checkSandbox(host: Host, { autonomy }: CheckedWishes): Promise<void> {
  const status = autonomy === 'auto' ? await host.sandbox?.status() : undefined;
  if (autonomy !== 'auto' || status?.available) return;
  const { why, cure } = status ?? { why: 'This host has no sandbox.', cure: '' };
  throw refusal(
    `--auto needs a sandbox. ${why} ${cure} Or use --full, which runs everything with your rights.`,
  );
}

async function newSession(host: Host, wished: CheckedWishes, { by, rules }: Additions): Promise<RunSession> {
  const { roots, agent = host.usualAgent(roots), model } = wished;
  await host.knowledge.of(roots);
  const info = host.agents(roots).find(({ id }) => id === agent);
  if (info) checkModel(host, info, model);
  const { mode, options } = info ? chosen(info, wished, {}) : {};
  const session = host.create(
    {
      roots,
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { mode }),
      ...(options === undefined ? {} : { options }),
      ...(wished.autonomy === undefined ? {} : { autonomy: wished.autonomy }),
    },
    by,
  );
  if (isRejection(session))
    throw session.rejected === 'unknown-agent' ? wrongName(session.message) : refusal(session.message);
  if (rules.length > 0) session.dispatch({ kind: 'changeSession', changes: { rules } }, by);
  return { session, restore: () => {} };
}

async function earlierSession(
  host: Host,
  wished: CheckedWishes,
  { by, rules }: Additions,
): Promise<RunSession> {
  const { id } = wished.session === undefined ? newestIn(host, wished.roots) : named(host, wished.session);
  const session = await host.open(id);
  if (isRejection(session)) throw refusal(session.message);
  const { agent, roots, rules: before, chats } = session.head;
  if (wished.agent !== undefined && wished.agent !== agent)
    throw wrongName(`The agent of session ${id} is ${agent}, not ${wished.agent}.`);
  if (chats[id]?.active) throw refusal(`Session ${id} is working. Try again when its turn has ended.`);
  await host.knowledge.of(roots);
  const info = host.agents(roots).find((each) => each.id === agent);
  if (info) checkModel(host, info, wished.model);
  const changes: SessionChanges = {
    ...(wished.model === undefined ? {} : { model: wished.model }),
    ...(wished.autonomy === undefined ? {} : { autonomy: wished.autonomy }),
    ...(info ? chosen(info, wished, session.head) : {}),
    ...(rules.length === 0 ? {} : { rules: [...before, ...rules] }),
  };
  const refused =
    Object.keys(changes).length > 0 ? session.dispatch({ kind: 'changeSession', changes }, by) : undefined;
  if (refused) throw refusal(refused.message);
  const restore = () => {
    const kept = session.head.rules.filter((rule) => !rules.includes(rule));
    if (rules.length > 0) session.dispatch({ kind: 'changeSession', changes: { rules: kept } }, by);
  };
  return { session, restore };
}

function checkModel(host: Host, agent: AgentInfo, model: string | undefined): void {
  if (model === undefined || host.takesModel(agent, model)) return;
  const similar = didYouMean(
    model,
    agent.models.map(({ id }) => id),
  );
  throw wrongName(`There is no model named ${model}.${similar} List them with: parley models`);
}

/** The mode and the effort, if the agent and its model offer them. */
function chosen(
  agent: AgentInfo,
  { mode, effort, model }: CheckedWishes,
  old: { readonly model?: string | undefined; readonly options?: SessionChanges['options'] | undefined },
): Pick<SessionChanges, 'mode' | 'options'> {
  const modes = (agent.modes ?? []).map(({ id }) => id);
  if (mode !== undefined && !modes.includes(mode))
    throw wrongName(unknown('mode', mode, [...new Set([...autonomyLevels, ...modes])]));
  const used = agent.models.find(({ id }) => id === (model ?? old.model));
  const efforts = [...new Set(used ? used.variants : agent.models.flatMap(({ variants = [] }) => variants))];
  if (effort !== undefined && !efforts.includes(effort)) throw wrongName(unknown('effort', effort, efforts));
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(effort === undefined ? {} : { options: { ...old.options, variant: effort } }),
  };
}

function unknown(what: string, word: string, known: readonly string[]): string {
  const choice = known.length === 0 ? 'There is nothing to choose.' : `Use one of: ${known.join(', ')}.`;
  return `Unknown ${what} "${word}".${didYouMean(word, known)} ${choice}`;
}

function newestIn(host: Host, roots: readonly string[]): Summary {
  const found = host
    .summaries()
    .filter((summary) => summary.started && !summary.archived && summary.roots[0] === roots[0])
    .toSorted((a, b) => b.modifiedAt - a.modifiedAt)[0];
  if (!found)
    throw refusal(`There is no session in ${roots[0] ?? 'this folder'}. Leave out --continue to start one.`);
  return found;
}

function named(host: Host, wanted: string): Summary {
  const all = host.summaries();
  const exact = all.find(({ id }) => id === wanted);
  if (exact) return exact;
  const [match, ...more] = wanted === '' ? [] : all.filter(({ id }) => id.startsWith(wanted));
  if (!match) throw wrongName(`Session "${wanted}" not found. Try: parley sessions list --all`);
  if (more.length > 0)
    throw wrongName(`${more.length + 1} sessions start with "${wanted}". Use more characters of the ID.`);
  return match;
}

/** The command line names something that does not exist: wrong usage, and nothing was started. */
function wrongName(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message);
}

function refusal(message: string): RpcError {
  return new RpcError(rpcCodes.invalidRequest, message);
}
