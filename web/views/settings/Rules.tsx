// The approval rules of the settings and the permission mode of new sessions, each with the file it is from.
import { useState } from 'preact/hooks';
import type { RuleEffect } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction, useHostData } from '../../state/hostData.ts';
import { SettingField, Source } from './SettingField.tsx';
import type { Settings } from './SettingField.tsx';

const effects: readonly (readonly [RuleEffect, string])[] = [
  ['allow', 'Allow'],
  ['ask', 'Always ask'],
  ['deny', 'Deny'],
];

const modes = [
  { value: 'plan', label: 'Plan: changes nothing' },
  { value: 'ask', label: 'Ask: everything but reading asks' },
  { value: 'edits', label: 'Edits: edits in the folder run unasked' },
  { value: 'auto', label: 'Auto: commands run unasked in the sandbox, too' },
  { value: 'full', label: 'Full: everything runs unasked' },
];

export function Rules() {
  const { value: settings, problem, reload } = useHostData('settings/read', {});
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  if (!settings) return null;
  const changed = () => void reload();
  return (
    <>
      <h3>New sessions</h3>
      <SettingField
        settings={settings}
        path={['permissions', 'mode']}
        label="Permission mode"
        empty="Ask (default)"
        kind={modes}
        onChanged={changed}
      />
      <h3>Rules</h3>
      <p class="lead">
        Rules hold for every session. A rule is a tool such as <code>write_file(src/**)</code> or a command
        such as <code>$ npm test *</code>.
      </p>
      <RuleList settings={settings} onChanged={changed} />
      <NewRule settings={settings} onChanged={changed} />
    </>
  );
}

interface RuleProps {
  readonly settings: Settings;
  readonly onChanged: () => void;
}

function RuleList({ settings, onChanged }: RuleProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const rows = effects.flatMap(([effect, label]) =>
    (settings.rules[effect] ?? []).map((rule, index) => ({ effect, label, index, text: textOf(rule) })),
  );
  if (rows.length === 0) return <p class="empty">No rules in your settings</p>;
  const remove = async (effect: RuleEffect, index: number) => {
    const rest = (settings.rules[effect] ?? []).filter((_, at) => at !== index);
    const value = rest.length === 0 ? null : rest;
    await run(() => client.requestExtension('settings/set', { path: ['approvals', effect], value }));
    onChanged();
  };
  return (
    <ul class="list" aria-label="Rules">
      {rows.map(({ effect, label, index, text }) => (
        <li key={`${effect} ${index} ${text}`} class="item-row" aria-label={text}>
          <span class={`badge ${badges[effect]}`}>{label}</span>
          <div class="main-text">
            <code>{text}</code>
            <p>
              <Source source={settings.file} file={settings.file} />
            </p>
          </div>
          <div class="end">
            <button
              type="button"
              class="btn small danger"
              aria-label={`Remove ${text}`}
              disabled={busy}
              onClick={() => void remove(effect, index)}
            >
              Remove
            </button>
          </div>
        </li>
      ))}
    </ul>
  );
}

const badges: Readonly<Record<RuleEffect, string>> = { allow: 'ok', ask: '', deny: 'bad' };

function textOf(rule: unknown): string {
  return typeof rule === 'string' ? rule : JSON.stringify(rule);
}

function NewRule({ settings, onChanged }: RuleProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const [effect, setEffect] = useState<RuleEffect>('allow');
  const [text, setText] = useState('');
  const add = async (event: Event) => {
    event.preventDefault();
    const value = [...(settings.rules[effect] ?? []), text.trim()];
    if (!(await run(() => client.requestExtension('settings/set', { path: ['approvals', effect], value }))))
      return;
    setText('');
    onChanged();
  };
  return (
    <form class="frame row-form" onSubmit={(event) => void add(event)}>
      <label class="field">
        <span class="label">What to do</span>
        <select
          class="input"
          value={effect}
          onChange={({ currentTarget: { value } }) =>
            setEffect(effects.find(([each]) => each === value)?.[0] ?? effect)
          }
        >
          {effects.map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="field wide">
        <span class="label">Rule</span>
        <input
          class="input mono"
          required
          value={text}
          placeholder="$ npm test *"
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="btn primary" disabled={busy}>
        Add rule
      </button>
    </form>
  );
}
