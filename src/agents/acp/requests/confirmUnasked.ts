// Asks once per chat whether an agent may work that never asks for permission itself.
import type { TurnContext } from '../../../host/agent.ts';
import type { Ids } from '../../../host/ports.ts';
import type { Problem } from '../../../model/event.ts';
import type { InitializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { AgentProgram } from '../process/program.ts';
import { agentNamed } from '../startedAgent.ts';

/** Undefined if the agent may work. */
export async function confirmUnasked(
  context: TurnContext,
  { id, name: agent, quirks }: AgentProgram,
  ids: Ids,
): Promise<Problem | undefined> {
  const name = `unasked_${id}`;
  if (quirks?.asks !== 'never' || isConfirmed(context, name)) return undefined;
  const [tool, title] = [ids.next(), `Let ${agent} change files and run commands without asking`];
  const input = { agent: id };
  context.report({ kind: 'tool.started', tool, name, title, toolKind: 'other', source: 'agent' });
  context.report({ kind: 'tool.ready', tool, input, title, toolKind: 'other' });
  const verdict = await context.approve({
    tool,
    title,
    intent: { name, toolKind: 'other', input, paths: [] },
  });
  if (verdict.allowed) context.report({ kind: 'tool.ended', tool, result: { status: 'done', content: [] } });
  return verdict.allowed ? undefined : { code: 'denied', message: refusal(agent, name) };
}

/** The same after the start: a script may hide the program, which then tells its own name. */
export async function confirmSaid(
  context: TurnContext,
  program: AgentProgram,
  { agentInfo, ids }: Pick<InitializeAnswer, 'agentInfo'> & { readonly ids: Ids },
): Promise<Problem | undefined> {
  const asks = agentNamed(agentInfo?.name ?? '')?.quirks?.asks;
  if (!asks || program.quirks?.asks) return undefined;
  return confirmUnasked(context, { ...program, quirks: { ...program.quirks, asks } }, ids);
}

function refusal(agent: string, name: string): string {
  return (
    `${agent} never asks before it changes files or runs commands, so it needs your permission first. ` +
    `To give it for good, add "${name}" to the allowed tools.`
  );
}

function isConfirmed(context: TurnContext, name: string): boolean {
  const { turns = [], active } = context.state().chats[context.session.chat] ?? {};
  return [...turns, ...(active ? [active] : [])].some(({ items }) =>
    items.some((item) => item.type === 'tool' && item.name === name && item.result?.status === 'done'),
  );
}
