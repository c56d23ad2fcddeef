import { describe, expect, test } from 'vitest';
import { chooseVersion, isAtLeast, negotiate } from './negotiate.ts';

const baselines = ['1.0.0', '0.9.0'];

const ranges = ['^1.0.0', '^0.9.0'];
const unsupported = { refused: 'unsupportedVersion', supportedVersions: ranges };
const invalid = { refused: 'invalidParams', problem: expect.any(String) };

describe('the version follows from the shape of initialize', () => {
  test.each([
    ['version 1', { protocolVersion: 1, clientId: 'c' }, { version: '1', speaks: '1' }],
    ['a number that is not supported', { protocolVersion: 2 }, unsupported],
    ['a fraction', { protocolVersion: 1.5 }, unsupported],
    ['a list', { protocolVersions: ['0.9.0'] }, { version: '0.9.0', speaks: '0.9.0' }],
    [
      'both: the list counts',
      { protocolVersion: 1, protocolVersions: ['1.3.0'] },
      { version: '1.3.0', speaks: '1.3.0' },
    ],
    ['both, and the list does not fit', { protocolVersion: 1, protocolVersions: ['2.0.0'] }, unsupported],
    ['an empty list', { protocolVersions: [] }, unsupported],
    ['neither', { clientId: 'c' }, invalid],
    ['a number as text', { protocolVersion: '1' }, invalid],
    ['a list that is none', { protocolVersions: '1.0.0' }, invalid],
    ['a list with a number', { protocolVersions: ['1.0.0', 1] }, invalid],
    ['nothing', undefined, invalid],
    ['null', null, invalid],
    ['text', '1.0.0', invalid],
  ])('%s', (_name, params, expected) => {
    expect(negotiate(params, { baselines, integers: [1] })).toEqual(expected);
  });
});

describe('the number VS Code used before the release', () => {
  const options = { baselines, aliases: { '0.10.0': '1.0.0' } };

  test('is refused where nobody asked for it', () => {
    expect(chooseVersion(['0.10.0'], { baselines })).toEqual(unsupported);
  });

  test.each([
    ['is spoken as what it became', ['0.10.0'], { version: '0.10.0', speaks: '1.0.0' }],
    ['is better than 0.9', ['0.9.0', '0.10.0'], { version: '0.10.0', speaks: '1.0.0' }],
    ['is less than 1.0', ['0.10.0', '1.0.0'], { version: '1.0.0', speaks: '1.0.0' }],
    ['is that number alone', ['0.10.1'], unsupported],
  ])('%s', (_name, offered, expected) => {
    expect(chooseVersion(offered, options)).toEqual(expected);
  });
});

test('no number is supported unless the host says so', () => {
  expect(negotiate({ protocolVersion: 1 }, { baselines })).toEqual(unsupported);
});

describe('ranges', () => {
  test.each([
    { name: 'older than the baseline', offered: ['1.1.9'], baselines: ['1.2.0'], expected: undefined },
    { name: 'the baseline itself', offered: ['1.2.0'], baselines: ['1.2.0'], expected: '1.2.0' },
    { name: 'an older patch below 1.0', offered: ['0.9.0'], baselines: ['0.9.3'], expected: undefined },
    { name: 'below 0.1 only the same', offered: ['0.0.4'], baselines: ['0.0.3'], expected: undefined },
    { name: 'the same below 0.1', offered: ['0.0.3'], baselines: ['0.0.3'], expected: '0.0.3' },
    {
      name: 'a prototype key is no version',
      offered: ['constructor'],
      baselines: ['1.0.0'],
      expected: undefined,
    },
    {
      name: 'parts beyond any number',
      offered: ['1.9007199254740993.0', '1.9007199254740992.0'],
      baselines: ['1.0.0'],
      expected: '1.9007199254740993.0',
    },
  ])('$name', ({ offered, baselines: supported, expected }) => {
    const chosen = chooseVersion(offered, { baselines: supported });
    expect('version' in chosen ? chosen.version : undefined).toBe(expected);
  });

  test.each([
    ['1.0.0', '0.9.0', true],
    ['0.9.0', '1.0.0', false],
    ['1.0.0', '1.0.0', true],
    ['0.10.0', '0.9.0', true],
    ['x', '0.9.0', false],
  ])('%s is at least %s: %s', (version, other, expected) => {
    expect(isAtLeast(version, other)).toBe(expected);
  });
});
