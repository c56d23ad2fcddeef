// Collects the files that the tool calls of a chat changed, each from its first to its last content. Pure.
import { present } from '../../../src/base/present.ts';
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
      if (uri !== undefined) files.set(uri, joinEdits(files.get(edit.before?.uri ?? uri), edit));
    }
  }
  return [...files].map(([uri, edit]) => ({ uri, edit }));
}

function editsOf(part: ResponsePart): readonly FileEdit[] {
  if (part.kind !== 'toolCall' || part.toolCall.status !== 'completed' || !part.toolCall.success) return [];
  return part.toolCall.content?.flatMap((content) => (content.type === 'fileEdit' ? [content] : [])) ?? [];
}

/** Drops the line counts: those of single edits do not add up. */
function joinEdits(first: FileEdit | undefined, last: FileEdit): FileEdit {
  if (!first) return last;
  return present({ before: first.before, after: last.after });
}
