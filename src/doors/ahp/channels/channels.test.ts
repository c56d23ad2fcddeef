import { describe, expect, test } from 'vitest';
import { chatUri, readChannel, sessionUri } from './channels.ts';
import { filePath, fileUri } from '../../../base/fileUri.ts';
import { SessionUris } from './sessionSpelling.ts';

const alias = (session: string, name = 'default') =>
  `ahp-chat://${name}/${Buffer.from(session).toString('base64url')}`;

describe('a channel is read in every spelling', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['ahp-root://', { kind: 'root' }],
    ['ahp-root:', { kind: 'root' }],
    ['ahp-root://x', undefined],
    ['script:/s1', { kind: 'session', session: 's1' }],
    ['SCRIPT:/s1', { kind: 'session', session: 's1' }],
    ['ahp-session:/s1', { kind: 'session', session: 's1' }],
    ['claude-code:/a%20b%2Fc', { kind: 'session', session: 'a b/c' }],
    ['script:/s1/annotations', undefined],
    ['script:s1', undefined],
    ['script://s1', undefined],
    ['script:/', undefined],
    ['script:/%', undefined],
    ['agenthost:/root', undefined],
    ['file:/x', undefined],
    ['ahp-terminal:/x', undefined],
    ['ahp-chat:/c1', { kind: 'chat', chat: 'c1' }],
    ['ahp-chat:/', undefined],
    [alias('script:/s1'), { kind: 'chatOf', session: 's1', name: 'default' }],
    [alias('ahp-session:/s1', 'c2'), { kind: 'chatOf', session: 's1', name: 'c2' }],
    [alias('ahp-chat:/s1'), undefined],
    ['ahp-chat://default/!!!', undefined],
    ['', undefined],
    ['no scheme', undefined],
  ];
  test.each(cases)('%s', (uri, expected) => {
    expect(readChannel(uri)).toEqual(expected);
  });
});

test.each(['s1', 'a b/c', 'ü', '%', '..', 'a:b'])(
  'the session and the chat %s are read as they were written',
  (id) => {
    expect(readChannel(sessionUri(id, 'script'))).toEqual({ kind: 'session', session: id });
    expect(readChannel(chatUri(id))).toEqual({ kind: 'chat', chat: id });
  },
);

test('an agent whose name cannot be a scheme has sessions in the spelling of the specification', () => {
  expect(['script', 'My Agent', 'file', '9lives'].map((agent) => sessionUri('s', agent))).toEqual([
    'script:/s',
    'ahp-session:/s',
    'ahp-session:/s',
    'ahp-session:/s',
  ]);
});

describe('a client gets its own spelling back', () => {
  const session = { id: 's1', agent: 'script' };
  const other = { id: 's2', agent: 'script' };
  const cases: readonly (readonly [
    string,
    Readonly<Record<string, unknown>> | undefined,
    readonly string[],
    readonly string[],
  ])[] = [
    ['when it has said nothing', undefined, [], ['ahp-session:/s1', 'ahp-session:/s2']],
    ['when it is VS Code', { 'vscode.telemetryLevel': 'off' }, [], ['script:/s1', 'script:/s2']],
    [
      'when it announced the other',
      { 'vscode.ahpSessionUris': true },
      [],
      ['ahp-session:/s1', 'ahp-session:/s2'],
    ],
    ['when it used the other', undefined, ['ahp-session:/s1'], ['ahp-session:/s1', 'ahp-session:/s2']],
    ['when it used both', undefined, ['script:/s1', 'ahp-session:/s2'], ['script:/s1', 'ahp-session:/s2']],
    ['when it changed its mind', undefined, ['old:/s1', 'script:/s1'], ['old:/s1', 'script:/s2']],
  ];
  test.each(cases)('%s', (...[, meta, heard, expected]) => {
    const names = new SessionUris({ version: '1.0.0', client: {}, meta });
    for (const uri of heard) names.remember(uri);
    expect([names.of(session), names.of(other)]).toEqual(expected);
  });

  test.each([
    ['1', 'ahpx', 'script:/s1'],
    ['0.9.0', 'VS Code', 'script:/s1'],
    ['0.9.0', 'vscode-editor-window', 'script:/s1'],
    ['0.9.0', 'official', 'ahp-session:/s1'],
    ['1.0.0', 'Visual Studio Code - Insiders', 'script:/s1'],
  ])('version %s as %s', (version, name, uri) => {
    expect(new SessionUris({ version, client: { name }, meta: undefined }).of(session)).toBe(uri);
  });
});

describe('files', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['file:///w/a%20b', '/w/a b'],
    ['file://localhost/w', '/w'],
    ['file:///C:/x', 'C:/x'],
    ['file://server/share', undefined],
    ['file:///a%00b', undefined],
    ['file:///%E0%A4%A', undefined],
    ['http://x/', undefined],
    ['/w', undefined],
  ];
  test.each(cases)('%s', (uri, path) => {
    expect(filePath(uri)).toBe(path);
  });

  test.each(['/w/a b', '/ü/#?%', 'C:\\x\\y'])('%s goes there and back', (path) => {
    expect(filePath(fileUri(path))).toBe(path.replaceAll('\\', '/'));
  });
});
