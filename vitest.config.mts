import type { ViteUserConfig } from 'vitest/config';

// Node 20 parses this certificate file at every start, which triples the start of each child. Tests stay on loopback.
delete process.env['NODE_EXTRA_CA_CERTS'];

export default {
  test: {
    include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/temporary.ts',
    allowOnly: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A page shows a change a frame or more after it was made.
    expect: { poll: { timeout: 25_000 } },
  },
} satisfies ViteUserConfig;
