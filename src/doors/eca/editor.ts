// What the editor behind a connection tells agents about code, as far as it said it can. A client that fails is no failure of ours.
import type { output, ZodType } from 'zod';
import type {
  CodePlace,
  Diagnostic,
  Editor,
  EditorAnswer,
  EditorProblem,
} from '../../host/workspace/attachedEditors.ts';
import { diagnosticsAnswer, locationsAnswer } from '../../protocols/eca/editor.ts';
import { read } from '../../protocols/eca/schema.ts';
import type { RequestParams } from '../../protocols/eca/schema.ts';
import type { Connection } from './connection.ts';
import { pathOf, uriOf } from './inbound/toCommand.ts';

type Abilities = NonNullable<
  NonNullable<NonNullable<RequestParams<'initialize'>['capabilities']>['codeAssistant']>['editor']
>;

export function editorOf(connection: Connection, { diagnostics, definition, references }: Abilities): Editor {
  return {
    roots: () => connection.roots,
    ...(diagnostics
      ? {
          diagnostics: (path: string | undefined, signal: AbortSignal) =>
            problemsIn(connection, path, signal),
        }
      : {}),
    ...(definition
      ? {
          definition: (place: CodePlace, signal: AbortSignal) =>
            locations(connection, { method: 'editor/getDefinition', params: placeOf(place) }, signal),
        }
      : {}),
    ...(references
      ? {
          references: (
            { declaration, ...place }: CodePlace & { readonly declaration: boolean },
            signal: AbortSignal,
          ) =>
            locations(
              connection,
              {
                method: 'editor/getReferences',
                params: { ...placeOf(place), includeDeclaration: declaration },
              },
              signal,
            ),
        }
      : {}),
  };
}

async function problemsIn(
  connection: Connection,
  path: string | undefined,
  signal: AbortSignal,
): Promise<EditorAnswer<Diagnostic>> {
  const answer = await asked(
    connection,
    { method: 'editor/getDiagnostics', params: path === undefined ? {} : { uri: uriOf(path) } },
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
            ...(source === undefined ? {} : { source }),
            ...(code === undefined ? {} : { code }),
          },
        ];
  });
}

async function locations(
  connection: Connection,
  question: Question,
  signal: AbortSignal,
): Promise<EditorAnswer<CodePlace>> {
  const answer = await asked(connection, question, { schema: locationsAnswer, signal });
  if ('problem' in answer) return answer;
  if (answer.status === 'starting')
    return {
      problem: 'not-ready',
      message: answer.message ?? 'The language server of the editor is starting.',
    };
  if (answer.status === 'no-server')
    return unable(answer.message ?? 'The editor has no language server for this file.');
  if (answer.status !== 'success') return unable(answer.message);
  return answer.locations.flatMap(({ uri, range }) => {
    const path = pathOf(uri);
    return path === undefined ? [] : [{ path, line: range.start.line, character: range.start.character }];
  });
}

interface Question {
  readonly method: string;
  readonly params: object;
}

async function asked<S extends ZodType>(
  { peer }: Connection,
  { method, params }: Question,
  { schema, signal }: { schema: S; signal: AbortSignal },
): Promise<output<S> | EditorProblem> {
  try {
    const answer = read(schema, await peer.request(method, params, { signal }));
    return 'problem' in answer
      ? unable(`The editor answered something else: ${answer.problem}`)
      : answer.value;
  } catch (error) {
    return unable(error instanceof Error ? error.message : undefined);
  }
}

function unable(message = 'The editor could not tell.'): EditorProblem {
  return { problem: 'unable', message };
}

function placeOf({ path, line, character }: CodePlace): object {
  return { uri: uriOf(path), position: { line, character } };
}

const severities: { readonly [name: string]: Diagnostic['severity'] } = {
  error: 'error',
  warning: 'warning',
  information: 'information',
  info: 'information',
  hint: 'hint',
};

function severityOf(name: string | undefined): Diagnostic['severity'] {
  const known = (name ?? '').toLowerCase();
  return Object.hasOwn(severities, known) ? (severities[known] ?? 'error') : 'error';
}
