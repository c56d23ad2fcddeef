// What all sessions have used, by day, model, agent or session: a section of the settings.
import { useState } from 'preact/hooks';
import type { SpendingRow } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostData } from '../../state/hostData.ts';
import { formatCost, formatTokens } from '../../text/format.ts';
import { Loading } from '../parts/Loading.tsx';
import { shareOf, sumsBy } from './spending.ts';
import type { SpendingKey, SpendingSum } from './spending.ts';

const periods = [7, 30, 365] as const;

const keys: readonly (readonly [SpendingKey, string])[] = [
  ['day', 'Day'],
  ['model', 'Model'],
  ['agent', 'Agent'],
  ['session', 'Session'],
];

export function Spending() {
  const [days, setDays] = useState<number>(30);
  const [by, setBy] = useState<SpendingKey>('day');
  const { value: rows, problem } = useHostData('usage/totals', { days });
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  return (
    <>
      <p class="lead">
        Tokens and cost as the providers reported them, read from the logs of the sessions. A dash means that
        the price is unknown.
      </p>
      <div class="usage-choices">
        <Choices name="by" label="Group by" options={keys} value={by} onChange={setBy} />
        <Choices
          name="days"
          label="Period"
          options={periods.map((each) => [each, each === 365 ? '1 year' : `${each} days`])}
          value={days}
          onChange={setDays}
        />
      </div>
      {rows === undefined ? <Loading what="the figures" /> : <Sums rows={rows} by={by} />}
    </>
  );
}

interface ChoicesProps<Value extends string | number> {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [Value, string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Choices<Value extends string | number>(props: ChoicesProps<Value>) {
  const { name, label, options, value, onChange } = props;
  return (
    <fieldset class="segment fit">
      <legend class="unseen">{label}</legend>
      {options.map(([id, text]) => (
        <label key={id}>
          <input type="radio" name={name} checked={value === id} onChange={() => onChange(id)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

function Sums({ rows, by }: { readonly rows: readonly SpendingRow[]; readonly by: SpendingKey }) {
  const agents = useClient().root.state.value?.agents ?? [];
  const sums = sumsBy(rows, by);
  if (sums.length === 0) return <p class="empty">Nothing was used in this period</p>;
  const nameOf = ({ key, title }: SpendingSum) => {
    if (by === 'agent') return agents.find(({ provider }) => provider === key)?.displayName ?? key;
    return title === '' ? 'Unknown model' : title;
  };
  return (
    <div class="frame table-box" tabIndex={0} role="group" aria-label="Tokens and cost">
      <table class="table usage-table">
        <thead>
          <tr>
            <th scope="col">{keys.find(([key]) => key === by)?.[1]}</th>
            <th scope="col">Turns</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {sums.map((sum) => (
            <tr key={sum.key}>
              <td>
                <span class="truncate" dir="auto">
                  {nameOf(sum)}
                </span>
                <progress class="share" value={shareOf(sum, sums)} max={100} aria-hidden="true" />
              </td>
              <td>{sum.turns}</td>
              <td>{formatTokens(sum.input + sum.output)}</td>
              <td>{formatCost(sum.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
