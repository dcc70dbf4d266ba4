import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configureForReference } from '../../drive/configuration/configuration.ts';
import { readSettings } from '../../drive/configuration/settings.ts';
import { runScenarios } from '../../drive/run.ts';
import { reportOfCassette } from '../../pipeline/testing/report-of-cassette.ts';
import type { Selection } from '../../reference/choices/selection.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { startReference } from '../../reference/service.ts';
import type { Report } from '../../reports/report.ts';

/** How many seconds of the service's clock pass in one of ours, so that scenarios wait little for its next second. */
const PACE = 5;
/** The service checks keys, so that the scenarios about missing and wrong ones show something. */
const apiKey = 'assay-the-key-of-a-run-with-choices';

/**
 * The report of a run against a service in this process that takes these alternatives: of a whole run, or of the part that
 * `filter` selects by the flags of `assay run`, such as `{ scenario: 'chat.*' }`.
 * @throws Error when a scenario crashes.
 */
export async function runWithChoices(
  choices: Selection,
  filter: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-choices-'));
  const service = await startReference({ apiKey, pace: PACE, directory: join(folder, 'files'), choices });
  try {
    const flags = { ...filter, reportDir: join(folder, 'report') };
    const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
    const embedded = { baseUrl: service.url, apiKey, models: modelRoles, pace: PACE };
    const result = await runScenarios(configureForReference(settings, embedded, null));
    if (result.crashed.length > 0) throw new Error(`scenarios crashed: ${JSON.stringify(result.crashed)}`);
    return await reportOfCassette(result.cassette, settings);
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
}
