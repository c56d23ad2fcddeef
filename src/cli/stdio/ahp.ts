// `parley ahp`: the AHP door on stdio, one message per line.
import { stdio } from './stdio.ts';

export function run(args: readonly string[]): Promise<number> {
  return stdio('ahp', args, {});
}
