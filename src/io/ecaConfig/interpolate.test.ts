import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { interpolate } from './interpolate.ts';

let place: Workspace | undefined;
afterEach(() => {
  place?.close();
  place = undefined;
});

describe('texts', () => {
  test.each([
    ['${env:A}', 'one'],
    ['${env:NONE:two words}', 'two words'],
    ['${env:NONE}', ''],
    ['x-${cmd:echo hi}-y', 'x-hi-y'],
    ['${file:key.txt}', 'secret'],
    ['${file:missing}', ''],
    ['${plugin:root}', '${plugin:root}'],
    ['${classpath:prompts/code_agent.md}', ''],
    ['${netrc:api.example.com}', 'first'],
    ['${netrc:you@api.example.com}', 'second'],
    ['${netrc:api.example.com:8443}', 'third'],
    ['${netrc:nobody.example.com}', ''],
    ['plain', 'plain'],
  ])('%s', (given, expected) => {
    place = workspace({
      'key.txt': 'secret\n',
      netrc:
        '# mine\nmachine api.example.com login me password first\nmachine api.example.com\n  login you\n' +
        '  password second\nmachine api.example.com port 8443 password third\n',
    });
    expect(
      interpolate(
        { deep: [given] },
        {
          env: { A: 'one' },
          file: join(place.root, 'config.json'),
          own: true,
          netrc: join(place.root, 'netrc'),
        },
      ),
    ).toEqual({ deep: [expected] });
  });

  test('what a folder brings along runs nothing and reads nothing', () => {
    place = workspace({ made: '' });
    const given = ['${cmd:rm made}', '${file:made}', '${env:A}'];
    expect(
      interpolate(given, { env: { A: 'one' }, file: join(place.root, 'config.json'), own: false }),
    ).toEqual(['${cmd:rm made}', '${file:made}', 'one']);
    expect(place.tree()).toEqual({ made: '' });
  });
});
