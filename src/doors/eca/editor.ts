// Asks the editor about code on behalf of agents, as far as its capabilities go. A failing client gives a
// problem, never an exception.
import type { output, ZodType } from 'zod';
import { errorText } from '../../base/errorText.ts';
import { fileUri } from '../../base/fileUri.ts';
import { present } from '../../base/present.ts';
import type {
  CodeLocation,
  Diagnostic,
  AttachedEditor,
  EditorAnswer,
  EditorProblem,
} from '../../host/workspace/attachedEditors.ts';
import { diagnosticsAnswer, locationsAnswer } from '../../protocols/eca/editor.ts';
import { read } from '../../protocols/eca/schema.ts';
import type { RequestParams } from '../../protocols/eca/schema.ts';
import type { EcaConnection } from './connection.ts';
import { pathOf } from './inbound/paths.ts';

type EditorCapabilities = NonNullable<
  NonNullable<NonNullable<RequestParams<'initialize'>['capabilities']>['codeAssistant']>['editor']
>;

export function editorOf(
  connection: EcaConnection,
  { diagnostics, definition, references }: EditorCapabilities,
): AttachedEditor {
  const all: Required<AttachedEditor> = {
    roots: () => connection.workspace.roots,
    diagnostics: (path, signal) => askDiagnostics(connection, path, signal),
    definition: (position, signal) =>
      askLocations(connection, { method: 'editor/getDefinition', params: paramsOf(position) }, signal),
    references: ({ declaration, ...position }, signal) =>
      askLocations(
        connection,
        {
          method: 'editor/getReferences',
          params: { ...paramsOf(position), includeDeclaration: declaration },
        },
        signal,
      ),
  };
  return {
    roots: all.roots,
    ...present({
      diagnostics: diagnostics ? all.diagnostics : undefined,
      definition: definition ? all.definition : undefined,
      references: references ? all.references : undefined,
    }),
  };
}

async function askDiagnostics(
  connection: EcaConnection,
  path: string | undefined,
  signal: AbortSignal,
): Promise<EditorAnswer<Diagnostic>> {
  const answer = await ask(
    connection,
    { method: 'editor/getDiagnostics', params: path === undefined ? {} : { uri: fileUri(path) } },
    { schema: diagnosticsAnswer, signal },
  );
  if ('problem' in answer) return answer;
  if (!answer.diagnostics) return unable(answer.message);
  return answer.diagnostics.flatMap(({ uri, severity, range, source, code, message }) => {
    const at = pathOf(uri);
    return at === undefined
      ? []
      : [
          {
            path: at,
            line: range.start.line + 1,
            character: range.start.character + 1,
            severity: severityOf(severity),
            message,
            ...present({ source, code }),
          },
        ];
  });
}

async function askLocations(
  connection: EcaConnection,
  question: EditorQuestion,
  signal: AbortSignal,
): Promise<EditorAnswer<CodeLocation>> {
  const answer = await ask(connection, question, { schema: locationsAnswer, signal });
  if ('problem' in answer) return answer;
  if (answer.status === 'starting')
    return {
      problem: 'not-ready',
      message: answer.message ?? 'The language server of the editor is still starting.',
    };
  if (answer.status === 'no-server')
    return unable(answer.message ?? 'The editor has no language server for this file.');
  if (answer.status !== 'success') return unable(answer.message);
  return answer.locations.flatMap(({ uri, range }) => {
    const path = pathOf(uri);
    return path === undefined ? [] : [{ path, line: range.start.line, character: range.start.character }];
  });
}

interface EditorQuestion {
  readonly method: string;
  readonly params: object;
}

async function ask<S extends ZodType>(
  { peer }: EcaConnection,
  { method, params }: EditorQuestion,
  { schema, signal }: { schema: S; signal: AbortSignal },
): Promise<output<S> | EditorProblem> {
  try {
    const answer = read(schema, await peer.request(method, params, { signal }));
    return 'problem' in answer
      ? unable(`The answer of the editor is not valid: ${answer.problem}`)
      : answer.value;
  } catch (error) {
    return unable(errorText(error, noAnswer));
  }
}

const noAnswer = 'The editor could not answer.';

function unable(message = noAnswer): EditorProblem {
  return { problem: 'unable', message };
}

function paramsOf({ path, line, character }: CodeLocation): object {
  return { uri: fileUri(path), position: { line, character } };
}

const severities: { readonly [name: string]: Diagnostic['severity'] } = {
  error: 'error',
  warning: 'warning',
  information: 'information',
  info: 'information',
  hint: 'hint',
};

function severityOf(name: string | undefined): Diagnostic['severity'] {
  const key = (name ?? '').toLowerCase();
  return (Object.hasOwn(severities, key) ? severities[key] : undefined) ?? 'error';
}
