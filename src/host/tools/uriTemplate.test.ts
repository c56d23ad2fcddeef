import { expect, test } from 'vitest';
import { fitsTemplate } from './uriTemplate.ts';

test.each([
  ['note://7', 'note://{id}', true],
  ['note://7/8', 'note://{id}', false],
  ['note://', 'note://{id}', false],
  ['file:///a/b.ts', 'file:///{+path}', true],
  ['file:///a/b.ts', 'file:///{path*}', true],
  ['db://t/rows?limit=3', 'db://{table}/rows{?limit,offset}', true],
  ['db://t/rows', 'db://{table}/rows{?limit,offset}', true],
  ['xnote://7', 'note://{id}', false],
  ['note:?.7', 'note:?.{id}', true],
  ['noteXx.7', 'note:?.{id}', false],
])('%s and %s', (uri, template, fits) => {
  expect(fitsTemplate(uri, template)).toBe(fits);
});
