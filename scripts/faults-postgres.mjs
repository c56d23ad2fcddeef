// Faults on PostgreSQL. The judges kill and freeze hosts, kill the database and cut links while clients of
// all doors are at work: --rounds N (default 30) or --minutes N (for each of both), --hosts N (default 2),
// --sessions N (default 10 on each host), --seed N. The long run is --hosts 3 --sessions 67 --minutes 10.
// Then the tests of the doors and of faults run on PostgreSQL. --part doors (clients of all doors),
// --part judge (both judges) or --part suite runs a part.
import { readWishes, runTests } from './runFaults.mjs';

const { part, ...variables } = readWishes({
  rounds: { variable: 'PARLEY_POSTGRES_ROUNDS', otherwise: '30' },
  minutes: { variable: 'PARLEY_POSTGRES_MINUTES', otherwise: '0' },
  hosts: { variable: 'PARLEY_POSTGRES_HOSTS', otherwise: '2' },
  sessions: { variable: 'PARLEY_POSTGRES_SESSIONS', otherwise: '10' },
  part: { variable: 'part' },
});
const judges = { suite: [], doors: ['manyHosts'] }[part] ?? ['manyHosts', 'postgres'];
for (const judge of judges) runTests('programs', [`test/faults/${judge}.test.ts`], variables);
if (part === undefined || part === 'suite')
  runTests('postgres', [], { ...variables, PARLEY_POSTGRES_FORM: 'long' });
