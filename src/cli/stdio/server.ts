// `parley server`: the ECA door on stdio, under the name that ECA clients start servers by.
import { stdio } from './stdio.ts';

export function run(args: readonly string[]): Promise<number> {
  return stdio('eca', args, {
    'log-level': { type: 'string' },
    verbose: { type: 'boolean' },
    'config-file': { type: 'string' },
  });
}
