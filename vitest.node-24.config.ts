import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Tests with a suffix that depend on the version of Node: signals, TLS, sockets, streams and processes. */
const OF_PROCESSES = [
  ...['exit-codes', 'interrupt', 'record-replay', 'serve', 'tls', 'usage', 'watch'],
  ...['fuzz', 'crash', 'record-https', 'round-trip'],
];
const COMPUTING = [
  'bench',
  'exchange/har',
  'exchange/redaction',
  'explain',
  'extension',
  'judge',
  'proof',
  'reports',
  'schemas',
  'scripts',
  'suites',
];

export default mergeConfig(
  base,
  defineConfig({
    test: {
      // The install matrix runs at the same time.
      maxWorkers: 2,
      exclude: [
        `**/!(${OF_PROCESSES.join('|')}).{slow,proof,docs,clients,crash}.test.ts`,
        ...COMPUTING.map((folder) => `${folder}/**`),
      ],
    },
  }),
);
