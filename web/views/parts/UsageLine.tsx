// Tokens and cost of a turn, as far as the host reports them.
import type { UsageInfo } from '../../../src/protocols/ahp/v1_0/content.ts';
import { formatCost, formatTokens } from '../../text/format.ts';
import { totalOf } from './usage.ts';

export function UsageLine({ usage }: { readonly usage: UsageInfo }) {
  const { input, output, cost } = totalOf([usage]);
  const tokens = [
    ...(input === undefined ? [] : [`${formatTokens(input)} in`]),
    ...(output === undefined ? [] : [`${formatTokens(output)} out`]),
  ];
  return (
    <>
      {tokens.length > 0 && <span class="desk-only">{tokens.join(' · ')}</span>}
      {cost !== undefined && (
        <span>
          <span class="unseen">Cost: </span>
          {formatCost(cost)}
        </span>
      )}
    </>
  );
}
