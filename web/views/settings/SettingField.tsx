// One value of the settings: its field, where the value comes from, and the way back to the default.
import { useId, useState } from 'preact/hooks';
import type { ExtensionRequests } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';

export type Settings = ExtensionRequests['settings/read']['result'];

interface SettingFieldProps {
  readonly settings: Settings;
  readonly path: readonly string[];
  readonly label: string;
  readonly help?: string;
  /** Shown in an empty field. */
  readonly empty?: string;
  /** Choices make it a list, `number` a field for numbers. */
  readonly kind: 'number' | readonly { readonly value: string; readonly label: string }[];
  readonly onChanged: () => void;
}

export function SettingField(props: SettingFieldProps) {
  const { settings, path, label, help, onChanged } = props;
  const client = useClient();
  const id = useId();
  const { busy, run } = useHostAction();
  const found = settings.values.find(({ key }) => key === path.join('.'));
  /** A new key draws the field again with the stored value, so that a refused one does not stay in it. */
  const [version, setVersion] = useState(0);
  const set = async (value: unknown) => {
    await run(() => client.requestExtension('settings/set', { path, value }));
    setVersion(version + 1);
    onChanged();
  };
  return (
    <div class="field setting">
      <label for={id}>{label}</label>
      <Control
        {...props}
        key={version}
        id={id}
        disabled={busy}
        value={found?.value}
        onSet={(value) => void set(value)}
      />
      <p class="help">
        {help !== undefined && `${help} `}
        <Source source={found?.source} file={settings.file} />
        {found?.source === settings.file && (
          <>
            {' '}
            <button
              type="button"
              class="link"
              aria-label={`Reset ${label}`}
              disabled={busy}
              onClick={() => void set(null)}
            >
              Reset
            </button>
          </>
        )}
      </p>
    </div>
  );
}

/** Where a value comes from, in words. */
export function Source({ source, file }: { readonly source: string | undefined; readonly file: string }) {
  if (source === undefined) return <>Not set.</>;
  if (source === 'built-in') return <>Built-in default.</>;
  return (
    <>
      From <code title={source}>{source === file ? 'your settings file' : source}</code>.
    </>
  );
}

interface ControlProps extends SettingFieldProps {
  readonly id: string;
  readonly disabled: boolean;
  readonly value: unknown;
  readonly onSet: (value: unknown) => void;
}

function Control({ id, kind, empty = '', disabled, value, onSet }: ControlProps) {
  const shown = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (kind === 'number')
    return (
      <input
        id={id}
        class="input"
        type="number"
        min="0"
        step="any"
        placeholder={empty}
        disabled={disabled}
        defaultValue={shown}
        onChange={({ currentTarget: { value: typed } }) => onSet(typed === '' ? null : Number(typed))}
      />
    );
  return (
    <select
      id={id}
      class="input"
      disabled={disabled}
      value={shown}
      onChange={({ currentTarget: { value: chosen } }) => onSet(chosen === '' ? null : chosen)}
    >
      <option value="">{empty}</option>
      {kind.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
      {shown !== '' && !kind.some((choice) => choice.value === shown) && (
        <option value={shown}>{shown}</option>
      )}
    </select>
  );
}
