import { expect, test } from 'vitest';
import { openApiSchema } from './schema.ts';

const object = (properties: object) => ({ type: 'object', properties });

test.each<[what: string, schema: unknown, expected: unknown]>([
  ['no parameters', object({}), undefined],
  ['an object of anything', { type: 'object', additionalProperties: true }, { type: 'object' }],
  [
    'what the subset does not know is left out',
    {
      ...object({ a: { type: 'string', maxLength: 5, minLength: 2 } }),
      additionalProperties: false,
      required: ['a'],
    },
    { required: ['a'], ...object({ a: { type: 'string', minLength: 2 } }) },
  ],
  [
    'a type or null',
    object({ a: { type: ['string', 'null'] } }),
    object({ a: { type: 'string', nullable: true } }),
  ],
  [
    'one of several types',
    object({ a: { type: ['string', 'number'] } }),
    object({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
  ],
  [
    'an alternative or null',
    object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
    object({ a: { nullable: true, type: 'string' } }),
  ],
  ['a constant', object({ a: { const: 'x' } }), object({ a: { type: 'string', enum: ['x'] } })],
  [
    'numbers to choose from are texts',
    object({ a: { type: 'integer', enum: [1, 2] } }),
    object({ a: { type: 'integer', format: 'enum', enum: ['1', '2'] } }),
  ],
  [
    'a definition with a description of its own',
    { ...object({ a: { $ref: '#/$defs/A~1b', description: 'own' } }), $defs: { 'A/b': { type: 'string' } } },
    object({ a: { description: 'own', type: 'string' } }),
  ],
  [
    'a recursive definition',
    { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: object({ a: { $ref: '#/$defs/A' } }) } },
    'inexpressible',
  ],
  ['a reference to elsewhere', object({ a: { $ref: 'https://a.example/schema' } }), 'inexpressible'],
  ['values of several types', object({ a: { enum: ['x', 1] } }), 'inexpressible'],
])('%s', (...[, schema, expected]) => {
  expect(openApiSchema(schema)).toEqual(expected);
});
