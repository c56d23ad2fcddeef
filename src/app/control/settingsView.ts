// Settings as users see them: secrets are hidden.
import type { SourcedValue } from '../../io/settings/merge.ts';

/** Stands in for a value that nobody is shown. */
export const hiddenText = '[hidden]';

/**
 * Hides values that look like secrets, and passwords in URLs. A reference such as ${env:NAME} stays visible.
 */
export function hideSecret(setting: SourcedValue): SourcedValue {
  const { key, value } = setting;
  if (typeof value !== 'string') return setting;
  if (
    /(?:authorization|cookie|token|secret|password|key)[^.]*$/i.test(key) &&
    !/^(?:\w+ )?\$\{env:\w+\}$/.test(value)
  )
    return { ...setting, value: hiddenText };
  return { ...setting, value: value.replace(/(\/\/)[^/@\s]+@/, '$1[hidden]@') };
}
