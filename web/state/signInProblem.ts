// Why the sign-in link by which the page was opened did not work.
import { signal } from '@preact/signals';

export const signInProblem = signal('');
