// Translates the file changes of turns to AHP: where both texts can be read, and how many lines differ.
import type { TextLocation } from '../../../host/session/chatEdits.ts';
import type { ChatSummary } from '../../../host/session/summary.ts';
import { editedFiles } from '../../../model/edits.ts';
import type { EditSpan, EditRecord } from '../../../model/edits.ts';
import type { SessionId } from '../../../model/event.ts';
import { lineCounts } from '../../../base/textDiff.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { FileEdit, FileEditSide } from '../../../protocols/ahp/v1_0/content.ts';
import { present } from '../../../base/present.ts';
import { fileUri } from '../../../base/fileUri.ts';
import { contentUri } from './content.ts';

export function recordedEdits(state: State, chat: Chat): readonly FileEdit[] {
  return editedFiles(state, chat, chat.turns).map(toFileEdit);
}

/** The same as a row of the catalogue has it. */
export function listedEdits(
  session: SessionId,
  { id: chat, edits }: Pick<ChatSummary, 'id' | 'edits'>,
): readonly FileEdit[] {
  return edits.map(({ path, before, after, added, removed }) => {
    const side = (name: 'before' | 'after', place: TextLocation) =>
      sideOf(path, { ...place, session, chat }, name);
    return present({
      before: before && side('before', before),
      after: after && side('after', after),
      diff: { added, removed },
    });
  });
}

export function toFileEdit({ first, last }: Pick<EditSpan, 'first' | 'last'>): FileEdit {
  return present({
    before: first.before === null ? undefined : sideOf(first.path, first.place, 'before'),
    after: last.after === null ? undefined : sideOf(first.path, last.place, 'after'),
    diff: lineCounts(first.before, last.after),
  });
}

function sideOf(path: string, place: EditRecord, side: 'before' | 'after'): FileEditSide {
  return {
    uri: fileUri(path),
    content: { uri: contentUri({ ...place, from: 'result', side }, path), contentType: 'text/plain' },
  };
}
