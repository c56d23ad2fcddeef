// How long an approval holds: a short label and a sentence that says the consequence, for each option. Pure.
import type { ConfirmationOption } from '../../../src/protocols/ahp/v1_0/toolCall.ts';

export interface Scope {
  readonly option: ConfirmationOption;
  readonly label: string;
  /** The text of the button. */
  readonly button: string;
  readonly says: string;
  /** Whether the answer adds a rule to those on the page of permissions. */
  readonly isSaved: boolean;
}

type Words = readonly [label: string, button: string, says: string];

const known: Readonly<Record<string, Words>> = {
  allow: ['Once', 'Allow once', 'Only this call. Nothing is saved.'],
  'allow-session': [
    'This session',
    'Allow for this session',
    'Calls like this one run without asking until this session ends.',
  ],
  'allow-folder': ['This folder', 'Allow in this folder', 'Saves a rule for this folder.'],
  'allow-always': [
    'Everywhere',
    'Allow everywhere',
    'Saves a rule: calls like this one run without asking in every folder on this computer.',
  ],
};

/** Hosts that are not Parley do not say how long an answer holds; then its label has to. */
export function scopeOf(option: ConfirmationOption): Scope {
  const { label, _meta: ours } = option;
  const found = known[String(ours?.['effect'])];
  const says = ours?.['says'];
  const isSaved = isLastingEffect(option);
  if (found)
    return {
      option,
      label: found[0],
      button: found[1],
      says: typeof says === 'string' ? says : found[2],
      isSaved,
    };
  const short = label.replace(/^allow (?:in |for )?/i, '');
  const named = short.charAt(0).toUpperCase() + short.slice(1);
  return { option, label: named, button: label, says: '', isSaved };
}

/** Answers that outlive the session are refused to devices that may only approve. */
export function isLastingEffect({ _meta: ours }: ConfirmationOption): boolean {
  const effect = String(ours?.['effect']);
  return ['allow-always', 'allow-folder', 'deny-always'].includes(effect);
}

/** An edited call can be allowed once: a rule would be about the call as the agent asked for it. */
export function forEdited(options: readonly ConfirmationOption[]): readonly ConfirmationOption[] {
  const isOnce = ({ kind, _meta: ours }: ConfirmationOption) =>
    kind === 'deny' || ours?.['effect'] === 'allow';
  return options.some((option) => option.kind !== 'deny' && isOnce(option))
    ? options.filter(isOnce)
    : options;
}
