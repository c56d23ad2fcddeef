// The settings about what agents may do on this machine: permission modes and the sandbox.
import * as z from 'zod';
import { autonomyLevels } from '../../../model/event.ts';
import { optional, strings } from './values.ts';

const level = z.enum(autonomyLevels);

export const permissions = z.strictObject({
  mode: optional(
    level,
    'Permission mode of sessions that choose none: plan (changes nothing), ask (everything but ' +
      'reading asks), edits (edits in the workspace run unasked), auto (commands run unasked inside ' +
      'the sandbox, too), or full (everything runs unasked). Default: ask.',
    'edits',
  ),
  most: optional(
    level,
    'The mode with most freedom that a session may have; more is refused. Default: full.',
    'auto',
  ),
});

export const sandbox = z.strictObject({
  network: optional(
    z.enum(['off', 'on']),
    'Whether commands in the sandbox reach the network. Default: off.',
    'on',
  ),
  write: optional(strings, 'Additional folders in which they may write.', ['~/.cache/go-build']),
  hide: optional(strings, 'Additional files and folders that they cannot see.', ['~/Documents']),
});
