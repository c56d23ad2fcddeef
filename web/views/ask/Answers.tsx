// The answers to an approval: how long to allow, Allow, Edit, and Deny joined to its reason.
import type { RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { ConfirmationOption } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf } from '../../state/route.ts';
import { isLastingEffect, scopeOf } from './scopes.ts';
import type { Scope } from './scopes.ts';

/** What single letters and digits do while the card has the focus. */
export type AnswerKeys = { readonly [key: string]: () => void };

interface AnswersProps {
  readonly options: readonly ConfirmationOption[];
  readonly answering: boolean;
  readonly mayAllow: boolean;
  readonly keys: RefObject<AnswerKeys>;
  readonly onAllow: (option: ConfirmationOption) => void;
  readonly onDeny: (option: ConfirmationOption, reason: string) => void;
  /** Absent if the input cannot be edited, or is being edited. */
  readonly onEdit: (() => void) | undefined;
}

export function Answers({ options, answering, mayAllow, keys, onAllow, onDeny, onEdit }: AnswersProps) {
  const mayRemember = useHasRole('control');
  const [reason, setReason] = useState('');
  const [chosen, setChosen] = useState(0);
  const offered = options.filter((option) => mayRemember || !isLastingEffect(option));
  const scopes = offered.filter(({ kind }) => kind !== 'deny').map(scopeOf);
  const denials = offered.filter(({ kind }) => kind === 'deny');
  const scope = scopes[chosen] ?? scopes[0];
  const [denial] = denials;
  const allow = (): void => {
    if (scope && mayAllow && !answering) onAllow(scope.option);
  };
  const deny = (): void => {
    if (denial && !answering) onDeny(denial, reason);
  };
  const digits = scopes.map((_, index) => [String(index + 1), () => setChosen(index)] as const);
  keys.current = { a: allow, d: deny, ...present({ e: onEdit }), ...Object.fromEntries(digits) };
  return (
    <>
      {scopes.length > 1 && <ScopeChoice scopes={scopes} chosen={scope} onChoose={setChosen} />}
      <div class="answers" role="group" aria-label="Answer">
        {scope && (
          <button type="button" class="btn primary" disabled={answering || !mayAllow} onClick={allow}>
            {scope.button}
            <Key name="A" />
          </button>
        )}
        {onEdit && (
          <button type="button" class="btn" disabled={answering} onClick={onEdit}>
            Edit
            <Key name="E" />
          </button>
        )}
        {denials.slice(1).map((option) => (
          <button
            key={option.id}
            type="button"
            class="btn danger"
            disabled={answering}
            onClick={() => onDeny(option, reason)}
          >
            {option.label}
          </button>
        ))}
        {denial && (
          <Denial
            label={denial.label}
            reason={reason}
            disabled={answering}
            onReason={setReason}
            onDeny={deny}
          />
        )}
      </div>
    </>
  );
}

interface DenialProps {
  readonly label: string;
  readonly reason: string;
  readonly disabled: boolean;
  readonly onReason: (reason: string) => void;
  readonly onDeny: () => void;
}

/** The button and its reason are one control: the reason goes to the agent. */
function Denial({ label, reason, disabled, onReason, onDeny }: DenialProps) {
  return (
    <form
      class="deny"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny();
      }}
    >
      <input
        class="input"
        dir="auto"
        aria-label="Tell the agent what to do instead (optional)"
        placeholder="Tell the agent what to do instead (optional)"
        value={reason}
        disabled={disabled}
        onInput={(event) => onReason(event.currentTarget.value)}
      />
      <button type="submit" class="btn danger" disabled={disabled}>
        {label}
        <Key name="D" />
      </button>
    </form>
  );
}

function Key({ name }: { readonly name: string }) {
  return <kbd aria-hidden="true">{name}</kbd>;
}

interface ScopeChoiceProps {
  readonly scopes: readonly Scope[];
  readonly chosen: Scope | undefined;
  readonly onChoose: (index: number) => void;
}

/** The first option, the narrowest, is chosen at first; the sentence below says what the chosen one does. */
function ScopeChoice({ scopes, chosen, onChoose }: ScopeChoiceProps) {
  const name = useId();
  return (
    <fieldset class="scope">
      <legend class="unseen">How long to allow this</legend>
      <div class="scope-line">
        <span class="legend" aria-hidden="true">
          Allow
        </span>
        <div class="segment small">
          {scopes.map((scope, index) => (
            <label key={scope.option.id}>
              <input type="radio" name={name} checked={scope === chosen} onChange={() => onChoose(index)} />
              {scope.label}
            </label>
          ))}
        </div>
      </div>
      <p class="scope-says" aria-live="polite">
        {chosen?.says}
        {chosen?.isSaved === true && (
          <>
            {' '}
            Revoke it any time under{' '}
            <a href={addressOf({ page: 'settings', section: 'permissions' })}>Permissions</a>.
          </>
        )}
      </p>
    </fieldset>
  );
}
