// The tool that searches the text of files for a regular expression.
import { clipped } from '../clip.ts';
import { defineTool } from '../define.ts';
import { doneResult, failed, realPath, shownPath } from '../tool.ts';

const usualResults = 1_000;

/** Longer lines are minified code or data, and are cut. */
const lineLimit = 500;

export const grep = defineTool({
  name: 'grep',
  description:
    'Searches text files for a regular expression and gives the files, the matching lines or the counts.',
  kind: 'search',
  preparing: 'Searching',
  parameters: {
    path: {
      type: 'string',
      description: 'The directory or file to search, absolute or relative to the first workspace folder.',
    },
    pattern: { type: 'string', description: 'The regular expression to find in each line.' },
    include: {
      type: 'string',
      description: 'Which file names to search, as in "*.ts" or "*.{js,jsx}".',
      optional: true,
    },
    max_results: {
      type: 'integer',
      description: `The most results to give. Default: ${usualResults}.`,
      optional: true,
    },
    output_mode: {
      type: 'string',
      options: ['files_with_matches', 'content', 'count'],
      optional: true,
      description:
        'files_with_matches gives paths (the default), content gives path:line:text, count gives path:count.',
    },
  },
  async prepare(input, context) {
    const path = await realPath(input.path, context);
    const limit = input.max_results && input.max_results > 0 ? input.max_results : usualResults;
    const mode = input.output_mode ?? 'files_with_matches';
    return {
      title: `Searching for ${input.pattern}`,
      question: `Searching for ${input.pattern} in ${await shownPath(path, context)}`,
      paths: [path],
      locations: [{ path }],
      async run(_output, { hides = () => undefined } = {}) {
        const left = leftOut(path, hides);
        const lines: string[] = [];
        const counts = new Map<string, number>();
        for await (const match of context.files.search(path, {
          pattern: input.pattern,
          include: input.include,
          signal: context.signal,
        })) {
          if ('problem' in match) return failed(match.message);
          if (left.includes(match.path)) continue;
          counts.set(match.path, (counts.get(match.path) ?? 0) + 1);
          if (mode === 'content') lines.push(`${match.path}:${match.line}:${shortened(match.text)}`);
          if ((mode === 'content' ? lines.length : counts.size) > limit) break;
        }
        if (mode === 'count') lines.push(...[...counts].map(([file, count]) => `${file}:${count}`));
        if (mode === 'files_with_matches') lines.push(...counts.keys());
        const more =
          lines.length > limit ? `\n\n[OUTPUT TRUNCATED] There are more than ${limit} results.` : '';
        const found = lines.length === 0 ? 'No matches found.' : clipped(lines.slice(0, limit).join('\n'));
        return doneResult(found + more + left.note());
      },
    };
  },
});

/** The files whose matches are not shown. The searched path itself was approved by name. */
function leftOut(searched: string, hides: (path: string) => unknown) {
  const known = new Map<string, boolean>();
  return {
    includes(path: string): boolean {
      const isLeft = known.get(path) ?? (path !== searched && hides(path) !== undefined);
      known.set(path, isLeft);
      return isLeft;
    },
    /** The model can ask for such a file by its name; then the user decides. */
    note(): string {
      const count = [...known.values()].filter(Boolean).length;
      const text = `Matches in protected files: ${count} (denied by a rule, or files that hold secrets).`;
      return count === 0 ? '' : `\n\n[LEFT OUT] ${text}`;
    },
  };
}

function shortened(line: string): string {
  return line.length > lineLimit
    ? `${line.slice(0, lineLimit)} [${line.length - lineLimit} more characters]`
    : line;
}
