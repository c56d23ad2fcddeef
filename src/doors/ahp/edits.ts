// What turns have done to files, in the words of AHP: where both texts can be read, and how many lines differ.
import { editedFiles } from '../../model/edits.ts';
import type { Edited, EditPlace } from '../../model/edits.ts';
import { lineCounts } from '../../model/lineCounts.ts';
import type { Chat, State } from '../../model/state.ts';
import type { FileEdit, FileEditSide } from '../../protocols/ahp/newest/content.ts';
import { present } from '../../protocols/ahp/immutable.ts';
import { fileUri } from './fileUri.ts';
import { contentUri } from './content.ts';

export function recordedEdits(state: State, chat: Chat): readonly FileEdit[] {
  return editedFiles(state, chat, chat.turns).map(fileEdit);
}

export function fileEdit({ first, last }: Pick<Edited, 'first' | 'last'>): FileEdit {
  const uri = fileUri(first.path);
  const side = (name: 'before' | 'after', place: EditPlace): FileEditSide => ({ uri, content: { uri: contentUri({ ...place, from: 'result', side: name }), contentType: 'text/plain' } });
  return present({
    before: first.before === null ? undefined : side('before', first.place), after: last.after === null ? undefined : side('after', last.place),
    diff: lineCounts(first.before ?? '', last.after ?? ''),
  });
}
