// How full the context of a chat is and what it has cost, as a ring that opens the figures.
import { useContext } from 'preact/hooks';
import type { UsageInfo } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { formatTokens } from '../../text/format.ts';
import { MenuButton } from '../parts/Menu.tsx';
import { contextOf, totalOf } from '../parts/usage.ts';
import { OpenUsageContext } from '../running/openBeside.ts';

export function ContextMeter({ chat }: { readonly chat: ChatState }) {
  const { turns, activeTurn, turnsNextCursor } = chat;
  const client = useClient();
  const openUsage = useContext(OpenUsageContext);
  const usages = [...turns, ...(activeTurn ? [activeTurn] : [])].flatMap(({ usage }) => usage ?? []);
  const context = contextOf(usages.at(-1));
  const { cost } = totalOf(usages);
  if (usages.length === 0) return null;
  const texts = [
    ...(context === undefined ? [] : [`${context.percent} % used`]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
  ];
  return (
    <MenuButton
      class="picker meter"
      label={`Context: ${texts.join(', ')}`}
      title="Context and cost"
      menu="Context and cost"
      kind="dialog"
      face={
        <>
          <span class="ring" style={{ '--v': String(context?.percent ?? 0) }} />
          {context === undefined ? texts.at(-1) : `${context.percent} %`}
        </>
      }
    >
      {(close) => (
        <>
          <Figures usages={usages} isAll={turnsNextCursor === undefined} />
          {openUsage && client.access.value !== undefined && (
            <button
              type="button"
              class="item"
              onClick={() => {
                close();
                openUsage();
              }}
            >
              Details
            </button>
          )}
        </>
      )}
    </MenuButton>
  );
}

interface FiguresProps {
  readonly usages: readonly UsageInfo[];
  /** False if earlier turns are not loaded. */
  readonly isAll: boolean;
}

function Figures({ usages, isAll }: FiguresProps) {
  const { input, output, cached, cost } = totalOf(usages);
  const context = contextOf(usages.at(-1));
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Context now', context && `${formatTokens(context.used)} of ${formatTokens(context.size)}`],
    ['Input tokens', input === undefined ? undefined : formatTokens(input)],
    ['From the cache', cached === undefined ? undefined : formatTokens(cached)],
    ['Output tokens', output === undefined ? undefined : formatTokens(output)],
    [
      isAll ? 'Cost of this chat' : `Cost of the last ${usages.length} turns`,
      cost === undefined ? undefined : `$${cost.toFixed(4)}`,
    ],
  ];
  return (
    <div class="usage">
      <b>Context and cost</b>
      <dl>
        {rows.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </div>
  );
}
