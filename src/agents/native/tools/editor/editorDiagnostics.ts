// The tool that asks the user's editor what is wrong with the code.
import type { Diagnostic } from '../../../../host/workspace/attachedEditors.ts';
import { askEditor } from './askEditor.ts';
import { visiblePlaces } from './visiblePlaces.ts';
import { defineTool } from '../define.ts';
import { doneResult, failed, fileName, realPath } from '../tool.ts';

export const editorDiagnostics = defineTool({
  name: 'editor_diagnostics',
  description:
    "Gives the errors and warnings that the language servers of the user's editor see, in one file or " +
    'in the whole workspace.',
  kind: 'read',
  needs: 'diagnostics',
  preparing: 'Checking all diagnostics',
  parameters: {
    path: {
      type: 'string',
      description:
        'The file to look at, absolute or relative to the first workspace folder. Default: all files.',
      optional: true,
    },
  },
  async prepare({ path: given }, context) {
    const path = given === undefined ? undefined : await realPath(given, context);
    return {
      title: path === undefined ? 'Checking all diagnostics' : `Checking diagnostics: ${fileName(path)}`,
      paths: path === undefined ? [] : [path],
      ...(path === undefined ? {} : { locations: [{ path }] }),
      async run(_output, { hides = () => undefined } = {}) {
        const found = await askEditor(context, (editors, signal) =>
          editors.ask('diagnostics', context.roots, (editor) => editor.diagnostics?.(path, signal)),
        );
        if ('problem' in found) return failed(found.message);
        const { places, note } = await visiblePlaces(found, { context, hides, asked: path });
        return doneResult((places.map(lineOf).join('\n') || 'No diagnostics found.') + note);
      },
    };
  },
});

function lineOf({ path, line, character, severity, code, source, message }: Diagnostic): string {
  const by = [source, code].filter((part) => part !== undefined && part !== '').join(' ');
  return `${path}:${line}:${character}: ${severity}: ${by === '' ? '' : `[${by}] `}${message}`;
}
