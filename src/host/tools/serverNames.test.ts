import { expect, test } from 'vitest';
import { serverNameProblem } from './serverNames.ts';

test.each(['kit', 'my-server', 'my_server', 'a--b', '7', 'constructor'])(
  'a server can be named %s',
  (name) => {
    expect(serverNameProblem(name)).toBeUndefined();
  },
);

test.each([
  '',
  ' ',
  'my server',
  'a\tb',
  'a.b',
  'a/b',
  'a:b',
  'é',
  'a__b',
  '_a',
  'a_',
  '-a',
  'a-',
  '${a}',
  'a\n',
])('a server cannot be named %j', (name) => {
  expect(serverNameProblem(name)).toBe(
    `An MCP server cannot be named ${JSON.stringify(name)}. Use letters, digits, hyphens and single ` +
      'underscores; begin and end with a letter or a digit.',
  );
});
