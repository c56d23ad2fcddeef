// The tool that reads a text file, or some lines of it.
import { clipped } from './clip.ts';
import { defineTool } from './define.ts';
import { done, failed, nameOf, realPath } from './tool.ts';

/** Larger files are read piece by piece with other means. */
export const readLimit = 10_000_000;

const usualLines = 2_000;

export const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a text file of the workspace. Use line_offset and limit for a part of a long file.',
  kind: 'read',
  preparing: 'Reading file',
  parameters: {
    path: { type: 'string', description: 'The file to read, absolute or relative to the first workspace folder.' },
    line_offset: { type: 'integer', description: 'How many lines to skip. Default: 0.', optional: true },
    limit: { type: 'integer', description: `The most lines to read. Default: ${usualLines}.`, optional: true },
  },
  async prepare(input, context) {
    const path = await realPath(input.path, context);
    const first = Math.max(0, input.line_offset ?? 0);
    const last = first + (input.limit && input.limit > 0 ? input.limit : usualLines);
    return {
      title: `Reading ${nameOf(path)} (${first}-${last})`,
      paths: [path],
      locations: [{ path, ...(first > 0 ? { line: first + 1 } : {}) }],
      async run() {
        const found = await context.files.readText(path, readLimit);
        return 'problem' in found ? failed(found.message) : done(clipped(linesOf(found.text, first, last)));
      },
    };
  },
});

function linesOf(text: string, first: number, last: number): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const part = lines.slice(first, last).join('\n');
  return lines.length <= last ? part : `${part}\n\n[CONTENT TRUNCATED] Lines ${first} to ${last} of ${lines.length}. Read on with line_offset ${last}.`;
}
