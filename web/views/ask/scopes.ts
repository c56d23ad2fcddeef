// How long an approval holds: a short label and a sentence that says the consequence, for each option. Pure.
import type { ConfirmationOption } from '../../../src/protocols/ahp/v1_0/toolCall.ts';

export interface Scope {
  readonly option: ConfirmationOption;
  readonly label: string;
  readonly says: string;
}

const known: Readonly<Record<string, readonly [label: string, says: string]>> = {
  allow: ['Once', 'Only this call. Nothing is saved.'],
  'allow-session': ['This session', 'Calls like this one run without asking until this session ends.'],
  'allow-folder': ['This folder', 'Saves a rule for this folder.'],
  'allow-always': [
    'Everywhere',
    'Saves a rule: calls like this one run without asking in every folder on this computer.',
  ],
};

/** Hosts that are not Parley do not say how long an answer holds; then its label has to. */
export function scopeOf(option: ConfirmationOption): Scope {
  const { label, _meta: ours } = option;
  const found = known[String(ours?.['effect'])];
  const says = ours?.['says'];
  if (found) return { option, label: found[0], says: typeof says === 'string' ? says : found[1] };
  const short = label.replace(/^allow (?:in |for )?/i, '');
  return { option, label: short.charAt(0).toUpperCase() + short.slice(1), says: '' };
}

/** Answers that outlive the session are refused to devices that may only approve. */
export function isLasting({ _meta: ours }: ConfirmationOption): boolean {
  const effect = String(ours?.['effect']);
  return ['allow-always', 'allow-folder', 'deny-always'].includes(effect);
}
