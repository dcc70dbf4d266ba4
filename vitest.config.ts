import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', '.compiled/**', 'assay-report/**'],
    globalSetup: ['cli/testing/compiled.ts'],
    // The compiled command runs as node loads it.
    server: { deps: { external: [/\/\.compiled\//] } },
    // Two workers: the machines that run this have two cores.
    maxWorkers: 2,
    // A worker loads the requirements once for all its test files; in a process for each file that took half of the time.
    // A test that changes state of the process (environment, nock) restores it.
    isolate: false,
    // How often random cases are tried: a tenth in `npm test`, all in the CI (`npm run test:thorough`).
    provide: { isThorough: process.env['ASSAY_THOROUGH'] === '1' },
    // Only against what hangs for ever. A test that fails is not tried again.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
