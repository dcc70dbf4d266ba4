import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunConfiguration } from '../drive/configuration.ts';
import { tokensOf } from '../drive/cost.ts';
import { readLedger } from '../drive/ledger.ts';
import { plan, type RunResult, runScenarios } from '../drive/run.ts';
import type { Skipped } from '../drive/select.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { form } from '../exchange/form.ts';
import { isNote } from '../exchange/trace.ts';
import { causeOfSkip } from '../judge/cause.ts';
import { causeWords } from '../reports/cause.ts';
import { columns } from '../reports/columns.ts';
import { bytes, figure, plural } from '../reports/report.ts';
import { stopWords } from '../reports/stop.ts';
import { openRecorded } from './cassettes.ts';
import { crashedLines } from './crashed.ts';
import { interruption } from './serving.ts';
import { PACE } from './target.ts';

/** Scenarios that are named of those that are left out for one reason. */
const NAMED = 3;

/** What the scenarios of one family ask of a target. */
interface Expense {
  scenarios: number;
  requests: number;
  uploads: number;
  uploaded: number;
  tokens: number;
  readonly costs: Set<string>;
  /** How often by operation. */
  readonly made: Map<string, number>;
}

/**
 * Says what would run, what would not and why, and what it would cost: the scenarios are rehearsed on the reference
 * that comes with assay, and counted. Nothing is sent to the target. Answers with the exit code: 2 where the rehearsal did
 * not come to its end, so that its figures are not whole.
 */
export async function dryRun(configuration: RunConfiguration): Promise<number> {
  const { run, skipped } = await plan(configuration);
  const families = new Map(run.map(({ name, family }) => [name, family]));
  const expenses = new Map<string, Expense>();
  const of = (scenario: string | null): Expense => {
    const family = families.get(scenario ?? '') ?? 'other';
    const known = expenses.get(family) ?? none();
    expenses.set(family, known);
    return known;
  };
  for (const { name, cost } of run) {
    of(name).scenarios += 1;
    for (const one of cost) of(name).costs.add(one);
  }
  const broken = run.length > 0 ? await rehearse(configuration, of) : [];
  const all = configuration.claim === 'auto' ? ' of all families (--claim auto asks only in a run)' : '';
  const lines = [
    ...run.map(({ name, cost }) => `run   ${name}  ${cost.join(', ')}`),
    ...left(skipped),
    '',
    ...table(expenses),
    '',
    `${plural(run.length, 'scenario')}${all} would run, ${skipped.length} would not; counted on the reference, nothing was sent to ${configuration.target.baseUrl}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (broken.length === 0) return 0;
  process.stderr.write(`${['These figures are not whole:', ...broken].join('\n')}\n`);
  return 2;
}

/** What would not run, together by its reason. */
function left(skipped: readonly Skipped[]): string[] {
  const groups = new Map<string, Skipped[]>();
  for (const one of skipped) {
    const why = causeWords(causeOfSkip(one));
    groups.set(why, [...(groups.get(why) ?? []), one]);
  }
  return [...groups].map(([why, group]) => {
    const names = group.slice(0, NAMED).map(({ scenario }) => scenario);
    const more = group.length > NAMED ? ', …' : '';
    return `skip  ${plural(group.length, 'scenario')}  ${why}  (${names.join(', ')}${more})`;
  });
}

function none(): Expense {
  const numbers = { scenarios: 0, requests: 0, uploads: 0, uploaded: 0, tokens: 0 };
  return { ...numbers, costs: new Set(), made: new Map() };
}

/** Gives what kept it from its end: nothing where every scenario was played. */
async function rehearse(
  configuration: RunConfiguration,
  of: (scenario: string | null) => Expense,
): Promise<readonly string[]> {
  const [{ startReference }, { modelRoles }] = await Promise.all([
    import('../reference/service.ts'),
    import('../reference/model/catalogue.ts'),
  ]);
  const { apiKey, betaHeader, models } = configuration;
  const { signal, release } = interruption();
  const reference = await startReference({ betaHeader, pace: PACE, ...(apiKey === null ? {} : { apiKey }) });
  const reportDir = mkdtempSync(join(tmpdir(), 'assay-rehearsal-'));
  // Also where a second signal ends the process at once.
  const clear = () => rmSync(reportDir, { recursive: true, force: true });
  process.once('exit', clear);
  const roles = Object.entries(modelRoles).filter(([role]) => Object.hasOwn(models, role));
  const stage: RunConfiguration = {
    ...configuration,
    target: { baseUrl: reference.url, name: 'reference', embedded: true, pace: PACE },
    headers: [],
    dialect: null,
    models: Object.fromEntries(roles),
    claim: configuration.claim === 'auto' ? 'all' : configuration.claim,
    ...{ maxRequests: null, maxTokens: null, rateLimit: null, concurrency: 16, waitFor: 0, reportDir },
  };
  try {
    const result = await runScenarios(stage, { signal });
    await countAll(result, of);
    return whatBroke(result);
  } finally {
    release();
    await reference.close();
    process.off('exit', clear);
    clear();
  }
}

function whatBroke(result: RunResult): string[] {
  const { stop } = result;
  const stopped = stop === null ? [] : [`the rehearsal stopped: ${stopWords(stop)}`];
  return [...stopped, ...crashedLines(result)];
}

async function countAll(
  { cassette, ledger }: RunResult,
  of: (scenario: string | null) => Expense,
): Promise<void> {
  const recorded = await openRecorded([cassette]);
  try {
    for (const trace of recorded.traces())
      for await (const item of trace) if (!isNote(item)) count(of(item.scenario), item);
  } finally {
    recorded.close();
  }
  for (const { scenario, operation, id } of readLedger(ledger).entries) {
    const { made } = of(scenario);
    if (id !== null) made.set(operation, (made.get(operation) ?? 0) + 1);
  }
}

function count(expense: Expense, { request, response }: Exchange): void {
  expense.requests += 1;
  expense.tokens += response === null ? 0 : tokensOf(response);
  for (const { filename, body } of form(request) ?? []) {
    if (filename === null) continue;
    expense.uploads += 1;
    expense.uploaded += body.size;
  }
}

function table(expenses: ReadonlyMap<string, Expense>): string[] {
  const rows = [...expenses].map(([family, one]) => [
    family,
    plural(one.scenarios, 'scenario'),
    plural(one.requests, 'request'),
    one.uploads === 0 ? '' : `${plural(one.uploads, 'upload')} (${bytes(one.uploaded)})`,
    one.tokens === 0 ? '' : plural(one.tokens, 'token'),
    [...one.costs].join(' '),
    [...one.made].map(([operation, times]) => `${operation} ${figure(times)}`).join(', '),
  ]);
  const sum = (of: (one: Expense) => number) => [...expenses.values()].reduce((all, one) => all + of(one), 0);
  const total = [
    'in all',
    plural(
      sum(({ scenarios }) => scenarios),
      'scenario',
    ),
    plural(
      sum(({ requests }) => requests),
      'request',
    ),
    `${plural(
      sum(({ uploads }) => uploads),
      'upload',
    )} (${bytes(sum(({ uploaded }) => uploaded))})`,
    plural(
      sum(({ tokens }) => tokens),
      'token',
    ),
  ];
  const head = ['family', 'scenarios', 'requests', 'uploads', 'tokens', 'cost classes', 'would create'];
  return rows.length === 0 ? [] : columns([head, ...rows, total]);
}
