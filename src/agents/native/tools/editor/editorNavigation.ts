// The tools that ask the user's editor where something is defined and where it is used.
import type { CodeLocation, EditorAnswer } from '../../../../host/workspace/attachedEditors.ts';
import { contains } from '../../../../base/paths.ts';
import { askEditor, defaultEditorTimeout } from './askEditor.ts';
import { visiblePlaces } from './visiblePlaces.ts';
import { defineTool } from '../define.ts';
import type { Arguments } from '../define.ts';
import { readLimit } from '../files/readFile.ts';
import { doneResult, failed, realPath } from '../tool.ts';
import type { PreparedCall, ToolRefusal, ToolContext } from '../tool.ts';

const parameters = {
  path: {
    type: 'string',
    description: 'The file in which the symbol occurs, absolute or relative to the first workspace folder.',
  },
  line: { type: 'integer', description: 'The line in which it occurs, counted from one.' },
  symbol: { type: 'string', description: 'The symbol as it is written there.' },
  character: {
    type: 'integer',
    description:
      'The column in which it begins, counted from one; needed only where it occurs more than ' +
      'once in the line.',
    optional: true,
  },
} as const;

export const editorDefinition = defineTool({
  name: 'editor_definition',
  description: "Asks the language server of the user's editor where the symbol at a place is defined.",
  kind: 'read',
  needs: 'definition',
  preparing: 'LSP definition',
  parameters,
  prepare: (input, context) =>
    navigate(input, context, {
      title: `LSP definition: ${input.symbol}`,
      wanted: 'definition',
      ask: (place) =>
        askEditor(context, (editors, signal) =>
          editors.ask('definition', context.roots, (editor) => editor.definition?.(place, signal)),
        ),
    }),
});

export const editorReferences = defineTool({
  name: 'editor_references',
  description: "Asks the language server of the user's editor where the symbol at a place is used.",
  kind: 'read',
  needs: 'references',
  preparing: 'LSP references',
  parameters: {
    ...parameters,
    include_declaration: {
      type: 'boolean',
      description: 'Whether the declaration itself is listed, too. Default: false.',
      optional: true,
    },
  },
  prepare: (input, context) =>
    navigate(input, context, {
      title: `LSP references: ${input.symbol}`,
      wanted: 'references',
      ask: (place) =>
        askEditor(context, (editors, signal) =>
          editors.ask('references', context.roots, (editor) =>
            editor.references?.({ ...place, declaration: input.include_declaration ?? false }, signal),
          ),
        ),
    }),
});

interface Navigation {
  readonly title: string;
  readonly wanted: 'definition' | 'references';
  readonly ask: (place: CodeLocation) => Promise<EditorAnswer<CodeLocation>>;
}

/** The largest number of locations in a result. */
const mostPlaces = 100;

/**
 * A language server that is starting is asked again after this time in milliseconds, until
 * the editor's time limit.
 */
const pause = 2_000;

async function navigate(
  input: Arguments<typeof parameters>,
  context: ToolContext,
  { title, wanted, ask }: Navigation,
): Promise<PreparedCall | ToolRefusal> {
  const path = await realPath(input.path, context);
  return {
    title,
    paths: [path],
    locations: [{ path, line: input.line }],
    async run(_output, { hides = () => undefined } = {}) {
      const found = await context.files.readText(path, readLimit);
      if ('problem' in found) return failed(found.message);
      const character = columnOf(found.text.split('\n')[input.line - 1], input);
      if (typeof character !== 'number') return failed(character.refused);
      const places = await patiently(() => ask({ path, line: input.line, character }), context);
      if ('problem' in places)
        return failed(
          `Editor failed to find ${wanted}: ${places.message.replace(/\.$/, '')}. Use ` +
            `${context.requestName('grep')} as fallback.`,
        );
      const shown = await visiblePlaces(places, { context, hides, asked: path });
      const lines = await Promise.all(
        shown.places.slice(0, mostPlaces).map((place) => lineAt(place, context)),
      );
      const more =
        shown.places.length > mostPlaces
          ? `\n\n[OUTPUT TRUNCATED] There are ${shown.places.length - mostPlaces} more.`
          : '';
      return doneResult((lines.length === 0 ? 'Nothing found.' : lines.join('\n') + more) + shown.note);
    },
  };
}

/** The text of the line is shown only if it can be read without approval. */
async function lineAt(
  { path, line, character }: CodeLocation,
  { files, roots }: ToolContext,
): Promise<string> {
  const where = `${path}:${line}:${character}`;
  const real = await files.realPath(path, '/');
  const inside = (await Promise.all(roots.map((root) => files.realPath(root, '/')))).some((root) =>
    contains(root, real),
  );
  const found = inside ? await files.readText(real, readLimit) : undefined;
  const text = found && 'text' in found ? found.text.split('\n')[line - 1]?.trim() : undefined;
  return text === undefined ? where : `${where}: ${text.slice(0, 200)}`;
}

async function patiently(
  ask: () => Promise<EditorAnswer<CodeLocation>>,
  { sleep, signal, settings: { editorTimeout = defaultEditorTimeout } }: ToolContext,
): Promise<EditorAnswer<CodeLocation>> {
  const attempts = Math.max(1, Math.floor(editorTimeout / pause));
  const late = AbortSignal.timeout(editorTimeout);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask();
    if (
      !('problem' in answer) ||
      answer.problem !== 'not-ready' ||
      attempt >= attempts ||
      late.aborted ||
      signal.aborted
    )
      return answer;
    await sleep(pause, signal);
  }
}

/** Models count columns badly, so the nearest occurrence of the symbol in the line is used. */
function columnOf(
  line: string | undefined,
  { symbol, line: number, character }: Arguments<typeof parameters>,
): number | ToolRefusal {
  if (line === undefined) return { refused: `There is no line ${number}.` };
  const starts = placesOf(symbol, line);
  const nearest = starts.toSorted(
    (a, b) => Math.abs(a - (character ?? 1)) - Math.abs(b - (character ?? 1)),
  )[0];
  return (
    nearest ?? {
      refused: `${symbol} does not occur in line ${number}, which reads: ${line.trim().slice(0, 200)}`,
    }
  );
}

function placesOf(symbol: string, line: string): readonly number[] {
  if (symbol === '') return [];
  const places: number[] = [];
  for (let at = line.indexOf(symbol); at >= 0; at = line.indexOf(symbol, at + 1)) places.push(at + 1);
  return places;
}
