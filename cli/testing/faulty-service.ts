import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JobWaits } from '../../drive/cleanup/job-waits.ts';
import { ResourceLedger } from '../../drive/cleanup/resource-ledger.ts';
import { configureForReference, type RunConfiguration } from '../../drive/configuration/configuration.ts';
import { readSettings } from '../../drive/configuration/settings.ts';
import { PreflightClient } from '../../drive/preflight/preflight-client.ts';
import { selectScenarios } from '../../drive/preflight/scenario-selection.ts';
import { type ExchangeRecorder, RunSession } from '../../drive/run-session.ts';
import { isScenario, type Scenario } from '../../drive/scenario/scenario.ts';
import { WaitReports } from '../../drive/scenario/wait-reports.ts';
import { runScenario } from '../../drive/scenario-runner.ts';
import { MemoryRecorder } from '../../exchange/cassette/recording.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { TOOL } from '../../exchange/tool.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { openJudge } from '../../explain/judge.ts';
import type { TraceJudge } from '../../judge/judge.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import type { Judgement, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { startReference } from '../../pipeline/faulty-reference/faulty-reference.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { families } from '../../schemas/index.ts';

/** The clock of the service runs faster by this factor, so scenarios wait less. Runs expire after two real minutes. */
const CLOCK_SPEED = 5;

const apiKey = 'assay-the-key-of-a-faulty-service';
const secondKey = 'assay-the-second-key-of-a-faulty-service';

export async function verdictsOnFaultyService(
  fault: string | undefined,
  requirement: string,
  catalogue: Catalogue,
): Promise<readonly RequirementVerdict[]> {
  return (await judgeFaultyService(fault, [requirement], catalogue)).requirements;
}

export async function judgeFaultyService(
  fault: string | undefined,
  requirements: readonly string[],
  catalogue: Catalogue,
): Promise<Judgement> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-faulty-'));
  const reference = await startReference({ fault, apiKey, secondKey, pace: CLOCK_SPEED, directory: folder });
  try {
    const configuration = configurationFor(reference.url, requirements, folder);
    const scenarios = catalogue.scenarios.filter(isScenario);
    const { run } = selectScenarios(scenarios, configuration, families());
    // Sets of requirements are judged independently, and the sets that are not needed would take most of the time.
    const requirementSets = catalogue.requirementSets.filter((set) =>
      set.requirements.some(({ id }) => requirements.includes(id)),
    );
    const unbroken = new Set(requirements);
    const judge = openJudge({
      catalogue: { ...catalogue, requirementSets },
      header: makeTraceHeader(configuration),
      onViolation: (_, { id }) => {
        unbroken.delete(id);
      },
    });
    await drive(run, configuration, { judge, isEnough: () => unbroken.size === 0 });
    return judge.finish();
  } finally {
    await reference.close();
    rmSync(folder, { recursive: true });
  }
}

function configurationFor(baseUrl: string, only: readonly string[], reportDir: string): RunConfiguration {
  const flags = { reportDir, only: only.join(',') };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  const embedded = { baseUrl, apiKey, secondKey, models: modelRoles, pace: CLOCK_SPEED };
  return configureForReference(settings, embedded, null);
}

/** Feeds one scenario after another to the judge, so that lists stay short. Stops once `isEnough` returns true. */
async function drive(
  scenarios: readonly Scenario[],
  configuration: RunConfiguration,
  { judge, isEnough }: { readonly judge: TraceJudge; readonly isEnough: () => boolean },
): Promise<void> {
  const { betaHeader, target, reportDir } = configuration;
  const ledgerHeader = { ledger: 1, baseUrl: target.baseUrl, betaHeader, tag: 'faulty' } as const;
  const ledger = ResourceLedger.create(join(reportDir, 'ledger.jsonl'), ledgerHeader);
  const session = new RunSession(configuration, recorderForJudge(judge), new PreflightClient(configuration));
  const waits = { jobWaits: new JobWaits(), waitReports: new WaitReports(() => {}) };
  try {
    for (const [n, scenario] of scenarios.entries()) {
      if (isEnough()) break;
      await runScenario(scenario, { tag: `faulty-${n}`, session, ledger, resumeState: null, ...waits });
    }
  } finally {
    await session.close();
    ledger.close();
  }
}

function recorderForJudge(judge: TraceJudge): ExchangeRecorder {
  const recorder = new MemoryRecorder(Redactor.none);
  let ended = 0;
  return {
    note: (content) => judge.feed({ ...content, after: ended }),
    begin: (head) => {
      const recording = recorder.begin(head);
      const end = recording.end.bind(recording);
      return Object.assign(recording, {
        end: async (ending: Parameters<typeof end>[0]) => {
          const exchange = await end(ending);
          if (exchange !== null) judge.feed(exchange);
          ended += 1;
          return exchange;
        },
      });
    },
  };
}

function makeTraceHeader({ target, only, skip, allow, models, betaHeader }: RunConfiguration): TraceHeader {
  return {
    format: 1,
    tool: TOOL,
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
