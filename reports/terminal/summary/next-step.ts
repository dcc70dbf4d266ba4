// The step after a run that brings most, as a command to paste.
import { claimedNames, claimsNamed } from '../../../exchange/claims.ts';
import type { StopReason } from '../../../exchange/note.ts';
import { asksForKey } from '../../../explain/rejected-configuration.ts';
import { isOnClient } from '../../../judge/requirements/claimed.ts';
import type { DiagnosisVerdict } from '../../../judge/verdict/verdict.ts';
import { type FailureContext, shownEvidence } from '../../failure/failure.ts';

import { formatNumber, openCauses, type Report, unexcusedRequirements } from '../../report.ts';
import { failsWords } from '../../words/breakdown.ts';
import { type Columns, wrapCommand, wrapText } from '../wrap.ts';
import { rewriting } from './baseline-command.ts';
import { afterDeath, unreachedWords } from './silent-target.ts';
import type { NextStep } from './step.ts';
import { firstUndecided } from './undecided-step.ts';

/** Precedes the command that claims fewer families. */
const CLAIM_COMMAND_INTRO = 'to judge only what this target offers:';

/** Where commands come from, and the columns of the terminal; null for a pipe. */
export interface NextStepOptions
  extends Pick<
    FailureContext,
    | 'claiming'
    | 'again'
    | 'exchange'
    | 'baseUrl'
    | 'keyVariable'
    | 'cassette'
    | 'reportDir'
    | 'baselineFile'
    | 'newBaselineFile'
  > {
  readonly columns: Columns;
}

/** Against a partial target: the command that claims what it does offer, by operation where a family is not whole. Null where it offers all that is claimed. */
function claimCommand(report: Report, { claiming }: Pick<FailureContext, 'claiming'>): string | null {
  const claimed = report.operations.filter((operation) => operation.claimed);
  const missing = new Set(claimed.filter((row) => row.notImplemented).map(({ family }) => family));
  const used = claimed.filter(({ exercised }) => exercised > 0);
  if (missing.size === 0 || used.length === 0) return null;
  const names = new Set(used.map(({ id, family }) => (missing.has(family) ? id : family)));
  return claiming(claimedNames(claimsNamed([...names])));
}

/** What to do next: a command to paste, with its introduction; nothing where nothing is left to do. */
export function nextLines(report: Report, options: NextStepOptions): string[] {
  const columns = options.columns === null ? null : options.columns - 2;
  const step = nextStep(report, options);
  if (step === null) return [];
  const command = (text: string | null) =>
    text === null ? [] : wrapCommand(text, columns).map((line) => `  ${line}`);
  const { intro, alternative } = step;
  return [
    ...wrapText(intro, options.columns, 2),
    ...command(step.command),
    ...(alternative === undefined
      ? []
      : [...wrapText(alternative.intro, options.columns, 2), ...command(alternative.command)]),
  ];
}

/** Where commands come from; their layout is that of the terminal or the page. */
type CommandSource = Omit<NextStepOptions, 'columns'>;

/**
 * The step that brings most. Every verdict but `conforms` has one; null only for a target that conforms
 * and leaves nothing open.
 */
export function nextStep(report: Report, options: CommandSource): NextStep | null {
  const stop = afterStop(report, options);
  if (stop !== null) return stop;
  const claim = claimCommand(report, options);
  if (claim !== null) return { intro: CLAIM_COMMAND_INTRO, command: claim };
  return (
    refusedKey(report, options) ??
    firstFailure(report, options) ??
    staleBaseline(report, options) ??
    firstUndecided(report, options) ??
    lookAtTraffic(report, options)
  );
}

/** Steps after runs that ended early. */
const AFTER_STOP: Readonly<Partial<Record<StopReason, string>>> = {
  interrupted: 'next: run it again, to its end',
  budget: 'next: run it again with a larger --max-requests or --max-tokens, or with fewer --claim',
  deadline: 'next: run it again with a larger --timeout',
};

/** A run that ended early is run again, once what ended it is mended; null for a run that ended by itself. */
function afterStop(report: Report, options: CommandSource): NextStep | null {
  const { stopReason } = report;
  if (stopReason === 'target-died') return afterDeath(report, options);
  const intro = stopReason === 'target-unreachable' ? unreachedWords(report) : AFTER_STOP[stopReason];
  return intro === undefined ? null : { intro, command: null };
}

