// The user's settings file in an editor, and the effective settings with their sources.
import { useState } from 'preact/hooks';
import { useClient } from '../../state/app.ts';
import { useHostData, useHostAction } from '../../state/hostData.ts';
import { Loading } from '../parts/Loading.tsx';
import type { Settings } from './SettingField.tsx';
import { toast } from '../../state/toasts.ts';

export function SettingsFile() {
  const { value, problem, reload } = useHostData('settings/read', {});
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  if (value === undefined) return <Loading what="the list" />;
  return (
    <>
      {value.problems.map((text) => (
        <p key={text} class="field-error">
          {text}
        </p>
      ))}
      <Editor settings={value} onSaved={() => void reload()} />
      <h3>Effective settings</h3>
      <div class="frame table-box" tabIndex={0} role="group" aria-label="Effective settings">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {value.values.map(({ key, value: effective, source }) => (
              <tr key={key}>
                <td class="rule">
                  <code>{key}</code>
                </td>
                <td>
                  <code>{JSON.stringify(effective)}</code>
                </td>
                <td class="faint">{source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Editor({
  settings: { file, text },
  onSaved,
}: {
  readonly settings: Settings;
  readonly onSaved: () => void;
}) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const [edited, setEdited] = useState<string>();
  const shown = edited ?? text;
  const save = async (event: Event) => {
    event.preventDefault();
    if (!(await run(() => client.requestExtension('settings/write', { text: shown, was: text })))) return;
    toast('info', 'Saved.');
    setEdited(undefined);
    onSaved();
  };
  return (
    <form onSubmit={(event) => void save(event)}>
      <label class="field">
        <span class="label">Your settings</span>
        <textarea
          class="input mono"
          rows={Math.min(24, Math.max(8, shown.split('\n').length + 1))}
          spellcheck={false}
          autocapitalize="off"
          value={shown}
          placeholder={'{\n  "defaultModel": "provider/model"\n}'}
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
      </label>
      <p class="note">{file}</p>
      <button type="submit" class="btn primary" disabled={busy || edited === undefined || edited === text}>
        Save
      </button>
    </form>
  );
}
