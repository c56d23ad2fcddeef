// `parley acp`: the ACP door on stdio.
import { stdio } from './stdio.ts';

export function run(args: readonly string[]): Promise<number> {
  return stdio('acp', args, { agent: { type: 'string' } });
}
