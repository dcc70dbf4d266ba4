import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  '/scripts/choices/runs.proof.test.ts',
  '/cli/merged-parts.proof.test.ts',
  '/pipeline/twenty-runs.proof.test.ts',
  '/pipeline/run.proof.test.ts',
];

/** Starts the longest files first, then `*.slow.test.ts` and the like, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      if (LONGEST.some((path) => moduleId.endsWith(path))) return 0;
      return /\.\w+\.test\.ts$/.test(moduleId) ? 1 : 2;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

const { ASSAY_ROTATION: rotation, ASSAY_THOROUGH: thorough } = process.env;

/** All tests; the commands of package.json select by suffix (CONTRIBUTING.md). */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', '.compiled/**', 'assay-report/**'],
    globalSetup: ['cli/testing/compile-sources.ts'],
    setupFiles: ['exchange/testing/property-seed.ts'],
    // The compiled command must run as Node loads it.
    server: { deps: { external: [/\/\.compiled\//] } },
    // For two cores: tests spend a fifth of their time waiting for deadlines and processes, which a third worker uses.
    maxWorkers: 3,
    // Tests drop most of what they allocate: a large young generation takes a tenth of their time from the collector.
    execArgv: ['--max-semi-space-size=64'],
    // A worker loads the requirements once for all its files; one process per file takes twice as long. A test that
    // changes the state of its process (environment, nock) restores it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Tests try a tenth of their random cases unless thorough; CI tries another part for each commit (docs/proof.md).
    provide: {
      isThorough: thorough === '1',
      rotation: rotation ? Number(rotation) : null,
    },
    // The limits only stop tests that hang. Failed tests are not retried.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
