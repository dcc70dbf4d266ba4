import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The tests without processes, large files, whole runs or thousands of random cases: an answer while one writes. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      globalSetup: [],
      exclude: [
        '**/{*fuzz,canary}.test.ts',
        'cli/{action,bad-targets,breaks,check,cleanup,dialect,dry-run,exit-codes,faults,gate,hostile,interrupt,list,mistakes}.test.ts',
        'cli/{partial-target,record-replay,recover,redact-pattern,resume,serve,tls,traffic,usage,watch}.test.ts',
        'drive/{preflight/claims,resume-state,run,run-faults,secrets}.test.ts',
        'exchange/{redaction/redactor,redaction/**/deltas,redaction/**/replacer,cassette/**/{incremental-finish,hostile-folder,line-buffer}}.test.ts',
        'judge/mutation-testing/run.test.ts',
        'pipeline/**',
        'proxy/record/{broken-off,crash,large,lock,record-https}.test.ts',
        'proxy/{adapters/vitest,replay/match-speed,replay/openai,verify/verify}.test.ts',
        'reference/files/lines.test.ts',
        'reports/html/browser.test.ts',
        'schemas/mock.test.ts',
        'scripts/**',
        'suites/shows.test.ts',
        'suites/generate/lists/fairness.test.ts',
      ],
    },
  }),
);
