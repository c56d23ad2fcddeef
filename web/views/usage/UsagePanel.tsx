// Context and cost of the open chat: what fills the context, and tokens and cost by turn and of the session.
import { useEffect } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import type { ChatUsage, Spent } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostData } from '../../state/hostData.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf } from '../../state/route.ts';
import { formatCost, formatTokens, nameOf } from '../../text/format.ts';
import { sendMessage } from '../compose/sending.ts';
import { Loading } from '../parts/Loading.tsx';
import { ModelName } from './ModelName.tsx';
import { ContextParts } from './ContextParts.tsx';

interface UsagePanelProps {
  readonly session: URI;
  readonly chat: Channel<ChatState>;
}

export function UsagePanel({ session, chat }: UsagePanelProps) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const idOf = (uri: URI) => decodeURIComponent(nameOf(uri));
  const params = { session: idOf(session), chat: idOf(chat.uri) };
  const { value: usage, problem, reload } = useHostData('usage/chat', params);
  const { turns = [], activeTurn } = chat.state.value ?? {};
  useEffect(() => void reload(), [turns.length, activeTurn?.usage]);
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  if (usage === undefined) return <Loading what="the figures" />;
  const compact = () =>
    void sendMessage({ client, channel: chat }, { text: '/compact', origin: { kind: 'user' } });
  return (
    <>
      <ContextParts usage={usage} onCompact={mayControl && !activeTurn ? compact : undefined} />
      <section class="usage-section" aria-label="Cost">
        <h3>Cost</h3>
        <dl class="usage-figures">
          <Figures name="This chat" spent={usage.chat} />
          <Figures name="This session, with sub-agents" spent={usage.session} />
        </dl>
        <a href={addressOf({ page: 'settings', section: 'usage' })}>All sessions by day, model and agent</a>
      </section>
      <TurnTable turns={usage.turns} />
    </>
  );
}

function Figures({
  name,
  spent: { input = 0, output = 0, cost },
}: {
  readonly name: string;
  readonly spent: Spent;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {formatTokens(input)} in · {formatTokens(output)} out · <b>{formatCost(cost)}</b>
      </dd>
    </div>
  );
}

function TurnTable({ turns }: Pick<ChatUsage, 'turns'>) {
  if (turns.length === 0) return null;
  return (
    <section class="usage-section" aria-label="By turn">
      <h3>By turn</h3>
      <div class="frame table-box" tabIndex={0} role="group" aria-label="Tokens and cost by turn">
        <table class="table usage-table">
          <thead>
            <tr>
              <th scope="col">Message</th>
              <th scope="col">Tokens</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {turns.map(({ id, text, model, input = 0, output = 0, cost }) => (
              <tr key={id}>
                <td>
                  <span class="truncate" dir="auto">
                    {text}
                  </span>
                  {model !== undefined && (
                    <small class="truncate">
                      <ModelName id={model} />
                    </small>
                  )}
                </td>
                <td>{formatTokens(input + output)}</td>
                <td>{formatCost(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
