// Whether the palette for searching and commands is open.
import { signal } from '@preact/signals';

export const paletteOpen = signal(false);

export function openPalette(): void {
  paletteOpen.value = true;
}
