// What fills the context of a chat, as one bar and a list, and the offer to compact it.
import type { ChatUsage, ContextPartName } from '../../../client/connection/extensions.ts';
import { formatTokens } from '../../text/format.ts';

const labels: Readonly<Record<ContextPartName, string>> = {
  system: 'System prompt',
  tools: 'Tool definitions',
  files: 'Files',
  calls: 'Tool calls',
  conversation: 'Conversation',
};

/** Compacting helps from this share of the context on, in percent, if it frees at least that share. */
const helpsFrom = 40;
const helpsFreeing = 15;

interface ContextPartsProps {
  readonly usage: ChatUsage;
  /** Absent where nobody may send or the agent cannot. */
  readonly onCompact?: (() => void) | undefined;
}

export function ContextParts({ usage: { context, canCompact }, onCompact }: ContextPartsProps) {
  const { used, size, parts } = context;
  const percent = size === undefined ? undefined : Math.round((100 * used) / size);
  const whole = Math.max(size ?? used, used, 1);
  const free = freedBy(context);
  const helps = (percent ?? 0) >= helpsFrom && (100 * free) / whole >= helpsFreeing;
  return (
    <section class="usage-section" aria-label="Context">
      <h3>Context</h3>
      <p class="usage-sum">
        <b>{formatTokens(used)}</b>
        {size !== undefined && ` of ${formatTokens(size)} tokens · ${percent} %`}
        {size === undefined && ' tokens'}
      </p>
      <svg class="context-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {barsOf(parts, whole).map(({ part, from, width }) => (
          <rect key={part} class={`part-${part}`} x={from} y="0" width={width} height="4" />
        ))}
      </svg>
      <ul class="context-parts">
        {parts.map(({ part, tokens }) => (
          <li key={part}>
            <span class={`part-mark part-${part}`} aria-hidden="true" />
            <span>{labels[part]}</span>
            <span class="end">{formatTokens(tokens)}</span>
          </li>
        ))}
      </ul>
      {onCompact && canCompact && helps && (
        <p class="compact-offer">
          <span>
            A summary can replace the earlier conversation and free up to {formatTokens(free)} tokens.
          </span>
          <button type="button" class="btn small" onClick={onCompact}>
            Compact
          </button>
        </p>
      )}
    </section>
  );
}

function barsOf(parts: ChatUsage['context']['parts'], whole: number) {
  let from = 0;
  return parts.map(({ part, tokens }) => {
    const width = (100 * tokens) / whole;
    const bar = { part, from, width };
    from += width;
    return bar;
  });
}

/** A summary keeps neither calls nor files. */
function freedBy({ parts }: ChatUsage['context']): number {
  const kept: readonly ContextPartName[] = ['system', 'tools'];
  return parts.filter(({ part }) => !kept.includes(part)).reduce((sum, each) => sum + each.tokens, 0);
}
