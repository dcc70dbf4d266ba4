// The runs that expected evidence is generated from: the same scenarios under conditions that a service and its caller choose freely.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configureForReference } from '../../drive/configuration/configuration.ts';
import { readSettings } from '../../drive/configuration/settings.ts';
import { runScenarios } from '../../drive/run.ts';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { evidenceByScenario, type ShownIds } from '../../explain/shown-evidence.ts';

import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { startReference } from '../../reference/service.ts';

/** Conditions of one run. */
export interface EvidenceRun {
  /** Printed while the run is made. */
  readonly name: string;
  /** Scenarios that run at the same time. */
  readonly concurrency: number;
  /** Whether the reference is driven as the embedded one: scenarios that list what others make run last. */
  readonly embedded: boolean;
  /** Seconds of the reference's clock that an object stays in a state; 0 until it is read. */
  readonly stateDelay: number;
  /** Decides the ids and the model of the reference. */
  readonly seed: number;
  /** Further options. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** Seconds of the reference's clock that pass in one second. */
const PACE = 10;

/** A requirement is expected of a scenario that shows it in all of these. */
export const EVIDENCE_RUNS: readonly EvidenceRun[] = [
  { name: 'embedded, 16 at once', concurrency: 16, embedded: true, stateDelay: 0, seed: 1 },
  { name: 'embedded, one at a time', concurrency: 1, embedded: true, stateDelay: 0, seed: 2 },
  { name: 'as a service, 16 at once', concurrency: 16, embedded: false, stateDelay: 0, seed: 3 },
  { name: 'as a service, one at a time', concurrency: 1, embedded: false, stateDelay: 0, seed: 4 },
  { name: 'states delayed, 16 at once', concurrency: 16, embedded: true, stateDelay: 3, seed: 5 },
  { name: 'states delayed, as a service', concurrency: 4, embedded: false, stateDelay: 8, seed: 6 },
];

/** The scenarios that need `--allow large`, which the other runs leave out. */
export const COSTLY_RUN: EvidenceRun = {
  name: 'large bodies',
  concurrency: 1,
  embedded: true,
  stateDelay: 0,
  seed: 7,
  flags: { allow: 'tokens,images,audio,training,bulk,large', scenario: '*.large' },
};

/** Drives the whole suite against a reference of its own, and attributes the evidence. */
export async function evidenceOfRun(catalogue: Catalogue, run: EvidenceRun): Promise<ShownIds> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-evidence-'));
  const apiKey = 'assay-the-key-of-an-evidence-run';
  const { concurrency, embedded, stateDelay, seed, flags: more } = run;
  const reference = await startReference({ apiKey, pace: PACE, stateDelay, seed, directory: folder });
  try {
    const flags = { ...more, reportDir: join(folder, 'report'), concurrency };
    const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
    const connection = { baseUrl: reference.url, apiKey, models: modelRoles, pace: PACE };
    const configuration = configureForReference(settings, connection, null);
    // A service is asked more slowly, and scenarios that list what others make run beside them.
    const target = { ...configuration.target, embedded };
    const { cassette, stopReason } = await runScenarios({ ...configuration, target });
    if (stopReason !== 'completed') throw new Error(`The run «${run.name}» ended early: ${stopReason}.`);
    return await evidenceOfCassette(catalogue, cassette);
  } finally {
    await reference.close();
    rmSync(folder, { recursive: true });
  }
}

/** The evidence of a whole run that is recorded already, of some requirements or of all. */
export async function evidenceOfCassette(
  catalogue: Catalogue,
  cassette: string,
  sought?: ShownIds,
): Promise<ShownIds> {
  return evidenceByScenario(catalogue, await readTrace(cassette), sought);
}
