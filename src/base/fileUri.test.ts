import { describe, expect, test } from 'vitest';
import { fileUri, isAbsolute, baseName, readFileUri, samePath } from './fileUri.ts';

describe('a path and its URI', () => {
  test.each([
    ['/w/a.ts', 'file:///w/a.ts'],
    ['/w/a b#c?d%.ts', 'file:///w/a%20b%23c%3Fd%25.ts'],
    ['/w/ü', 'file:///w/%C3%BC'],
    ['C:/src/a.ts', 'file:///C:/src/a.ts'],
    ['/w/x:y', 'file:///w/x%3Ay'],
  ])('%s', (path, uri) => {
    expect(fileUri(path)).toBe(uri);
    expect(readFileUri(uri)).toEqual({ path });
  });
});

describe('what names no file here', () => {
  test.each([
    'https://example.org/a',
    'a.ts',
    '',
    'file://server/share/a',
    'file:///w/%',
    'file:///w/%00',
    'zed:///agent/x',
  ])('%j', (uri) => {
    expect(readFileUri(uri)).toBeUndefined();
  });
});

describe('lines', () => {
  test.each([
    ['file:///a#L3', { start: 3, end: 3 }],
    ['file:///a#L3-5', { start: 3, end: 5 }],
    ['file:///a#L3-L5', { start: 3, end: 5 }],
    ['file://localhost/a#L3:5', { start: 3, end: 5 }],
  ])('%s', (uri, lines) => {
    expect(readFileUri(uri)).toEqual({ path: '/a', lines });
  });

  test('any other fragment is none of ours', () => {
    expect(readFileUri('file:///a#top')).toEqual({ path: '/a' });
  });
});

test.each([
  ['/w/a/', 'a'],
  ['C:\\x\\y', 'y'],
  ['https://example.org/', 'example.org'],
  ['/', '/'],
])('the name of %s is %s', (path, name) => {
  expect(baseName(path)).toBe(name);
});

test.each([
  ['/w', true],
  ['C:\\w', true],
  ['c:/w', true],
  ['\\\\server\\w', true],
  ['w', false],
  ['./w', false],
  ['', false],
  ['~/w', false],
  ['/w\0', false],
])('%j is absolute: %s', (path, yes) => {
  expect(isAbsolute(path)).toBe(yes);
});

test.each([
  ['/w', '/w/', true],
  ['/', '/', true],
  ['/w', '/W', false],
  ['/w', '/wx', false],
])('%s and %s are the same: %s', (one, other, same) => {
  expect(samePath(one, other)).toBe(same);
});
