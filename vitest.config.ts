import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', '.compiled/**', 'assay-report/**'],
    globalSetup: ['cli/testing/compiled.ts'],
    // Two workers: the machines that run this have two cores.
    maxWorkers: 2,
    // Only against what hangs for ever. A test that fails is not tried again.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A shared machine stalls now and then.
    retry: process.env['CI'] === 'true' ? 1 : 0,
  },
});
