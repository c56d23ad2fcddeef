// The title of the browser tab: how many sessions wait, then what the page shows.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export const pageTitle = signal<readonly string[]>([]);

/** Names the page as long as the calling component is shown. */
export function usePageTitle(...parts: readonly string[]): void {
  const text = parts.join('\n');
  useEffect(() => {
    pageTitle.value = parts;
    return () => {
      pageTitle.value = [];
    };
  }, [text]);
}

export function titleText(parts: readonly string[], waiting: number): string {
  const name = [...parts.filter((part) => part !== ''), 'Parley'].join(' · ');
  return waiting === 0 ? name : `(${waiting}) ${name}`;
}
