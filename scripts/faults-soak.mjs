// Random clients use a host that is stopped and killed again and again: --minutes N (default 30), --seed N.
import { runFaults } from './runFaults.mjs';

runFaults('test/faults/soak.test.ts', { minutes: { variable: 'PARLEY_SOAK_MINUTES', otherwise: '30' } });
