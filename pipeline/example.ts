import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../drive/configuration/settings.ts';
import { runScenarios } from '../drive/run.ts';
import { isScenario } from '../drive/scenario/scenario.ts';
import { readTrace } from '../exchange/cassette/cassette.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import { type Example, exampleOf } from '../proof/example.ts';

import { prepareTarget } from './target.ts';

/**
 * A requirement as it passes and as it fails: the scenarios that show it are run against the embedded reference, and
 * the recorded traffic is then broken. Null where the reference shows no evidence for it.
 */
export async function exampleFor(id: string, catalogue: Catalogue): Promise<Example | null> {
  const reportDir = mkdtempSync(join(tmpdir(), 'assay-explain-'));
  try {
    // Without environment and configuration file: an example must not depend on where it is made.
    const flags = { only: [id], scenario: unlistedScenariosFor(id, catalogue), reportDir };
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

/**
 * Names of the scenarios that call an operation of the requirement, where it is too new for the list of what scenarios show. Empty
 * for all others: `only` selects by that list.
 */
function unlistedScenariosFor(id: string, { scenarios, requirementSets }: Catalogue): readonly string[] {
  if (scenarios.some(({ shows }) => shows?.has(id))) return [];
  const all = requirementSets.flatMap(({ requirements }) => requirements);
  const needed = all.find((one) => one.id === id)?.operations ?? [];
  return scenarios
    .filter(isScenario)
    .filter(({ operations }) => operations.some((one) => needed.includes(one)))
    .map(({ name }) => name);
}
