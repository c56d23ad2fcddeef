// A form for settings that the host describes by a schema: enumerations, strings, numbers and booleans.
import { useId } from 'preact/hooks';
import type { ConfigPropertySchema } from '../../../src/protocols/ahp/v1_0/content.ts';

interface ConfigFormProps {
  readonly properties: Readonly<Record<string, ConfigPropertySchema>>;
  readonly values: Readonly<Record<string, unknown>>;
  readonly onChange: (change: Readonly<Record<string, unknown>>) => void;
}

export function ConfigForm({ properties, values, onChange }: ConfigFormProps) {
  const simple = Object.entries(properties).filter(
    ([, { type, enum: choices }]) => choices !== undefined || ['string', 'number', 'boolean'].includes(type),
  );
  if (simple.length === 0) return null;
  return (
    <div class="config">
      {simple.map(([name, property]) => (
        <Setting
          key={name}
          property={property}
          value={values[name] ?? property.default}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
    </div>
  );
}

interface SettingProps {
  readonly property: ConfigPropertySchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Setting({ property, value, onChange }: SettingProps) {
  const id = useId();
  const { title, description, readOnly = false } = property;
  if (property.type === 'boolean') {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === true}
          disabled={readOnly}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>
          {title}
          {description !== undefined && <span class="help">{description}</span>}
        </span>
      </label>
    );
  }
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <Control id={id} property={property} value={value} onChange={onChange} />
      {description !== undefined && <p class="help">{description}</p>}
    </div>
  );
}

function Control({ id, property, value, onChange }: SettingProps & { readonly id: string }) {
  const { enum: choices, enumLabels = [], readOnly = false, type } = property;
  if (choices !== undefined) {
    const chosen = choices.findIndex((choice) => choice === (value ?? property.default));
    return (
      <select
        id={id}
        class="input"
        disabled={readOnly}
        value={String(chosen)}
        onChange={(event) => onChange(choices[Number(event.currentTarget.value)])}
      >
        {chosen < 0 && <option value="-1">Default</option>}
        {choices.map((choice, index) => (
          <option key={index} value={String(index)}>
            {enumLabels[index] ?? String(choice)}
          </option>
        ))}
      </select>
    );
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const change = (entered: string) => onChange(type === 'number' ? Number(entered) : entered);
  return (
    <input
      id={id}
      class="input"
      type="text"
      inputMode={type === 'number' ? 'decimal' : 'text'}
      disabled={readOnly}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
