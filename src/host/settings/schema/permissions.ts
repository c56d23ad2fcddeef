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
    z.enum(['off', 'ask', 'on']),
    'What commands in the sandbox reach of the network: off (nothing), ask (public names, over HTTP and ' +
      'HTTPS; each new name is asked about), or on (everything, this machine included). Default: ask.',
    'off',
  ),
  hosts: optional(
    strings,
    'Names that they reach unasked where network is ask; *.example.com stands for all names below it. A ' +
      'name is for HTTP and HTTPS; example.com:22 is for another port.',
    ['*.example.com'],
  ),
  write: optional(strings, 'Additional folders in which they may write.', ['~/.cache/go-build']),
  hide: optional(
    strings,
    'Additional files and folders that they cannot see; such a file is empty for them. A relative ' +
      'path lies in each workspace.',
    ['.env', '~/Documents'],
  ),
});
