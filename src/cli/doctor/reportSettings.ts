// Settings as they go into a bug report, which strangers read: also secrets are hidden that their owner would
// see in their own settings.
import { hiddenText, hideSecret } from '../../app/control/settingsView.ts';
import type { SourcedValue } from '../../io/settings/merge.ts';

export function reportSettings(values: readonly SourcedValue[]): readonly SourcedValue[] {
  const valueOf = new Map(values.map(({ key, value }) => [key, value]));
  return values.map((setting) => {
    const { key, value } = setting;
    if (typeof value !== 'string' || /^\$\{env:\w+\}$/.test(value)) return setting;
    // The list is in the order of its keys, in which argument 10 comes before argument 2.
    const before = key.replace(/(?<=\.args\[)\d+(?=\]$)/, (at) => String(Number(at) - 1));
    if (isSecretPlace.test(key) || (before !== key && namesSecret(valueOf.get(before))))
      return { ...setting, value: hiddenText };
    return hideSecret({ ...setting, value: withoutSecretParts(value) });
  });
}

/** Variables and headers are there for secrets, whatever their names; whoever knows a webhook can use it. */
const isSecretPlace = /\.(?:env|headers)\.|^notifications\.webhook$/;

const secretOption = '-{1,2}[\\w-]*(?:key|token|secret|passw|auth|credential|header)[\\w-]*|-[hukptwa]';

/** Whether an argument is an option whose secret is the next argument. */
function namesSecret(value: unknown): boolean {
  return typeof value === 'string' && new RegExp(`^(?:${secretOption})$`, 'i').test(value);
}

const optionWithSecret = new RegExp(`(^|\\s)(${secretOption})([= ]\\s*)("[^"]*"|'[^']*'|\\S+)`, 'gi');

/** A letter that is often an option for a password, with its value in the same word. */
const letterWithSecret = /(^|\s)(-[kptwa])(?!-)[^\s=]\S*/gi;

/** A variable that a command sets, or a member of JSON or of a program in an argument. */
const assignedSecret =
  /(?<![\w?&-])([\w-]*(?:key|token|secret|passw|pwd|passphrase|auth|credential)[\w-]*["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;'"]+)/gi;

/** Keys that tell by their form whose they are. */
const knownKey = /\b(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|npm_|hf_)[\w-]{8,}/g;

/** Options of a command line, and what an address says behind its question mark or number sign. */
function withoutSecretParts(text: string): string {
  return text
    .replaceAll(knownKey, hiddenText)
    .replaceAll(optionWithSecret, `$1$2$3${hiddenText}`)
    .replaceAll(letterWithSecret, `$1$2${hiddenText}`)
    .replaceAll(/(:\/\/[^\s#]*#)\S+/g, `$1${hiddenText}`)
    .replaceAll(/([?&][^=&#\s]+=)[^&#\s]+/g, `$1${hiddenText}`)
    .replaceAll(/\b((?:authorization|cookie|x-[\w-]+)\s*:\s*)[^'"]+/gi, `$1${hiddenText}`)
    .replaceAll(assignedSecret, `$1${hiddenText}`);
}
