import { expect, test } from 'vitest';
import { titleWithHiddenPart } from './hiddenPart.ts';

const x35 = 'x'.repeat(35);

test.each([
  ['ls -la', '$ ls -la', undefined],
  [' ls\t-la ', '$ ls -la', undefined],
  ['go test ./...', '$ go test ./...', undefined],
  [x35, `$ ${x35}`, undefined],
  [`${x35}x`, `$ ${x35}...`, '1 more character'],
  [x35 + 'y'.repeat(2_140), `$ ${x35}...`, '2,140 more characters'],
  [`${x35}xxxxx...`, `$ ${x35}...`, '8 more characters'],
  ['cd /elsewhere && rm -rf x', '$ rm -rf x', '17 more characters'],
  ['cd /a && go test ./...', '$ go test ./...', '9 more characters'],
  ['ls # all\nrm -rf x', '$ ls # all rm -rf x', '1 more line'],
  [`ls${'\r\nrm -rf x'.repeat(37)}`, '$ ls rm -rf x...', '37 more lines, 324 more characters'],
  ['rm -rf x; make test', 'Running the tests', undefined],
])('a title says how much of %j it leaves out', (command, title, hidden) => {
  expect(titleWithHiddenPart(title, command)).toBe(hidden === undefined ? title : `${hidden}: ${title}`);
});
