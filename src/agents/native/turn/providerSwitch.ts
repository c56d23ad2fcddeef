// Tells the user when a conversation continues with another provider: encrypted parts of the previous one,
// such as its reasoning, are left out.
import type { AgentReport } from '../../../model/command.ts';
import type { Item, Turn } from '../../../model/state.ts';

type Notice = Extract<AgentReport, { kind: 'notice.added' }>;

/** The notice for the first turn after the change; undefined if nothing is left out. */
export function switchedNotice(history: readonly Turn[], model: string): Notice | undefined {
  const before = providerOf(
    history.findLast(({ usage }) => usage?.model !== undefined)?.usage?.model ?? model,
  );
  const now = providerOf(model);
  if (before === now || !history.some(({ items }) => items.some((item) => isSealedFor(item, before))))
    return undefined;
  return {
    kind: 'notice.added',
    level: 'info',
    text:
      `The conversation goes on with ${now}. What ${before} has kept in its own form, such as its ` +
      'thoughts, is left out of it.',
  };
}

function providerOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf('/')));
}

function isSealedFor(item: Item, provider: string): boolean {
  const meta = item.type === 'text' || item.type === 'tool' ? item.meta : undefined;
  return typeof meta === 'object' && meta !== null && 'for' in meta && meta['for'] === provider;
}
