// The settings about what agents may do on this machine: the sandbox.
import * as z from 'zod';
import { optional, strings } from './values.ts';

export const sandbox = z.strictObject({
  network: optional(
    z.enum(['off', 'on']),
    'Whether commands in the sandbox reach the network. Default: off.',
    'on',
  ),
  write: optional(strings, 'Additional folders in which they may write.', ['~/.cache/go-build']),
  hide: optional(strings, 'Additional files and folders that they cannot see.', ['~/Documents']),
});
