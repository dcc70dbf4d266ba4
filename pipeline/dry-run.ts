import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLedger } from '../drive/cleanup/resource-ledger.ts';
import type { RunConfiguration, Settings } from '../drive/configuration/configuration.ts';
import { MAX_CANDIDATES } from '../drive/preflight/role-searches.ts';
import { cassettePathOf, planRun, runScenarios } from '../drive/run.ts';
import { tokensUsed } from '../drive/target/tokens-used.ts';
import { openRecordedBlobs } from '../exchange/cassette/blobs.ts';
import { assembleExchange } from '../exchange/cassette/exchange-lines.ts';
import type { TraceReceiver } from '../exchange/cassette/trace-receiver.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { formDataParts } from '../exchange/http/form-data.ts';
import type { RunEstimate } from '../reports/terminal/run-estimate.ts';
import { crashLines } from '../reports/words/defect.ts';
import { stopWords } from '../reports/words/stop.ts';
import { getOrMake } from '../schemas/maps.ts';
import { readKnownFailures } from './report/known-failures.ts';
import { readEarlierReport } from './report/read-report.ts';
import { refuseUnmatchedGlobs } from './setup/unmatched-globs.ts';
import { prepareTarget, REFERENCE_CLOCK_SPEED } from './target.ts';
import { startEmbeddedReference } from './threads/embedded-reference.ts';

/** `created`: number of created objects by operation. */
interface Expense extends Record<'scenarios' | 'requests' | 'uploads' | 'uploadBytes' | 'tokens', number> {
  readonly costs: Set<string>;
  readonly created: Map<string, number>;
}

type ExpenseOf = (scenario: string | null) => Expense;

/** Estimates a run by rehearsing it on the embedded reference, until `signal` aborts. Sends nothing to the target. */
export async function dryRun(settings: Settings, signal: AbortSignal): Promise<RunEstimate> {
  await refuseUnmatchedGlobs(settings);
  // A run would refuse an invalid baseline or earlier report before it sends anything.
  readKnownFailures(settings.baseline);
  readEarlierReport(settings.compareTo);
  const { configuration, close } = await prepareTarget(settings);
  try {
    const { models, modelSearch } = configuration;
    const assumed = Object.fromEntries(modelSearch.roles.map((role) => [role, 'a listed model']));
    return await estimate({ ...configuration, models: { ...assumed, ...models } }, signal);
  } finally {
    await close();
  }
}

async function estimate(configuration: RunConfiguration, signal: AbortSignal): Promise<RunEstimate> {
  const { run, skipped } = await planRun(configuration);
  const familyByScenario = new Map<string | null, string>(run.map(({ name, family }) => [name, family]));
  const byFamily = new Map<string, Expense>();
  const expenseOf: ExpenseOf = (scenario) =>
    getOrMake(byFamily, familyByScenario.get(scenario) ?? 'other', () => ({
      scenarios: 0,
      requests: 0,
      uploads: 0,
      uploadBytes: 0,
      tokens: 0,
      costs: new Set<string>(),
      created: new Map<string, number>(),
    }));
  for (const { name, cost } of run) {
    const expense = expenseOf(name);
    expense.scenarios += 1;
    for (const one of cost) expense.costs.add(one);
  }
  return {
    run,
    skipped,
    problems: run.length > 0 ? await rehearse(configuration, expenseOf, signal) : [],
    byFamily,
    baseUrl: configuration.target.embedded ? null : configuration.target.baseUrl,
    families: configuration.claim === 'auto' ? 'all' : 'claimed',
    searchedRoles: configuration.modelSearch.roles,
    trials: configuration.modelSearch.candidates?.length ?? MAX_CANDIDATES,
  };
}

async function rehearse(
  configuration: RunConfiguration,
  expenseOf: ExpenseOf,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { modelRoles } = await import('../reference/model/catalogue.ts');
  const { apiKey, secondKey, betaHeader, models } = configuration;
  const keys = { apiKey: apiKey ?? undefined, secondKey: secondKey?.key };
  const reportDir = mkdtempSync(join(tmpdir(), 'assay-rehearsal-'));
  // The folder is also removed if the reference does not start, or a second signal ends the process at once.
  const clear = () => rmSync(reportDir, { recursive: true, force: true });
  process.once('exit', clear);
  const reference = await startEmbeddedReference({ betaHeader, pace: REFERENCE_CLOCK_SPEED, ...keys });
  const roles = Object.entries(modelRoles).filter(([role]) => Object.hasOwn(models, role));
  const rehearsal: RunConfiguration = {
    ...configuration,
    target: { baseUrl: reference.url, name: 'reference', embedded: true, pace: REFERENCE_CLOCK_SPEED },
    headers: [],
    dialect: null,
    models: Object.fromEntries(roles),
    claim: configuration.claim === 'auto' ? 'all' : configuration.claim,
    maxRequests: null,
    maxTokens: null,
    rateLimit: null,
    concurrency: 16,
    waitFor: 0,
    reportDir,
  };
  try {
    const { ledger, stop, crashed } = await runScenarios(rehearsal, {
      signal,
      receiver: countingReceiver(cassettePathOf(rehearsal), expenseOf),
    });
    for (const { scenario, operation, id } of readLedger(ledger).entries) {
      const { created } = expenseOf(scenario);
      if (id !== null) created.set(operation, (created.get(operation) ?? 0) + 1);
    }
    const stopped = stop === null ? [] : [`the dry run stopped: ${stopWords(stop)}`];
    return [...stopped, ...crashLines(crashed)];
  } finally {
    await reference.close();
    process.off('exit', clear);
    clear();
  }
}

function countingReceiver(cassette: string, expenseOf: ExpenseOf): TraceReceiver {
  const blobs = openRecordedBlobs(cassette);
  const ignore = (): void => {};
  return {
    begin: ignore,
    note: ignore,
    end: ignore,
    exchange: (lines) => {
      const exchange = assembleExchange(lines, blobs);
      if (exchange !== null) addExchange(expenseOf(exchange.scenario), exchange);
      return null;
    },
  };
}

/** Tokens are as the reference reports them; a real service may count differently. */
function addExchange(expense: Expense, { request, response }: Exchange): void {
  expense.requests += 1;
  expense.tokens += response === null ? 0 : tokensUsed(response);
  for (const { filename, body } of formDataParts(request) ?? []) {
    if (filename === null) continue;
    expense.uploads += 1;
    expense.uploadBytes += body.size;
  }
}
