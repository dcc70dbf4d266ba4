import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Slow tests of what depends on the version of Node: signals, TLS, sockets and processes. */
const OF_PROCESSES = [
  ...['exit-codes', 'interrupt', 'record-replay', 'serve', 'tls', 'usage', 'watch'],
  ...['fuzz', 'crash', 'record-https', 'round-trip'],
];

/** Folders that compute: of their tests only these ask Node for sockets or for compression. */
const USING_NODE = ['exchanges', 'bases'];
const COMPUTING = ['bench', 'explain', 'judge', 'proof', 'reports', 'schemas', 'scripts', 'suites'];

/** The fast tests of what uses Node, and the slow ones that another version of it may change. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      // Beside the install matrix.
      maxWorkers: 2,
      exclude: [
        `**/!(${OF_PROCESSES.join('|')}).slow.test.ts`,
        ...COMPUTING.map((folder) => `${folder}/**/!(*.slow|${USING_NODE.join('|')}).test.ts`),
      ],
    },
  }),
);
