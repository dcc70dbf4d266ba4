import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/**
 * The tests without the suffix `.slow.test.ts`: an answer while one writes. A slow test starts processes or the compiled
 * command, or takes more than about a second of the processor. These wait for nothing, so that a worker for each core is enough.
 */
export default mergeConfig(
  base,
  defineConfig({ test: { globalSetup: [], exclude: ['**/*.slow.test.ts'], maxWorkers: 2 } }),
);
