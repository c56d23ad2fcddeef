// The model of new sessions, and a form for a provider with an address of its own.
import { useState } from 'preact/hooks';
import { providerApiLabels, providerApis } from '../../../src/base/providerApis.ts';
import type { ProviderApi } from '../../../src/base/providerApis.ts';
import type { ExtensionRequests, ProviderRow } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { SettingField } from './SettingField.tsx';

interface DefaultModelProps {
  readonly providers: readonly ProviderRow[];
  readonly settings: ExtensionRequests['settings/read']['result'];
  readonly onChanged: () => void;
}

export function DefaultModel({ providers, settings, onChanged }: DefaultModelProps) {
  const models = providers.flatMap(({ id, models: own }) =>
    own.map((model) => ({ value: `${id}/${model.id}`, label: `${id}/${model.id}` })),
  );
  return (
    <SettingField
      settings={settings}
      path={['defaultModel']}
      label="Model of new sessions"
      empty="The first one that works"
      kind={models}
      onChanged={onChanged}
    />
  );
}

export function CustomProvider({ onChanged }: { readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const [fields, setFields] = useState(emptyFields);
  const { name, url, api, variable } = fields;
  const change = (next: Partial<typeof emptyFields>) => setFields({ ...fields, ...next });
  const add = async (event: Event) => {
    event.preventDefault();
    const value = { api, url: url.trim(), ...(variable === '' ? {} : { key: `\${env:${variable.trim()}}` }) };
    const path = ['providers', name.trim()];
    if (!(await run(() => client.requestExtension('settings/set', { path, value })))) return;
    setFields(emptyFields);
    onChanged();
  };
  return (
    <>
      <h3>Add another endpoint</h3>
      <form class="frame row-form" onSubmit={(event) => void add(event)}>
        <TextField label="Name" value={name} placeholder="lab" onChange={(next) => change({ name: next })} />
        <TextField
          label="Address"
          wide
          value={url}
          placeholder="https://models.example.com/v1"
          onChange={(next) => change({ url: next })}
        />
        <label class="field">
          <span class="label">API</span>
          <select
            class="input"
            value={api}
            onChange={({ currentTarget: { value } }) =>
              change({ api: providerApis.find((id) => id === value) ?? api })
            }
          >
            {providerApis.map((id) => (
              <option key={id} value={id}>
                {providerApiLabels[id]}
              </option>
            ))}
          </select>
        </label>
        <TextField
          label="Environment variable with the key"
          wide
          optional
          value={variable}
          placeholder="None needed"
          onChange={(next) => change({ variable: next })}
        />
        <button type="submit" class="btn primary" disabled={busy}>
          Add endpoint
        </button>
      </form>
    </>
  );
}

const emptyFields: {
  readonly name: string;
  readonly url: string;
  readonly api: ProviderApi;
  readonly variable: string;
} = { name: '', url: '', api: 'openai-chat', variable: '' };

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly wide?: boolean;
  readonly optional?: boolean;
  readonly onChange: (value: string) => void;
}

function TextField({ label, value, placeholder, wide = false, optional = false, onChange }: TextFieldProps) {
  return (
    <label class={`field ${wide ? 'wide' : ''}`}>
      <span class="label">{label}</span>
      <input
        class="input"
        required={!optional}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocapitalize="off"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
