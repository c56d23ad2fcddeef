import type { ViteUserConfig } from 'vitest/config';

// Node 20 parses this certificate file at every start, which triples the start of each child. Tests stay on loopback.
delete process.env['NODE_EXTRA_CA_CERTS'];

const shared = {
  allowOnly: false,
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // A page shows a change a frame or more after it was made.
  expect: { poll: { timeout: 25_000 } },
};

/** Code that starts nothing and keeps no state in its modules. */
const pure = ['src/{base,doors,host,model,protocols}/**/*.test.ts'];

export default {
  test: {
    ...shared,
    globalSetup: 'test/temporary.ts',
    // Tests wait for programs most of their time; by default one core of two would stay idle.
    maxWorkers: '100%',
    projects: [
      // Loading its modules anew for every file takes longer than the tests themselves.
      { test: { ...shared, name: 'pure', include: pure, isolate: false } },
      {
        test: {
          ...shared,
          name: 'programs',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...pure],
        },
      },
    ],
  },
} satisfies ViteUserConfig;
