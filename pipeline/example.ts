import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../drive/configuration/settings.ts';
import { runScenarios } from '../drive/run.ts';
import { readTrace } from '../exchange/cassette/read/cassette.ts';
import { type Example, exampleOf } from '../judge/mutation-testing/example.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import { prepareTarget } from './target.ts';

/**
 * A requirement as it passes and as it fails: the scenarios that show it are run against the embedded reference, and
 * the recorded traffic is then broken. Null where the reference shows no evidence for it.
 */
export async function exampleFor(id: string, catalogue: Catalogue): Promise<Example | null> {
  const reportDir = mkdtempSync(join(tmpdir(), 'assay-explain-'));
  try {
    // Without environment and configuration file: an example must not depend on where it is made.
    const flags = { only: [id], reportDir };
    const { configuration, close } = await prepareTarget(
      readSettings({ flags, env: {}, file: null, readText: () => '' }),
    );
    try {
      const { cassette } = await runScenarios(configuration);
      return exampleOf(catalogue, await readTrace(cassette), id);
    } finally {
      await close();
    }
  } finally {
    rmSync(reportDir, { recursive: true, force: true });
  }
}
