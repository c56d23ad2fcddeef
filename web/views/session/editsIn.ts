// The files that the tool calls of a chat changed, each from its first state to its last. Pure.
import type { FileEdit, URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState, ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';

export interface ChangedFile {
  readonly uri: URI;
  readonly edit: FileEdit;
}

export function editsIn({
  turns,
  activeTurn,
}: Pick<ChatState, 'turns' | 'activeTurn'>): readonly ChangedFile[] {
  const files = new Map<URI, FileEdit>();
  for (const turn of [...turns, ...(activeTurn ? [activeTurn] : [])]) {
    for (const edit of turn.responseParts.flatMap(editsOf)) {
      const uri = edit.after?.uri ?? edit.before?.uri;
      if (uri !== undefined) files.set(uri, joined(files.get(edit.before?.uri ?? uri), edit));
    }
  }
  return [...files].map(([uri, edit]) => ({ uri, edit }));
}

function editsOf(part: ResponsePart): readonly FileEdit[] {
  if (part.kind !== 'toolCall' || part.toolCall.status !== 'completed' || !part.toolCall.success) return [];
  return part.toolCall.content?.flatMap((content) => (content.type === 'fileEdit' ? [content] : [])) ?? [];
}

/** The counts of single steps do not add up to those of the whole, so they are left out. */
function joined(first: FileEdit | undefined, last: FileEdit): FileEdit {
  if (!first) return last;
  return { ...(first.before ? { before: first.before } : {}), ...(last.after ? { after: last.after } : {}) };
}
