import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, from the longest on. */
const LONGEST = [
  'scripts/docs-commands',
  'cli/faults',
  'pipeline/run',
  'proxy/record/crash',
  'cli/less-able-models',
  'scripts/package',
  'scripts/contributing',
  'scripts/choices/runs',
  'cli/real-clients',
  'pipeline/client-mistakes',
].map((path) => `/${path}.slow.test.ts`);

/** Starts long files early, so that no worker is left alone with one at the end. On a fresh machine vitest knows no durations. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

function rank(file: string): number {
  const place = LONGEST.findIndex((end) => file.endsWith(end));
  if (place >= 0) return place;
  return file.endsWith('.slow.test.ts') ? LONGEST.length : LONGEST.length + 1;
}

const { ASSAY_ROTATION: ROTATION } = process.env;

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', '.compiled/**', 'assay-report/**'],
    globalSetup: ['cli/testing/compiled.ts'],
    setupFiles: ['exchange/testing/property-seed.ts'],
    // The compiled command runs as node loads it.
    server: { deps: { external: [/\/\.compiled\//] } },
    // The machines that run this have two cores. Tests wait a fifth of their time, for deadlines and processes, in which the third
    // worker has a core.
    maxWorkers: 3,
    // A worker loads the requirements once for all its test files; in a process for each file that took half of the time.
    // A test that changes state of the process (environment, nock) restores it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // How often random cases are tried: a tenth in `npm test`, all with `npm run test:thorough`, of
    // which each commit in CI tries a part (docs/proof.md).
    provide: {
      isThorough: process.env['ASSAY_THOROUGH'] === '1',
      rotation: ROTATION ? Number(ROTATION) : null,
    },
    // Only against what hangs for ever. A test that fails is not tried again.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
