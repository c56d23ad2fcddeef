// The time, told twice a minute, for texts that say how long ago something was.
import { signal } from '@preact/signals';

export const now = signal(Date.now());

export function runClock(): void {
  setInterval(() => {
    now.value = Date.now();
  }, 30_000);
}
