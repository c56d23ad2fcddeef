// A form with a name and a command line, for adding agents and MCP servers.
import { useState } from 'preact/hooks';
import { useHostAction } from '../../state/hostData.ts';

interface AddFormProps {
  readonly title: string;
  /** The label of the command line. */
  readonly label: string;
  readonly placeholder: string;
  readonly add: (name: string, line: string) => Promise<unknown>;
  readonly onChanged: () => void;
}

export function AddForm({ title, label, placeholder, add, onChanged }: AddFormProps) {
  const { busy, run } = useHostAction();
  const [name, setName] = useState('');
  const [line, setLine] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!(await run(() => add(name.trim(), line.trim())))) return;
    setName('');
    setLine('');
    onChanged();
  };
  return (
    <>
      <h3>{title}</h3>
      <form class="frame row-form" onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span class="label">Name</span>
          <input
            class="input"
            required
            value={name}
            spellcheck={false}
            autocapitalize="off"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field wide">
          <span class="label">{label}</span>
          <input
            class="input mono"
            required
            value={line}
            placeholder={placeholder}
            spellcheck={false}
            autocapitalize="off"
            onInput={(event) => setLine(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="btn primary" disabled={busy}>
          Add
        </button>
      </form>
    </>
  );
}
