// Kills and freezes hosts on one PostgreSQL, and the database: --rounds N (default 30), --sessions N
// (default 10 on each host), --seed N.
import { runFaults } from './runFaults.mjs';

runFaults('test/faults/postgres.test.ts', {
  rounds: { variable: 'PARLEY_POSTGRES_ROUNDS', otherwise: '30' },
  sessions: { variable: 'PARLEY_POSTGRES_SESSIONS', otherwise: '10' },
});
