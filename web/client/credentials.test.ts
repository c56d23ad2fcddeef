// Tokens in addresses and in what people paste.
import { describe, expect, test } from 'vitest';
import { pastedCredential, takeCode, takeToken } from './credentials.ts';
import { socketAddress, tokenQuery } from '../../client/connection/socket.ts';

describe('a token in the address', () => {
  check('http://h/?tkn=abc', 'abc', 'http://h/');
  check('http://h/?tkn=abc&x=1#/inbox', 'abc', 'http://h/?x=1#/inbox');
  check('http://h/#tkn=abc', 'abc', 'http://h/');
  check('http://h/?token=abc', 'abc', 'http://h/');
  check('http://h/#/session/x', 'kept', undefined);

  function check(href: string, token: string, shown: string | undefined): void {
    test(`of ${href}`, () => {
      const stored = new Map([['parley.token', 'kept']]);
      let bar: string | undefined;
      const tab = {
        location: { href },
        history: { replaceState: (_data: unknown, _unused: string, url: string) => (bar = url) },
        localStorage: { getItem: () => null, setItem: () => {} },
        sessionStorage: {
          getItem: (name: string) => stored.get(name) ?? null,
          setItem: (name: string, value: string) => stored.set(name, value),
        },
      };
      expect([takeToken(tab), bar, stored.get('parley.token')]).toEqual([token, shown, token]);
    });
  }
});

test('the code of a sign-in link is taken out of the address bar', () => {
  const shown: string[] = [];
  const history = { replaceState: (_data: unknown, _unused: string, url: string) => void shown.push(url) };
  const codes = ['http://h/sign-in?code=abc', 'http://h/?code=abc', 'http://h/sign-in'].map((href) =>
    takeCode({ location: { href }, history }),
  );
  expect([codes, shown]).toEqual([['abc', undefined, undefined], ['http://h/']]);
});

test('a person may paste a link or a token', () => {
  expect(
    [
      ' abc ',
      'http://h:1/?tkn=abc',
      'http://h/#tkn=abc',
      'http://h/',
      '',
      'http://evil/sign-in?code=a%26b',
    ].map(pastedCredential),
  ).toEqual([
    { token: 'abc' },
    { token: 'abc' },
    { token: 'abc' },
    undefined,
    undefined,
    { visit: '/sign-in?code=a%26b' },
  ]);
});

test('the host is beside the page', () => {
  expect(socketAddress({ protocol: 'http:', host: '127.0.0.1:1' })).toBe('ws://127.0.0.1:1/ahp');
  expect(socketAddress({ protocol: 'https:', host: 'h' }, tokenQuery('a b'))).toBe('wss://h/ahp?tkn=a%20b');
});
