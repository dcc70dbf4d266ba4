import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Slow tests of what depends on the version of Node: signals, TLS, sockets and processes. */
const OF_PROCESSES = [
  ...['exit-codes', 'interrupt', 'record-replay', 'serve', 'tls', 'usage', 'watch'],
  ...['fuzz', 'crash', 'record-https', 'round-trip'],
];

/** The fast tests, and the slow ones that another version of Node may change. */
export default mergeConfig(
  base,
  defineConfig({ test: { exclude: [`**/!(${OF_PROCESSES.join('|')}).slow.test.ts`] } }),
);
