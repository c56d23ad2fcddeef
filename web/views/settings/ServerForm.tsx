// The form of an MCP server, to add or to change it: a command with its environment, or a URL with headers.
import { useState } from 'preact/hooks';
import type { ServerFields, ServerRow } from '../../../client/connection/extensions.ts';
import { useHostAction } from '../../state/hostData.ts';
import { toast } from '../../state/toasts.ts';
import { joinCommand, splitCommand } from '../../text/commandLine.ts';
import { formatLines, parseLines } from '../../text/namedLines.ts';

interface ServerFormProps {
  /** Absent for a new server. */
  readonly server?: ServerRow;
  readonly save: (fields: ServerFields) => Promise<unknown>;
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}

export function ServerForm({ server, save, onSaved, onCancel }: ServerFormProps) {
  const { busy, run } = useHostAction();
  const [name, setName] = useState(server?.name ?? '');
  const [reach, setReach] = useState(server ? reachText(server) : '');
  const [more, setMore] = useState(server ? moreText(server) : '');
  const isRemote = isAddress(reach);
  const submit = async (event: Event) => {
    event.preventDefault();
    const fields = fieldsOf(name.trim(), reach.trim(), more);
    if ('problem' in fields) return toast('problem', fields.problem);
    if (!(await run(() => save(fields)))) return;
    if (!server) [setName, setReach, setMore].forEach((clear) => clear(''));
    onSaved();
  };
  return (
    <form class={server ? 'row-form' : 'frame row-form'} onSubmit={(event) => void submit(event)}>
      {!server && <LineField label="Name" value={name} onChange={setName} />}
      <LineField
        label="Command or URL"
        kind="wide"
        value={reach}
        placeholder="npx -y some-server, or https://…"
        onChange={setReach}
      />
      <label class="field whole">
        <span class="label">{isRemote ? 'Headers' : 'Environment'}</span>
        <textarea
          class="input mono"
          rows={2}
          value={more}
          placeholder={isRemote ? 'Authorization: Bearer …' : 'API_TOKEN=…'}
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => setMore(event.currentTarget.value)}
        />
        <span class="help">One per line. Secrets are stored outside the settings file.</span>
      </label>
      <button type="submit" class="btn primary" disabled={busy}>
        {server ? 'Save' : 'Add'}
      </button>
      {onCancel && (
        <button type="button" class="btn ghost" onClick={onCancel}>
          Cancel
        </button>
      )}
    </form>
  );
}

interface LineFieldProps {
  readonly label: string;
  /** A wide field is for code. */
  readonly kind?: 'wide' | '';
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
}

function LineField({ label, kind = '', value, placeholder = '', onChange }: LineFieldProps) {
  return (
    <label class={`field ${kind}`}>
      <span class="label">{label}</span>
      <input
        class={kind === 'wide' ? 'input mono' : 'input'}
        required
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocapitalize="off"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

export function reachText({ reach }: Pick<ServerRow, 'reach'>): string {
  return 'url' in reach ? reach.url : joinCommand([reach.command, ...reach.args]);
}

function moreText({ reach, env, headers }: ServerRow): string {
  return 'url' in reach ? formatLines(headers, ':') : formatLines(env, '=');
}

function isAddress(reach: string): boolean {
  return /^https?:\/\//.test(reach.trim());
}

function fieldsOf(server: string, reach: string, more: string): ServerFields | { readonly problem: string } {
  const named = parseLines(more, isAddress(reach) ? ':' : '=');
  if ('wrong' in named) return { problem: `This line has no name and value: ${named.wrong}` };
  if (isAddress(reach)) return { server, url: reach, headers: named.values };
  const words = splitCommand(reach);
  if (!words) return { problem: 'A quote of the command is not closed, or a backslash ends it.' };
  const [command = '', ...args] = words;
  return { server, command, args, env: named.values };
}
