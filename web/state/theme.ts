// Light or dark, or whatever the system says.
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const storedAs = 'parley.theme';

export const theme = signal<Theme>('system');

export function applyTheme(): void {
  const stored = localStorage.getItem(storedAs);
  if (stored === 'light' || stored === 'dark') theme.value = stored;
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem(storedAs, theme.value);
  });
}

/** What is in force now, for parts that cannot follow the style sheet. */
export function isDark(): boolean {
  return theme.value === 'system'
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : theme.value === 'dark';
}
