import { expect, test } from 'vitest';
import { isLinkLocal, isLocalAddress, isPrivate } from './privateAddresses.ts';

test.each([
  ['http://localhost:3000/', true],
  ['http://LOCALHOST/', true],
  ['http://api.localhost/', true],
  ['http://localhost./', true],
  ['http://127.0.0.1/', true],
  ['http://127.9.9.9:80/', true],
  ['http://10.0.0.1/', true],
  ['http://192.168.1.1/', true],
  ['http://172.16.0.1/', true],
  ['http://172.32.0.1/', false],
  ['http://100.64.0.1/', true],
  ['http://0.0.0.0/', true],
  ['http://[::1]/', true],
  ['http://[::]/', true],
  ['http://[fd00::1]/', true],
  ['http://[fe80::1]/', true],
  ['http://[::ffff:7f00:1]/', true],
  ['http://[2606:4700::1111]/', false],
  ['http://[2002:7f00:1::]/', true],
  ['http://[64:ff9b::7f00:1]/', true],
  ['http://printer.local/', true],
  ['http://db.internal/', true],
  ['http://example.com/', false],
  ['https://1.1.1.1/', false],
  ['http://user@127.0.0.1/', true],
  ['http://example.com/127.0.0.1', false],
  ['http://127.0.0.1.example.com/', false],
  ['http://224.0.0.1/', true],
  ['http://255.255.255.255/', true],
  ['no address', true],
  ['file:///etc/passwd', true],
])('%s is local: %s', (url, local) => expect(isLocalAddress(url)).toBe(local));

test.each([
  ['http://169.254.169.254/latest', true],
  ['http://[fe80::1]/', true],
  ['http://[::ffff:a9fe:a9fe]/', true],
  ['http://metadata.google.internal/', true],
  ['http://metadata.google.internal./', true],
  ['http://[fd00:ec2::254]/', true],
  ['http://100.100.100.200/', true],
  ['http://127.0.0.1/', false],
  ['http://169.255.0.1/', false],
])('%s is for one link alone: %s', (url, only) => expect(isLinkLocal(url)).toBe(only));

test.each([
  ['8.8.8.8', false],
  ['127.0.0.1', true],
  ['::ffff:127.0.0.1', true],
  ['2001:db8::1', true],
  ['2001:4860:4860::8888', false],
  ['fe80::1%eth0', true],
  ['example.com', false],
])('%s is private: %s', (address, inside) => expect(isPrivate(address)).toBe(inside));
