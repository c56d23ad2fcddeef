// The tool that shows what an edit would change, without changing anything.
import { defineTool } from '../define.ts';
import { editParameters } from './editFile.ts';
import { readLimit } from './readFile.ts';
import { replaceText } from './replacement.ts';
import { doneResult, fileName, realPath } from '../tool.ts';

export const previewFileChange = defineTool({
  name: 'preview_file_change',
  description:
    'Shows the user what an edit or a new file would look like and changes nothing. For a new file ' +
    'leave original_content empty.',
  kind: 'read',
  preparing: 'Previewing change',
  parameters: editParameters,
  async prepare(input, context) {
    const path = await realPath(input.path, context);
    const found = await context.files.readText(path, readLimit);
    const isNew = 'problem' in found && found.problem === 'not-found' && input.original_content === '';
    if ('problem' in found && !isNew) return { refused: found.message };
    const before = 'problem' in found ? null : found.text;
    const wish = {
      original: input.original_content,
      replacement: input.new_content,
      everywhere: input.all_occurrences ?? false,
    };
    const result = before === null ? { text: input.new_content, line: 1 } : replaceText(before, wish, path);
    if ('refused' in result) return { ...result, reveals: path };
    return {
      title: `Previewing change of ${fileName(path)}`,
      paths: [path],
      locations: [{ path, line: result.line }],
      preview: [{ type: 'edit', path, before, after: result.text }],
      run: () =>
        Promise.resolve(doneResult(`The user sees the proposed change of ${path}. Nothing was changed.`)),
    };
  },
});
