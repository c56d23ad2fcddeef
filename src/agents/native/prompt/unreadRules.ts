// Refuses calls on files whose rules the model has not read yet, if the rules require reading.
import type { TurnContext } from '../../../host/agent.ts';
import type { ProjectRule } from '../../../host/settings/projectKnowledge.ts';
import { fitsGlob } from '../../../base/paths.ts';
import type { Json, ToolKind } from '../../../model/event.ts';
import { fetchRuleName } from '../tools/conversation/knowledge.ts';
import type { ToolContext } from '../tools/tool.ts';

export interface FileAccessIntent {
  readonly toolKind: ToolKind;
  readonly paths: readonly string[];
}

/** The rules that a model must read before it works on certain files. */
export interface EnforcedRules {
  readonly rules: readonly ProjectRule[];
  /** Real paths, with links resolved. */
  readonly roots: readonly string[];
}

/** The refusal for the model; undefined if the call may run. */
export function unreadRules(
  { rules, roots, requestName }: EnforcedRules & Pick<ToolContext, 'requestName'>,
  { toolKind, paths }: FileAccessIntent,
  turn: Pick<TurnContext, 'session' | 'state'>,
): string | undefined {
  const access = accesses[toolKind];
  if (access === undefined) return undefined;
  const concerned = rules.filter(
    ({ enforce, globs }) =>
      enforce.includes(access) && paths.some((path) => globs.some((glob) => fitsGlob(glob, path, roots))),
  );
  if (concerned.length === 0) return undefined;
  const read = readRules(turn);
  const missing = concerned.filter(({ id, name }) => !read.has(id) && !read.has(name));
  if (missing.length === 0) return undefined;
  return (
    `First read the rules for this file with ${requestName(fetchRuleName)}, then call this again: ` +
    `${missing.map(({ id, name }) => `${id} (${name})`).join(', ')}.`
  );
}

const accesses: { readonly [K in ToolKind]?: 'read' | 'modify' } = {
  read: 'read',
  edit: 'modify',
  delete: 'modify',
  move: 'modify',
};

/** The rules that the model read according to the log; after a summary it must read them again. */
function readRules({ session, state }: Pick<TurnContext, 'session' | 'state'>): ReadonlySet<string> {
  const chat = state().chats[session.chat];
  const covered = chat?.compaction
    ? chat.turns.findIndex((turn) => turn.id === chat.compaction?.after) + 1
    : 0;
  const turns = [...(chat?.turns.slice(covered) ?? []), ...(chat?.active ? [chat.active] : [])];
  return new Set(
    turns.flatMap(({ items }) =>
      items.flatMap((item) =>
        item.type === 'tool' && item.name === fetchRuleName && item.result?.status === 'done'
          ? [idIn(item.input)]
          : [],
      ),
    ),
  );
}

function idIn(input: Json | undefined): string {
  const id = typeof input === 'object' && input !== null && 'id' in input ? input['id'] : undefined;
  return typeof id === 'string' ? id : '';
}
