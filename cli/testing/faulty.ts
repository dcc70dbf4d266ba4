import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aimAtReference, type RunConfiguration } from '../../drive/configuration.ts';
import { Ledger } from '../../drive/ledger.ts';
import { perform } from '../../drive/perform.ts';
import { isScenario, type Scenario } from '../../drive/scenario.ts';
import { Scout } from '../../drive/scout.ts';
import { select } from '../../drive/select.ts';
import { type Recorder, Session } from '../../drive/session.ts';
import { readSettings } from '../../drive/settings.ts';
import { unrecorded } from '../../drive/unrecorded.ts';
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import type { Catalogue } from '../../judge/catalogue.ts';
import { judge } from '../../judge/court.ts';
import type { RequirementVerdict } from '../../judge/verdict.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { startReference } from '../../reference/service.ts';
import { families } from '../../schemas/index.ts';

/**
 * How fast the clock of the service runs: scenarios that wait for its next second wait little, and runs, which expire
 * ten minutes after they were made, have two of ours.
 */
const PACE = 5;

const apiKey = 'assay-the-key-of-a-faulty-service';

/** What the scenarios of one requirement show on a service with this fault, judged in memory. */
export async function verdictsWith(
  fault: string | undefined,
  requirement: string,
  catalogue: Catalogue,
): Promise<readonly RequirementVerdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-faulty-'));
  const reference = await startReference({ fault, apiKey, pace: PACE, directory: folder });
  try {
    const configuration = aimed(reference.url, requirement, folder);
    const scenarios = catalogue.scenarios.filter(isScenario);
    const { run } = select(scenarios, configuration, families());
    const items = await driven(run, configuration);
    return judge(catalogue, header(configuration), items).requirements;
  } finally {
    await reference.close();
    rmSync(folder, { recursive: true });
  }
}

function aimed(baseUrl: string, requirement: string, reportDir: string): RunConfiguration {
  const flags = { reportDir, only: requirement };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  return aimAtReference(settings, { baseUrl, apiKey, models: modelRoles, pace: PACE }, null);
}

/** One scenario after the other, so that those that list what others make see little. */
async function driven(scenarios: readonly Scenario[], configuration: RunConfiguration): Promise<TraceItem[]> {
  const items: TraceItem[] = [];
  const { betaHeader, target, reportDir } = configuration;
  const ledgerHeader = { ledger: 1, baseUrl: target.baseUrl, betaHeader, tag: 'faulty' } as const;
  const ledger = Ledger.create(join(reportDir, 'ledger.jsonl'), ledgerHeader);
  const session = new Session(configuration, collecting(items), new Scout(configuration));
  try {
    for (const [n, scenario] of scenarios.entries()) await perform(scenario, `faulty-${n}`, session, ledger);
  } finally {
    await session.close();
    ledger.close();
  }
  return items;
}

function collecting(items: TraceItem[]): Recorder {
  const recorder = unrecorded();
  let ended = 0;
  return {
    note: (remark) => void items.push({ ...remark, after: ended }),
    begin: (head) => {
      const recording = recorder.begin(head);
      return {
        ...recording,
        end: async (end) => {
          const exchange = await recording.end(end);
          if (exchange !== null) items.push(exchange);
          ended += 1;
          return exchange;
        },
      };
    },
  };
}

function header({ target, only, skip, allow, models, betaHeader }: RunConfiguration): TraceHeader {
  return {
    format: 1,
    tool: { name: 'assay', version: '0' },
    target: { baseUrl: target.baseUrl, name: target.name },
    claims: { families: families(), how: 'default' },
    filters: { only, skip },
    allow,
    dialect: null,
    betaHeader,
    models: Object.fromEntries(Object.entries(models)),
    key: true,
    shard: null,
  };
}
