// The current time, updated twice a minute, for texts such as "5 min ago".
import { signal } from '@preact/signals';

export const now = signal(Date.now());

export function runClock(): void {
  setInterval(() => {
    now.value = Date.now();
  }, 30_000);
}
