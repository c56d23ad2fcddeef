import { mkdtempSync, existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listeningOn } from './listening.ts';

let directory: string;
let own: { cert: string; key: string };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-listening-'));
  own = { cert: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('%s needs no encryption', (host) => {
  expect(listeningOn({ host }, own)).toMatchObject({ host, privacy: 'loopback' });
  expect(existsSync(own.key)).toBe(false);
});

test.each(['0.0.0.0', '::', '192.0.2.7', 'studio.example'])(
  '%s is encrypted whether or not somebody says so',
  (host) => {
    const listening = listeningOn({ host }, own);
    expect(listening).toMatchObject({
      host,
      privacy: 'encrypted',
      fingerprint: expect.stringMatching(/^[0-9A-F:]{95}$/),
      tls: { cert: expect.stringContaining('BEGIN CERTIFICATE') },
    });
  },
);

test('only an explicit word leaves it out, and that is said', () => {
  expect(listeningOn({ host: '0.0.0.0', insecure: true }, own)).toMatchObject({ privacy: 'open' });
  expect(listeningOn({ host: '0.0.0.0', insecure: true }, own)).not.toHaveProperty('tls');
});

test('half a pair is refused', () => {
  expect(listeningOn({ host: '127.0.0.1', cert: 'x' }, own)).toHaveProperty('refused');
});
