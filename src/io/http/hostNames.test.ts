import { expect, test } from 'vitest';
import { inUrl, isLoopback, namesAt, placeAt, placesAt } from './hostNames.ts';

const network = { machine: 'Studio', addresses: ['192.168.1.5', '2001:db8::5'] };

test.each([
  ['127.0.0.1', true],
  ['127.0.0.2', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.5', false],
  ['127.evil.example', false],
  ['example.com', false],
])('%s is loopback: %s', (host, expected) => expect(isLoopback(host)).toBe(expected));

test.each([
  ['127.0.0.1', ['localhost', '127.0.0.1', '::1']],
  ['127.0.0.2', ['localhost', '127.0.0.1', '::1', '127.0.0.2']],
  ['192.168.1.5', ['localhost', '127.0.0.1', '::1', '192.168.1.5', 'studio', 'studio.local']],
  ['0.0.0.0', ['localhost', '127.0.0.1', '::1', 'studio', 'studio.local', '192.168.1.5', '2001:db8::5']],
])('%s goes by %j', (host, expected) => expect(namesAt(host, network)).toEqual(expected));

test.each([
  ['0.0.0.0', '192.168.1.5'],
  ['::', '192.168.1.5'],
  ['::1', '[::1]'],
  ['localhost', 'localhost'],
])('%s is linked as %s', (host, expected) => expect(inUrl(placeAt(host, network))).toBe(expected));

test('without a network a wildcard address is linked as this machine itself', () =>
  expect(placeAt('0.0.0.0', { machine: '', addresses: [] })).toBe('localhost'));

test.each([
  ['0.0.0.0', ['192.168.1.5']],
  ['::', ['192.168.1.5', '2001:db8::5']],
  ['127.0.0.2', ['127.0.0.2']],
])('other devices find %s at %j', (host, expected) => expect(placesAt(host, network)).toEqual(expected));
