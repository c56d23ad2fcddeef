// Faults on PostgreSQL. The judge kills and freezes hosts and the database: --rounds N (default 30) or
// --minutes N, --hosts N (default 2), --sessions N (default 10 on each host), --seed N. The long run is
// --hosts 3 --sessions 67 --minutes 10. Then the tests of the doors and of faults run on PostgreSQL.
// --part judge or --part suite runs one of both.
import { readWishes, runTests } from './runFaults.mjs';

const { part, ...variables } = readWishes({
  rounds: { variable: 'PARLEY_POSTGRES_ROUNDS', otherwise: '30' },
  minutes: { variable: 'PARLEY_POSTGRES_MINUTES', otherwise: '0' },
  hosts: { variable: 'PARLEY_POSTGRES_HOSTS', otherwise: '2' },
  sessions: { variable: 'PARLEY_POSTGRES_SESSIONS', otherwise: '10' },
  part: { variable: 'part' },
});
if (part !== 'suite') runTests('programs', ['test/faults/postgres.test.ts'], variables);
if (part !== 'judge') runTests('postgres', [], { ...variables, PARLEY_POSTGRES_FORM: 'long' });
