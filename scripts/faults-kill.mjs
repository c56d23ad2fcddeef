// Kills the host at many moments and compares what clients were shown: --rounds N (default 500), --seed N.
import { runFaults } from './runFaults.mjs';

runFaults('test/faults/kill.test.ts', { rounds: { variable: 'PARLEY_KILL_ROUNDS', otherwise: '500' } });
