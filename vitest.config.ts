import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', '.compiled/**', 'assay-report/**'],
    globalSetup: ['cli/testing/compiled.ts'],
    // Two workers: the machines that run this have two cores.
    maxWorkers: 2,
    // Only against what hangs for ever. A test that fails is not tried again.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
  },
});
