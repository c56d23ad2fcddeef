// The settings of the host itself: where it listens, how it connects, and how long it keeps sessions.
import * as z from 'zod';
import { count, countOrZero, flag, optional, secret, word } from './values.ts';

export const retention = z.strictObject({
  days: optional(
    countOrZero,
    'Number of days after which archived sessions are deleted; 0 keeps them forever. Default: 0.',
    30,
  ),
});

export const notifications = z.strictObject({
  webhook: optional(
    z.url({ protocol: /^https?$/ }),
    'Address that gets a POST request when a session needs you, such as a topic of ntfy. The message is a ' +
      'plain text without content of the session; the headers Title and Click are set.',
    'https://ntfy.example/my-topic',
  ),
});

export const telemetry = z.strictObject({
  traces: optional(
    z.url({ protocol: /^https?$/ }),
    'Address of an OpenTelemetry collector (OTLP over HTTP, in JSON) that gets a trace of each turn: ' +
      'durations, kinds and counts, no content, names or paths. Default: none, nothing is sent.',
    'http://127.0.0.1:4318',
  ),
});

export const network = z.strictObject({
  ca: optional(
    word,
    'File with the certificate of an additional certificate authority.',
    '/etc/ssl/company-ca.pem',
  ),
  cert: optional(word, 'File with the client certificate.', '/etc/ssl/client.pem'),
  key: optional(word, 'File with the private key of the certificate.', '/etc/ssl/client-key.pem'),
  passphrase: optional(
    secret('must be a reference such as ${env:NAME}'),
    'Passphrase of the private key; use ${env:NAME}.',
    '${env:KEY_PASSPHRASE}',
  ),
  connect: optional(count, 'Timeout of a connection attempt in milliseconds. Default: 15000.', 5000),
});

const port = z.int().min(0).max(65_535);

const deviceAddress = z.strictObject({
  enabled: optional(
    flag,
    'Whether the host also listens for other devices, always with TLS. The console switches it at once; ' +
      'a change in the file takes effect with the next start. Default: false.',
    true,
  ),
  host: optional(word, 'Address to listen on for other devices. Default: 0.0.0.0.', '192.168.1.5'),
  port: optional(port, 'Port to listen on for other devices. Default: 4518.', 8443),
});

export const server = z.strictObject({
  host: optional(word, 'Address to listen on. Default: 127.0.0.1.', '0.0.0.0'),
  port: optional(port, 'Port to listen on. Default: 4517, or a free port.', 8080),
  tls: optional(
    flag,
    'Whether to use TLS on loopback, too. Other addresses always use TLS. Default: false.',
    true,
  ),
  cert: optional(word, 'File with a certificate that replaces the self-signed one.', '/etc/ssl/parley.pem'),
  key: optional(word, 'File with the private key of the certificate.', '/etc/ssl/parley-key.pem'),
  insecure: optional(
    flag,
    'Whether to allow other addresses than loopback without TLS. Default: false.',
    true,
  ),
  devices: optional(
    deviceAddress,
    'A second address, for phones and other machines, while the first one is for this machine only.',
    { enabled: true },
  ),
});
