// The tool that replaces a piece of a file.
import { defineTool } from '../define.ts';
import { readLimit } from './readFile.ts';
import { replaceText } from './replacement.ts';
import { fileName, realPath, shownPath } from '../tool.ts';
import { change } from './writeFile.ts';

export const editParameters = {
  path: {
    type: 'string',
    description: 'The file to change, absolute or relative to the first workspace folder.',
  },
  original_content: { type: 'string', description: 'The exact text to find, blanks and line ends included.' },
  new_content: { type: 'string', description: 'The text to put in its place.' },
  all_occurrences: {
    type: 'boolean',
    description: 'Whether to replace every occurrence. Default: false.',
    optional: true,
  },
} as const;

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces an exact piece of a text file. The piece must occur once, unless all_occurrences is true.',
  kind: 'edit',
  preparing: 'Editing file',
  parameters: editParameters,
  async prepare(input, context) {
    const path = await realPath(input.path, context);
    const found = await context.files.readText(path, readLimit);
    if ('problem' in found)
      return {
        refused:
          found.problem === 'not-found' ? `${found.message} write_file makes new files.` : found.message,
      };
    const result = replaceText(
      found.text,
      {
        original: input.original_content,
        replacement: input.new_content,
        everywhere: input.all_occurrences ?? false,
      },
      path,
    );
    if ('refused' in result) return { ...result, reveals: path };
    const said =
      `Successfully replaced content in ${path}.` +
      (result.loosely ? ' The text differed in blanks from original_content; look at the result.' : '');
    return change(
      {
        path,
        before: found.text,
        after: result.text,
        line: result.line,
        title: `Editing ${fileName(path)}`,
        question: `Editing ${await shownPath(path, context)}`,
        said,
      },
      context,
    );
  },
});
