// `parley server`: the ECA door on stdio, with the command name that ECA clients use.
import { stdio } from './stdio.ts';

export function run(args: readonly string[]): Promise<number> {
  return stdio('eca', args, {
    'log-level': { type: 'string' },
    verbose: { type: 'boolean' },
    'config-file': { type: 'string' },
  });
}
