// The tool that asks the user's editor what is wrong with the code.
import type { Diagnostic } from '../../../host/editors.ts';
import { defineTool } from './define.ts';
import { done, failed, nameOf, realPath } from './tool.ts';

export const editorDiagnostics = defineTool({
  name: 'editor_diagnostics',
  description: 'Gives the errors and warnings that the language servers of the user\'s editor see, in one file or in the whole workspace.',
  kind: 'read',
  preparing: 'Checking diagnostics',
  parameters: {
    path: { type: 'string', description: 'The file to look at, absolute or relative to the first workspace folder. Default: all files.', optional: true },
  },
  async prepare({ path: given }, context) {
    const path = given === undefined ? undefined : await realPath(given, context);
    const { editors, roots, signal } = context;
    return {
      title: path === undefined ? 'Checking all diagnostics' : `Checking diagnostics: ${nameOf(path)}`,
      paths: path === undefined ? [] : [path],
      ...(path === undefined ? {} : { locations: [{ path }] }),
      async run() {
        const found = await editors?.ask('diagnostics', roots, (editor) => editor.diagnostics?.(path, signal));
        if (!found || 'problem' in found) return failed(found?.message ?? noEditor);
        return done(found.map(lineOf).join('\n') || 'No diagnostics found.');
      },
    };
  },
});

export const noEditor = 'No editor is attached that could be asked; use grep or a compiler instead.';

function lineOf({ path, line, character, severity, code, source, message }: Diagnostic): string {
  const by = [source, code].filter((part) => part !== undefined && part !== '').join(' ');
  return `${path}:${line}:${character}: ${severity}: ${by === '' ? '' : `[${by}] `}${message}`;
}
