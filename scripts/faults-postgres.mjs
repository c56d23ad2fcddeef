// Kills and freezes hosts on one PostgreSQL, and the database: --rounds N (default 30) or --minutes N,
// --hosts N (default 2), --sessions N (default 10 on each host), --seed N. The long run is
// --hosts 3 --sessions 67 --minutes 10.
import { runFaults } from './runFaults.mjs';

runFaults('test/faults/postgres.test.ts', {
  rounds: { variable: 'PARLEY_POSTGRES_ROUNDS', otherwise: '30' },
  minutes: { variable: 'PARLEY_POSTGRES_MINUTES', otherwise: '0' },
  hosts: { variable: 'PARLEY_POSTGRES_HOSTS', otherwise: '2' },
  sessions: { variable: 'PARLEY_POSTGRES_SESSIONS', otherwise: '10' },
});
