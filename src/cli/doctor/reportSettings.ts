// Settings as they go into a bug report, which strangers read: also secrets are hidden that their owner would
// see in their own settings.
import { hiddenText, hideSecret } from '../../app/control/settingsView.ts';
import type { SourcedValue } from '../../io/settings/merge.ts';

export function reportSettings(values: readonly SourcedValue[]): readonly SourcedValue[] {
  return values.map((setting, at) => {
    const { key, value } = setting;
    if (typeof value !== 'string' || /^\$\{env:\w+\}$/.test(value)) return setting;
    const before = values[at - 1];
    const isArgument = /\.args\[\d+\]$/.test(key);
    if (isSecretPlace.test(key) || (isArgument && before && namesSecret(before)))
      return { ...setting, value: hiddenText };
    return hideSecret({ ...setting, value: withoutSecretParts(value) });
  });
}

/** Variables and headers are there for secrets, whatever their names; whoever knows a webhook can use it. */
const isSecretPlace = /\.(?:env|headers)\.|^notifications\.webhook$/;

const secretOption = '-{1,2}[\\w-]*(?:key|token|secret|passw|auth|credential|header)[\\w-]*|-[hukptwa]';

/** Whether an argument is an option whose secret is the next argument. */
function namesSecret({ value }: SourcedValue): boolean {
  return typeof value === 'string' && new RegExp(`^(?:${secretOption})$`, 'i').test(value);
}

const optionWithSecret = new RegExp(`(^|\\s)(${secretOption})([= ]\\s*)("[^"]*"|'[^']*'|\\S+)`, 'gi');

/** A letter that is often an option for a password, with its value in the same word. */
const letterWithSecret = /(^|\s)(-[kptwa])(?!-)[^\s=]\S*/gi;

/** Options of a command line, and what an address says behind its question mark or number sign. */
function withoutSecretParts(text: string): string {
  return text
    .replaceAll(optionWithSecret, `$1$2$3${hiddenText}`)
    .replaceAll(letterWithSecret, `$1$2${hiddenText}`)
    .replaceAll(/(:\/\/[^\s#]*#)\S+/g, `$1${hiddenText}`)
    .replaceAll(/([?&][^=&#\s]+=)[^&#\s]+/g, `$1${hiddenText}`)
    .replaceAll(/\b((?:authorization|cookie|x-[\w-]+)\s*:\s*)[^'"]+/gi, `$1${hiddenText}`);
}
