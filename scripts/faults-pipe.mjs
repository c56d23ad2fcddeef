// Kills the host under clients on stdio, which stay connected: --rounds N (default 100), --seed N.
import { runFaults } from './runFaults.mjs';

runFaults('test/faults/pipe.test.ts', { rounds: { variable: 'PARLEY_KILL_ROUNDS', otherwise: '100' } });
