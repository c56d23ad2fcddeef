import type { ViteUserConfig } from 'vitest/config';

// Node 20 parses this certificate file at every start, which triples the start of each child. Tests stay on loopback.
delete process.env['NODE_EXTRA_CA_CERTS'];

const shared = {
  allowOnly: false,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A page shows a change a frame or more after it was made.
  expect: { poll: { timeout: 100_000 } },
};

/** For the laws over random logs, which are large. */
const setupFiles = ['test/kit/properties.ts'];

/** Code that starts nothing and keeps no state in its modules. */
const pure = ['src/{base,doors,host,model,protocols}/**/*.test.ts'];

/**
 * What runs on PostgreSQL, too: the laws of the doors on stored logs, and the faults in a short form. The long
 * form (`npm run faults:postgres`) adds all tests of the doors, more faults and more rounds.
 */
const isLong = process.env['PARLEY_POSTGRES_FORM'] === 'long';
const laws = ['src/doors/**/law.test.ts', 'src/doors/**/outbound/entries.test.ts'];
const faults = ['clientActions', 'kill', 'killedWriter', 'openAsk', 'pipe'];
const moreFaults = ['agent', 'clock', 'detachedTerminal', 'frames', 'provider', 'slowClient', 'soak'];
const onPostgres = [
  ...(isLong ? ['src/doors/**/*.test.ts'] : laws),
  `test/faults/{${[...faults, ...(isLong ? moreFaults : [])].join()}}.test.ts`,
];
/** Tests beside the store that start a PostgreSQL of their own, which they know how to do on Linux only. */
const onlyLinux = process.platform === 'linux' ? [] : ['src/io/store/postgres/**'];
const shortForm = { PARLEY_KILL_ROUNDS: '6', PARLEY_ACTION_ROUNDS: '15', PARLEY_WRITER_ROUNDS: '8' };

export default {
  test: {
    ...shared,
    globalSetup: 'test/temporary.ts',
    // Tests wait for programs most of their time; by default one core of two would stay idle.
    maxWorkers: '100%',
    projects: [
      // Loading its modules anew for every file takes longer than the tests themselves.
      {
        test: {
          ...shared,
          // The laws over random logs compute all the time, and a busy machine gives them little of it.
          testTimeout: 600_000,
          name: 'pure',
          include: pure,
          isolate: false,
          setupFiles,
        },
      },
      {
        test: {
          ...shared,
          name: 'programs',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...pure, ...onlyLinux],
        },
      },
      {
        test: {
          ...shared,
          name: 'postgres',
          include: onPostgres,
          globalSetup: 'test/kit/postgresProject.ts',
          isolate: false,
          setupFiles,
          env: { ...(isLong ? {} : shortForm), ...process.env, PARLEY_TEST_STORE: 'postgres' },
        },
      },
    ],
  },
} satisfies ViteUserConfig;
