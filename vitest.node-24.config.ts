import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Suffixed test files that depend on the version of Node (signals, TLS, processes): names up to the first dot. */
const NODE_DEPENDENT_TESTS =
  'deprecations|exit-codes|interrupt|record-replay|run-faults|run-stops|run-waits|serve|tls|usage|watch|fuzz|crash|record-https|round-trip';
/** Folders that the package omits, or whose code hardly depends on the version of Node. */
const EXCLUDED_FOLDERS = [
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
      // V8 stops optimizing regular expressions in a process with much compiled code, where `x+$` on megabytes of text
      // exhausts its stack; this run always shows that.
      execArgv: ['--no-regexp-optimization'],
      exclude: [
        `**/!(${NODE_DEPENDENT_TESTS}).{slow,proof,docs,clients,crash}.test.ts`,
        ...EXCLUDED_FOLDERS.map((folder) => `${folder}/**`),
      ],
    },
  }),
);
