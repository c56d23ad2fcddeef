// The limits of a turn and of a session: what stops an agent that spends too much.
import { useHostData } from '../../state/hostData.ts';
import { SettingField } from './SettingField.tsx';

const fields = [
  { path: ['limits', 'money'], label: 'Cost of a turn, in USD', empty: 'No limit' },
  { path: ['limits', 'session', 'money'], label: 'Cost of a session, in USD', empty: 'No limit' },
  { path: ['limits', 'tokens'], label: 'Tokens of a turn', empty: 'No limit' },
  { path: ['limits', 'session', 'tokens'], label: 'Tokens of a session', empty: 'No limit' },
  { path: ['limits', 'steps'], label: 'Requests of a turn', empty: '' },
  { path: ['limits', 'compactAt'], label: 'Compact at this much context, in percent', empty: '' },
] as const;

export function Budgets() {
  const { value: settings, problem, reload } = useHostData('settings/read', {});
  return (
    <>
      <h3>Budgets</h3>
      <p class="lead">A turn that reaches a limit stops and says so; you decide how it goes on.</p>
      {problem !== undefined && <p class="field-error">{problem}</p>}
      {settings && (
        <div class="frame setting-grid">
          {fields.map((field) => (
            <SettingField
              key={field.label}
              {...field}
              settings={settings}
              kind="number"
              onChanged={() => void reload()}
            />
          ))}
        </div>
      )}
    </>
  );
}
