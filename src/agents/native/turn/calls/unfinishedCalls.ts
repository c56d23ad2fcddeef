// The calls of a turn that an earlier host began: those that wait for an answer, or behind such a call, are
// made again, and those that ran with that host have failed.
import type { TurnContext } from '../../../../host/agent.ts';
import type { ToolId } from '../../../../model/event.ts';
import type { ToolItem } from '../../../../model/state.ts';
import { failed } from '../../tools/tool.ts';
import type { Call } from '../answerRecorder.ts';

/** Returns the calls that are to be made again, in their order. */
export function takeUnfinishedCalls(turn: TurnContext): readonly Call[] {
  const items = turn.state().chats[turn.session.chat]?.active?.items ?? [];
  const unfinished = items.flatMap((item) => (item.type === 'tool' && item.status !== 'ended' ? [item] : []));
  return unfinished.flatMap((item) => {
    const problem = problemOf(item, turn.log.recovered);
    if (problem === undefined) return [callOf(item)];
    turn.report({ kind: 'tool.ended', tool: item.id, result: failed(problem) });
    return [];
  });
}

/** Why a call cannot be made again; undefined if it can. */
function problemOf(
  { id, status, input, inputText }: ToolItem,
  recovered: readonly ToolId[],
): string | undefined {
  if (recovered.includes(id)) return undefined;
  if (status === 'running')
    return 'Interrupted: Parley was restarted while this ran. Look first at what was left half done.';
  // Not every provider streams the arguments, and they are stored when the call is prepared.
  return input === undefined && inputText === ''
    ? 'Not run, because Parley was restarted. Call it again if it is still needed.'
    : undefined;
}

function callOf({ id, name, input, inputText, meta }: ToolItem): Call {
  return {
    id,
    name,
    input: input === undefined ? inputText : JSON.stringify(input),
    ...(meta === undefined ? {} : { meta }),
  };
}