/** Where nothing but refusals of the key came, no baseline helps: nothing is known to accept. */
function refusedKey(report: Report, { keyVariable, cassette }: CommandSource): NextStep | null {
  const { summary, target, hints } = report;
  if (summary.operations.exercised > 0 || !asksForKey(report)) return null;
  const isSent = hints.some(({ kind }) => kind === 'key-refused');
  const advice = isSent ? 'give the right key' : 'give the key';
  return {
    intro: `next: ${advice} of ${target.baseUrl} in ${keyVariable}, or name its variable with --api-key-env, and run it again; what was answered:`,
    command: cassette === null ? null : `npx assay show ${cassette}`,
  };
}

/** The first of what fails the run, to be judged alone. */
function firstFailure(report: Report, options: CommandSource): NextStep | null {
  // Warnings fail a run with `--fail-on should`.
  const levels =
    report.summary.verdict === 'does-not-conform' ? (['fail', 'warn'] as const) : ['fail' as const];
  const [first] = [
    ...openCauses(report).flatMap(brokenBy),
    ...levels
      .flatMap((verdict) => unexcusedRequirements(report, verdict))
      .map((one) => ({ id: one.id, exchange: shownEvidence(one, options).exchanges[0] })),
  ];
  if (first === undefined) return null;
  const { id, exchange } = first;
  // The exchange by which the failure is shown, so that this command is the one that stands below it.
  const command = options.again(id, exchange === undefined ? undefined : options.exchange(exchange));
  const how = isOnClient(id) ? 'run the client again' : 'judge it alone';
  const shared = sharedBy(id, report);
  const what =
    shared === null
      ? `mend the first failure, and ${how}`
      : `${shared}; mend it, and judge the first of them alone`;
  const step = { intro: `next: ${what}:`, command };
  const { baselineFile = null, newBaselineFile } = options;
  // Where a baseline is in force, all that is known is in it.
  if (baselineFile === null && newBaselineFile === undefined) return step;
  const accepted = baselineFile === null ? 'what is known, with its reason' : 'what is new';
  return { ...step, alternative: { intro: `or accept ${accepted}:`, command: rewriting(report, options) } };
}

/** The cause that the first failure has in common with others: `15 requirements fail because the service answers 500 to tools`. */
function sharedBy(id: string, { requirements, summary }: Report): string | null {
  const own = new Set(requirements.find((one) => one.id === id)?.faults?.map((fault) => fault.id));
  const shared = summary.causes
    .flatMap((one) => (one.kind === 'broken' ? (one.faults ?? []) : []))
    .find(({ fault }) => own.has(fault.id));
  // A fault that only this failure shows is the failure itself.
  if (shared === undefined) return null;
  const { fault, requirements: count } = shared;
  return `${formatNumber(count)} requirements fail because the service ${failsWords(fault)}`;
}

/** Entries of a baseline that no longer hold. */
function staleBaseline(report: Report, options: CommandSource): NextStep | null {
  const { summary } = report;
  if (summary.exitCode === 0 || !summary.causes.some(({ kind }) => kind === 'baseline')) return null;
  return {
    intro: 'next: take these entries out of the baseline, or write it again:',
    command: rewriting(report, options),
  };
}

/** Why nothing was sent: what is claimed costs more than is allowed, or nothing is left of it. */
function withoutRequests({ requirements }: Report): string {
  const costs = requirements.flatMap(({ cause }) =>
    cause?.kind === 'not-allowed' && 'cost' in cause ? [cause.cost] : [],
  );
  if (costs.length === 0) return 'next: no request was sent: widen --claim, --only or --scenario';
  return `next: no request was sent, because each would cost more than is allowed: pass --allow ${[...new Set(costs)].join(',')}`;
}

/** Where nothing else explains the verdict, the traffic does. */
function lookAtTraffic(report: Report, { cassette }: CommandSource): NextStep | null {
  if (report.summary.verdict === 'conforms') return null;
  if (report.cost.requests === 0) return { intro: withoutRequests(report), command: null };
  return cassette === null
    ? { intro: 'next: see the requirements in the report', command: null }
    : { intro: 'next: see what the service answered:', command: `npx assay show ${cassette}` };
}

/** The requirements that a cause breaks, each with the exchange by which it is shown. */
function brokenBy({ operations }: DiagnosisVerdict): readonly { id: string; exchange: string | undefined }[] {
  return operations.map(({ requirement, exchanges }) => ({ id: requirement, exchange: exchanges[0] }));
}
