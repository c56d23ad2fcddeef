// The colour theme: light, dark, or the system's choice.
import { effect, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'parley.theme';

export const theme = signal<Theme>('system');

export function applyTheme(): void {
  const stored = localStorage.getItem(storageKey);
  if (stored === 'light' || stored === 'dark') theme.value = stored;
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem(storageKey, theme.value);
  });
}

/** The effective theme, for parts that cannot use the style sheet. */
export function isDark(): boolean {
  return theme.value === 'system'
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : theme.value === 'dark';
}

/** The same, for a component that is to follow it. */
export function useDark(): boolean {
  const [, setSystem] = useState(false);
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const read = () => setSystem(system.matches);
    system.addEventListener('change', read);
    return () => system.removeEventListener('change', read);
  }, []);
  return isDark();
}
