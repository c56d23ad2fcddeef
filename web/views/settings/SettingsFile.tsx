// The settings of the host: what holds and where it comes from, and the user's own file to change. Nothing that cannot be read again is stored.
import { useState } from 'preact/hooks';
import type { OwnRequests } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { useAsked, useDoing } from '../../state/asking.ts';
import { toast } from '../../state/toasts.ts';

type Settings = OwnRequests['settings/read']['result'];

export function SettingsFile() {
  const { value, problem, again } = useAsked('settings/read', {});
  if (problem !== undefined) return <p class="problem">{problem}</p>;
  if (value === undefined) return <p class="hint">Loading…</p>;
  return (
    <>
      {value.problems.map((text) => (
        <p key={text} class="problem">
          {text}
        </p>
      ))}
      <Editor settings={value} onStored={() => void again()} />
      <h2>What holds</h2>
      <div class="table-box" tabIndex={0} role="group" aria-label="What holds">
        <table>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {value.values.map(({ key, value: held, source }) => (
              <tr key={key}>
                <td>
                  <code>{key}</code>
                </td>
                <td>
                  <code>{JSON.stringify(held)}</code>
                </td>
                <td class="hint">{source}</td>
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
  onStored,
}: {
  readonly settings: Settings;
  readonly onStored: () => void;
}) {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const [edited, setEdited] = useState<string>();
  const shown = edited ?? text;
  const store = async (event: Event) => {
    event.preventDefault();
    if (!(await attempt(() => client.ask('settings/write', { text: shown, was: text })))) return;
    toast('info', 'Stored. It holds from now on.');
    setEdited(undefined);
    onStored();
  };
  return (
    <form onSubmit={(event) => void store(event)}>
      <label>
        <span>Your settings</span>
        <textarea
          class="code-field"
          rows={Math.min(24, Math.max(8, shown.split('\n').length + 1))}
          spellcheck={false}
          autocapitalize="off"
          value={shown}
          placeholder={'{\n  "defaultModel": "provider/model"\n}'}
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
      </label>
      <p class="hint place">{file}</p>
      <button type="submit" class="primary" disabled={busy || edited === undefined || edited === text}>
        Store
      </button>
    </form>
  );
}
