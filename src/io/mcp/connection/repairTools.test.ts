import { expect, test } from 'vitest';
import { repairedTool, usableSchema } from './repairTools.ts';

test.each<[unknown, object]>([
  [
    { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  ],
  [{ type: 'object' }, { type: 'object', properties: {} }],
  [undefined, { type: 'object', properties: {} }],
  [null, { type: 'object', properties: {} }],
  ['object', { type: 'object', properties: {} }],
  [[], { type: 'object', properties: {} }],
  [{ type: 'string' }, { type: 'object', properties: {} }],
  [
    { type: ['object', 'null'], properties: [] },
    { type: 'object', properties: {} },
  ],
  [
    { properties: { a: 3, b: true }, required: ['a', 'b', 3], additionalProperties: false },
    { type: 'object', properties: { b: true }, required: ['b'], additionalProperties: false },
  ],
  [
    {
      $schema: 'x',
      anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: {} } }, 3],
    },
    { type: 'object', properties: { a: { type: 'string' }, b: {} } },
  ],
  [
    { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'string' } } },
    { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'string' } } },
  ],
])('the schema %j becomes one that providers take', (schema, expected) => {
  expect(usableSchema(schema)).toEqual(expected);
});

test.each<[unknown, readonly object[]]>([
  [
    { name: 'a', description: 3, title: {}, annotations: 'x', outputSchema: 'y' },
    [{ name: 'a', inputSchema: { type: 'object', properties: {} } }],
  ],
  [
    { name: 'a', description: 'D', annotations: { title: 'T', readOnlyHint: 'yes' } },
    [
      {
        name: 'a',
        description: 'D',
        annotations: { title: 'T' },
        inputSchema: { type: 'object', properties: {} },
      },
    ],
  ],
  [{ name: '' }, []],
  [{ name: 3 }, []],
  [null, []],
  ['a', []],
])('the tool %j is mended or left out', (tool, expected) => {
  expect(repairedTool(tool)).toEqual(expected);
});
