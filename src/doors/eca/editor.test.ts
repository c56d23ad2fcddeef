import { afterEach, describe, expect, test } from 'vitest';
import { ecaClient } from '../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../test/kit/ecaClient.ts';
import { rig } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';

let made: Rig;
let client: EcaClient;
const never = new AbortController().signal;

afterEach(async () => {
  await client.close();
  await made.close();
});

async function start(editor: object): Promise<void> {
  made = await rig();
  client = ecaClient(made.host);
  await client.request('initialize', {
    capabilities: { codeAssistant: { editor } },
    workspaceFolders: [{ uri: 'file:///w', name: 'w' }],
  });
}

/** Answers the next request of the server. */
async function answer(method: string, result: unknown): Promise<unknown> {
  const asked = await client.until((message) => message.method === method);
  client.send({
    jsonrpc: '2.0',
    id: asked.id,
    ...(result instanceof Error ? { error: { code: -32000, message: result.message } } : { result }),
  });
  return asked.params;
}

const at = { start: { line: 4, character: 2 }, end: { line: 4, character: 5 } };
const position = { path: '/w/a b.ts', line: 5, character: 3 };
const problems = (roots = ['/w']) =>
  made.host.editors.ask('diagnostics', roots, (editor) => editor.diagnostics?.(undefined, never));
const definition = () =>
  made.host.editors.ask('definition', ['/w'], (editor) => editor.definition?.(position, never));

describe('diagnostics', () => {
  check(
    'are counted from one',
    {
      diagnostics: [
        { uri: 'file:///w/a%20b.ts', severity: 'Warning', source: 'tsc', range: at, code: 7, message: 'no' },
      ],
    },
    [
      {
        path: '/w/a b.ts',
        line: 5,
        character: 3,
        severity: 'warning',
        source: 'tsc',
        code: '7',
        message: 'no',
      },
    ],
  );
  check('may be none', { diagnostics: [] }, []);
  check(
    'of places that are no files are left out',
    { diagnostics: [{ uri: 'untitled://x', range: at, message: 'no' }] },
    [],
  );
  check(
    'may fail in the editor',
    { status: 'error', message: 'no LSP' },
    { problem: 'unable', message: 'no LSP' },
  );
  check('may be refused', new Error('not now'), { problem: 'unable', message: 'not now' });
  check(
    'may be nonsense',
    { diagnostics: 'many' },
    {
      problem: 'unable',
      message: expect.stringContaining('The answer of the editor is not valid') as string,
    },
  );

  function check(name: string, result: unknown, expected: unknown): void {
    test(`diagnostics ${name}`, async () => {
      await start({ diagnostics: true });
      const asked = problems();
      expect(await answer('editor/getDiagnostics', result)).toEqual({});
      expect(await asked).toEqual(expected);
    });
  }
});

describe('definitions', () => {
  check('are places', { status: 'success', locations: [{ uri: 'file:///w/c.ts', range: at }] }, [
    { path: '/w/c.ts', line: 4, character: 2 },
  ]);
  check(
    'may come later',
    { status: 'starting' },
    { problem: 'not-ready', message: 'The language server of the editor is still starting.' },
  );
  check(
    'need a server',
    { status: 'no-server' },
    { problem: 'unable', message: 'The editor has no language server for this file.' },
  );
  check('may fail', { status: 'error', message: 'boom' }, { problem: 'unable', message: 'boom' });

  function check(name: string, result: unknown, expected: unknown): void {
    test(`definitions ${name}`, async () => {
      await start({ definition: {} });
      const asked = definition();
      expect(await answer('editor/getDefinition', result)).toEqual({
        uri: 'file:///w/a%20b.ts',
        position: { line: 5, character: 3 },
      });
      expect(await asked).toEqual(expected);
    });
  }
});

test('references say whether the declaration counts', async () => {
  await start({ references: true });
  const asked = made.host.editors.ask('references', ['/w'], (editor) =>
    editor.references?.({ ...position, declaration: false }, never),
  );
  expect(await answer('editor/getReferences', { status: 'success', locations: null })).toMatchObject({
    includeDeclaration: false,
  });
  expect(await asked).toEqual([]);
});

test('nobody is asked for what he cannot do or does not show', async () => {
  await start({ diagnostics: true });
  expect(await definition()).toEqual({
    problem: 'unable',
    message: 'No attached editor of this workspace can tell where something is defined.',
  });
  expect(await problems(['/elsewhere'])).toMatchObject({ problem: 'unable' });
  await client.close();
  expect(await problems()).toMatchObject({ problem: 'unable' });
});

test('the next editor is asked where one is not ready', async () => {
  await start({});
  made.host.editors.attach({ roots: () => ['/w'], definition: () => Promise.resolve([position]) });
  made.host.editors.attach({
    roots: () => ['/w'],
    definition: () => Promise.resolve({ problem: 'not-ready', message: 'soon' }),
  });
  expect(await definition()).toEqual([position]);
});
