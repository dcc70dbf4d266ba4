import { claimedNames, parseClaims } from '../../exchange/claims.ts';
import { matchesAnyGlob } from '../../exchange/glob.ts';
import type { CallInFlight, Stop, StopReason } from '../../exchange/note.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { asksForKey } from '../../explain/rejected-configuration.ts';
import { isClientRequirement } from '../../judge/requirements/selection.ts';
import { findApiRoot } from '../../schemas/api-root.ts';
import { formatNumber, plural, shortList } from '../../schemas/message-text.ts';
import { brokenItems } from '../failure/broken-items.ts';
import { extensionFlags } from '../failure/extension-flags.ts';
import { type FailureContext, shownEvidence } from '../failure/failure.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { breakdownsAmong, findUndecided, transientCauseWords, withTransientCause } from '../undecided.ts';
import { failsWords } from '../words/diagnosis.ts';
import { type Columns, narrowBy, wrapCommand, wrapText } from '../words/layout.ts';

const MAX_NAMED = 6;
/** Accepted as it is, so that a pasted command works, and worded so that a review finds it. */
const REASON_EXAMPLE = 'known, not yet reviewed';
/** Smallest value to propose for --wait-for, in seconds; twice the wait that timed out is proposed if it is larger. */
const MIN_WAIT_SECONDS = 60;

export interface NextStep {
  readonly intro: string;
  readonly command: string | null;
  readonly alternative?: { readonly intro: string; readonly command: string };
}

export function nextLines(
  report: Report,
  { columns, ...context }: FailureContext & { readonly columns: Columns },
): string[] {
  const step = nextStep(report, context);
  if (step === null) return [];
  const steps = [step, step.alternative ?? []].flat();
  return steps.flatMap(({ intro, command }) => [
    ...wrapText(intro, columns, 2),
    ...(command === null ? [] : wrapCommand(command, narrowBy(columns, 2)).map((line) => `  ${line}`)),
  ]);
}

/** Null for a conforming target if no command leads further. */
export function nextStep(report: Report, context: FailureContext): NextStep | null {
  return (
    afterStop(report, context) ??
    incompleteClaim(report, context) ??
    refusedKey(report, context) ??
    firstFailure(report, context) ??
    staleBaseline(report, context) ??
    unansweredTraffic(report) ??
    unexercisedClaim(report, context) ??
    firstUndecided(report, context) ??
    unclaimedSelection(report, context) ??
    proveExtension(report, context) ??
    lookAtTraffic(report, context)
  );
}

function incompleteClaim(report: Report, context: FailureContext): NextStep | null {
  const isMissing = report.operations.some((row) => row.claimed && row.notImplemented);
  const command = isMissing ? claimExercised(report, context) : null;
  return command === null ? null : { intro: 'to judge only what this target offers:', command };
}

function claimExercised(report: Report, { claimCommand }: FailureContext): string | null {
  const claimed = report.operations.filter((operation) => operation.claimed);
  const idle = unexercisedOperations(report);
  const failing = claimed.filter(({ id, notImplemented }) => notImplemented || idle.includes(id));
  const incomplete = new Set(failing.map(({ family }) => family));
  const used = claimed.filter(({ exercised }) => exercised > 0);
  if (used.length === 0) return null;
  const names = new Set(used.map(({ id, family }) => (incomplete.has(family) ? id : family)));
  return claimCommand(claimedNames(parseClaims([...names])));
}

const INTRO_AFTER_STOP: Readonly<Partial<Record<StopReason, string>>> = {
  interrupted: 'next: run it again to its end',
  budget: 'next: run it again with a larger --max-requests or --max-tokens, or with fewer --claim',
};

function afterStop(report: Report, { cassette }: FailureContext): NextStep | null {
  const cause = report.summary.causes.find(
    (one) => one.kind === 'stopped' && one.reason === report.stopReason,
  );
  const stop = cause?.kind === 'stopped' ? cause.stop : null;
  switch (report.stopReason) {
    case 'target-died':
      return afterDeath(stop?.reason === 'target-died' ? stop.underWay : [], cassette);
    case 'target-unreachable':
      return { intro: unreachedWords(stop), command: null };
    default: {
      const intro = INTRO_AFTER_STOP[report.stopReason];
      return intro === undefined ? null : { intro, command: null };
    }
  }
}

function afterDeath(calls: readonly CallInFlight[], cassette: string | null): NextStep {
  const ids = calls.map(({ exchange }) => exchange);
  const shown = ids.slice(0, MAX_NAMED);
  const intro = 'next: start the service again, and run it again';
  if (cassette === null || shown.length === 0) return { intro, command: null };
  const order = calls.some(({ invalid }) => invalid === true) ? ', invalid requests first' : '';
  return {
    intro: `${intro}; what was in flight when it stopped answering${order}${ids.length === shown.length ? '' : ` (the first ${shown.length} of ${ids.length})`}:`,
    command: `npx assay show ${cassette} ${shown.join(' ')}`,
  };
}

function unreachedWords(stop: Stop | null): string {
  const {
    strange = null,
    waited = 0,
    refused,
    baseUrl = '',
  } = stop?.reason === 'target-unreachable' ? stop : {};
  if (refused !== undefined)
    return `next: ${refused.key === 'sent' ? 'give the right key' : 'give the key'}, and run it again`;
  if (strange !== null) {
    const root = findApiRoot(baseUrl);
    return root === null
      ? 'next: fix --base-url, and run it again'
      : `next: run it again with --base-url ${shellQuote(root)}`;
  }
  const wait = `--wait-for ${Math.max(waited * 2, MIN_WAIT_SECONDS)}`;
  const how = waited > 0 ? `${wait} waits longer than ${waited} s` : `${wait} waits`;
  return `next: start the service or fix --base-url, and run it again (${how} for a service that is starting)`;
}

/** A baseline does not help if the key is refused: it would have nothing to accept. */
function refusedKey(report: Report, { keyVariable, cassette }: FailureContext): NextStep | null {
  const { summary, target, hints } = report;
  const refused = hints.find((hint) => hint.kind === 'models-refused');
  if (summary.operations.exercised > 0 || !(asksForKey(report) || refused !== undefined)) return null;
  const isSent = refused?.key === 'sent' || hints.some(({ kind }) => kind === 'key-refused');
  const advice = isSent ? 'give the right key' : 'give the key';
  return {
    intro: `next: ${advice} of ${target.baseUrl} in ${keyVariable}, or name its variable with --api-key-env, and run it again${cassette === null ? '' : '; what was answered:'}`,
    command: cassette === null ? null : `npx assay show ${cassette}`,
  };
}

function firstFailure(report: Report, context: FailureContext): NextStep | null {
  const isWarningShown = report.summary.verdict === 'does-not-conform';
  const first = brokenItems(report).find((item) => item.first.verdict !== 'warn' || isWarningShown)?.first;
  if (first === undefined) return null;
  const { id } = first;
  // The failure shows this exchange, too, so that failure and step print the same command.
  const [exchange] = shownEvidence(first, context).exchanges;
  const command = context.rerunCommand(id, exchange === undefined ? undefined : context.exchange(exchange));
  const how = isClientRequirement(id) ? 'run the client again' : 'judge it alone';
  const shared = sharedCauseOf(id, report);
  const advice =
    shared === null
      ? `fix the first failure, then ${how}`
      : `${shared}; fix it, then judge the first of them alone`;
  const alternative = acceptanceStep(id, report, context);
  return { intro: `next: ${advice}:`, command, ...(alternative !== null && { alternative }) };
}

function acceptanceStep(
  id: string,
  report: Report,
  context: FailureContext,
): NonNullable<NextStep['alternative']> | null {
  // A baseline cannot accept a pinned choice.
  const isPinned = report.choices.some((one) => one.id === id && one.pinned !== undefined);
  const { baselineFile = null, newBaselineFile, missingExtensions = [] } = context;
  if (isPinned || (baselineFile === null && newBaselineFile === undefined)) return null;
  // A baseline in force already lists the known failures.
  const hasExpired = report.summary.causes.some(
    (one) => one.kind === 'baseline' && one.problem.why === 'expired',
  );
  const additions = hasExpired ? 'what is new or expired' : 'what is new';
  const accepted = baselineFile === null ? 'what is known' : additions;
  // A gate that does not load an extension does not know the ids in the baseline entries for that extension.
  const extensionAdvice =
    missingExtensions.length === 0
      ? ''
      : `; first add ${missingExtensions.join(', ')} to "extension" in the configuration, or the gate fails for entries that it does not know`;
  const intro = `or accept ${accepted}, with your reason${extensionAdvice}:`;
  return { intro, command: rewriteBaselineCommand(report, context) };
}

function sharedCauseOf(id: string, { requirements, summary }: Report): string | null {
  const faultIds = new Set(requirements.find((one) => one.id === id)?.faults?.map((fault) => fault.id));
  const shared = summary.causes
    .flatMap((one) => (one.kind === 'broken' ? (one.faults ?? []) : []))
    .find(({ fault }) => faultIds.has(fault.id));
  if (shared === undefined) return null;
  const { fault, requirements: count } = shared;
  return `${formatNumber(count)} requirements fail because the service ${failsWords(fault)}`;
}

function staleBaseline(report: Report, context: FailureContext): NextStep | null {
  const { exitCode, causes } = report.summary;
  // An intermittent failure that was not seen may return, and a failure outside the selected scenarios may still exist.
  const reasons = causes.flatMap((cause) => (cause.kind === 'baseline' ? cause.problem.why : []));
  const stale = reasons.filter((why) => !['not-shown', 'selection-passes'].includes(why));
  if (stale.length === 0) return null;
  const intro =
    exitCode === 0
      ? 'next: if these failures are gone for good, write the baseline again without their entries:'
      : 'next: take these entries out of the baseline, or write it again without them:';
  // Every rewrite drops expired entries; only a strict one drops entries whose failure is gone.
  const entries = stale.every((why) => why === 'expired') ? 'extended' : 'renewed';
  return { intro, command: rewriteBaselineCommand(report, context, entries) };
}

function unexercisedOperations({ summary }: Report): readonly string[] {
  return summary.causes.flatMap((cause) => (cause.kind === 'not-exercised' ? cause.operations : []));
}

function unexercisedClaim(report: Report, context: FailureContext): NextStep | null {
  const idle = unexercisedOperations(report);
  const lacking = report.hints.flatMap((hint) => (hint.kind === 'claim-not-offered' ? hint.names : []));
  const rows = report.operations.filter(({ id, claimed }) => claimed && idle.includes(id));
  const command = claimExercised(report, context);
  if (rows.some(({ id, family }) => lacking.includes(id) || lacking.includes(family))) {
    const narrowing =
      command === null ? 'run without --claim, which judges what is offered' : 'claim what is offered:';
    return { intro: `next: implement ${shortList(lacking, MAX_NAMED)}, or ${narrowing}`, command };
  }
  const expensive = idle.filter((id) => isTooExpensive(id, report));
  if (expensive.length === 0) return null;
  const costs = report.requirements.flatMap(({ operations, cause }) =>
    cause?.kind === 'not-allowed' && operations.some((id) => expensive.includes(id)) ? [cause.cost] : [],
  );
  const narrowing = command === null ? '' : ', or claim the rest:';
  return {
    intro: `next: calls to ${shortList(expensive, MAX_NAMED)} cost more than is allowed: add --allow ${[...new Set(costs)].join(',')}${narrowing}`,
    command,
  };
}

/** Whether only cost prevents calls to the operation. With `no-evidence`, a permitted scenario could have called it. */
function isTooExpensive(operation: string, { requirements }: Report): boolean {
  const kinds = requirements.flatMap(({ operations, cause }) =>
    operations.includes(operation) ? [cause?.kind] : [],
  );
  return kinds.includes('not-allowed') && !kinds.includes('no-evidence');
}

function unclaimedSelection(
  { requirements, claims, summary, side }: Report,
  { only = [], claimCommand }: FailureContext,
): NextStep | null {
  // A client is judged by what it calls; a run of the service would not judge it.
  if (side === 'client') return null;
  if (!summary.causes.some(({ kind }) => kind === 'nothing-judged')) return null;
  // A requirement of a claimed family may need a scenario of another one, which the cause then names.
  const unclaimed = requirements.flatMap(({ id, family, cause }) =>
    cause?.kind === 'not-claimed' && matchesAnyGlob(only, id) ? [{ id, family: cause.family ?? family }] : [],
  );
  // A requirement of several families is judged if any one of them is claimed.
  const missing = [...new Set(unclaimed.map(({ family }) => family))];
  const [first] = unclaimed;
  if (first === undefined) return null;
  const subject =
    unclaimed.length === 1
      ? `${first.id} was not judged, because it is`
      : `${plural(unclaimed.length, 'requirement')} of --only were not judged, because they are`;
  return {
    intro: `next: ${subject} not claimed: claim ${shortList(missing, MAX_NAMED)}, too:`,
    command: `${claimCommand([...claims, ...missing])}${only.map((glob) => ` --only ${shellQuote(glob)}`).join('')}`,
  };
}

function proveExtension(
  { extensions, summary, side }: Report,
  { cassette }: FailureContext,
): NextStep | null {
  if (extensions === undefined || cassette === null || side !== undefined) return null;
  if (summary.verdict !== 'conforms') return null;
  return {
    intro: 'next: prove that each requirement of the extension can fail:',
    command: `npx assay prove ${cassette}${extensionFlags()}`,
  };
}

function lookAtTraffic(
  { summary, cost, claims, requirements }: Report,
  { cassette }: FailureContext,
): NextStep | null {
  if (summary.verdict === 'conforms') return null;
  if (cost.requests > 0)
    return cassette === null
      ? { intro: 'next: see the requirements in the report', command: null }
      : { intro: 'next: see what the service answered:', command: `npx assay show ${cassette}` };
  // Runs record claims; a proxy has them only if they were given.
  if (claims.length === 0)
    return { intro: 'next: no request was recorded: send requests through the proxy', command: null };
  const costs = requirements.flatMap(({ cause }) => (cause?.kind === 'not-allowed' ? cause.cost : []));
  const why =
    costs.length === 0
      ? ': widen --claim, --only or --scenario'
      : `, because each would cost more than is allowed: pass --allow ${[...new Set(costs)].join(',')}`;
  return { intro: `next: no request was sent${why}`, command: null };
}

/** Accepting or explaining a verdict would not help if no response was complete. */
function unansweredTraffic(report: Report): NextStep | null {
  const { open } = findUndecided(report);
  const isUnanswered = open.length > 0 && open.every(({ cause }) => cause?.kind === 'protocol');
  if (!isUnanswered || !report.summary.causes.some(({ kind }) => kind === 'nothing-judged')) return null;
  const { baseUrl } = report.target;
  return {
    intro: `next: no request got a complete response; check that the service runs at ${baseUrl}`,
    command: null,
  };
}

function firstUndecided(report: Report, context: FailureContext): NextStep | null {
  const { open } = findUndecided(report);
  const [first] = open;
  if (first === undefined) return null;
  if (report.summary.verdict === 'conforms') return afterPass(report, open, context);
  const cannotTell = report.summary.verdict === 'cannot-tell';
  if (cannotTell) {
    const step = lookAtBreakdown(open, context) ?? runAgain(open, context);
    if (step !== null) return step;
  }
  const how = cannotTell ? `, or accept those of today with ${acceptingFlags(context)}` : '';
  return { intro: `next: see why one could not be decided${how}:`, command: explainCommand(first, context) };
}

/** Null if only another run can decide. */
function afterPass(
  report: Report,
  open: readonly ReportedRequirement[],
  context: FailureContext,
): NextStep | null {
  const transientSet = new Set(withTransientCause(open));
  const lasting = open.filter((one) => !transientSet.has(one));
  const unexplained = lasting.find(({ cause }) => cause?.kind !== 'breakdown');
  const intro = 'next: see why one could not be decided:';
  if (unexplained !== undefined) return { intro, command: explainCommand(unexplained, context) };
  if (lasting.length === 0) return null;
  return {
    intro: `next: accept ${plural(lasting.length, 'MUST')} without a decision in a baseline; --allow-inconclusive would accept those of other runs, too:`,
    command: rewriteBaselineCommand(report, context),
  };
}

function lookAtBreakdown(open: readonly ReportedRequirement[], context: FailureContext): NextStep | null {
  const broken = open.filter(({ cause }) => cause?.kind === 'breakdown');
  const [first] = broken;
  if (first?.cause?.kind !== 'breakdown') return null;
  const [fault] = first.cause.faults;
  const why = fault === undefined ? 'fails' : failsWords(fault);
  const others = breakdownsAmong(broken).length - 1;
  const more = others === 0 ? '' : `, and ${plural(others, 'more such fault')}`;
  return {
    intro:
      `next: see why the service ${why}${more}: ${shareOfMusts(broken, open)} could not be decided for that reason, and running it again will not help ` +
      `(${acceptingFlags(context)} accepts it until it is fixed); the answer:`,
    command: showCommand(first, context),
  };
}

/** No baseline accepts transient causes, so writing one would lead back here. */
function runAgain(open: readonly ReportedRequirement[], context: FailureContext): NextStep | null {
  const transientMusts = withTransientCause(open);
  const [first] = transientMusts;
  if (first === undefined) return null;
  const why = transientCauseWords(first.cause?.kind ?? 'capacity');
  const isLimited = transientMusts.some(
    ({ cause }) =>
      cause?.kind === 'capacity' && cause.arrival?.what === 'answered' && cause.arrival.status === 429,
  );
  const when = isLimited ? 'with fewer requests per second (--rate-limit N)' : 'when the service is healthy';
  return {
    intro:
      `next: run it again ${when}: ${shareOfMusts(transientMusts, open)} could not be decided because ${why}, ` +
      'which no baseline accepts (--allow-inconclusive passes all the same); the answer:',
    command: showCommand(first, context),
  };
}

function shareOfMusts(some: readonly unknown[], { length }: readonly unknown[]): string {
  const total = plural(length, 'MUST');
  return some.length === length ? total : `${formatNumber(some.length)} of ${total}`;
}

function acceptingFlags({ baselineFile, newBaselineFile }: FailureContext): string {
  const file = baselineFile ?? newBaselineFile;
  return `--baseline-write ${file === undefined ? 'FILE' : shellQuote(file)}`;
}

function showCommand(one: ReportedRequirement, context: FailureContext): string {
  const { cassette } = context;
  if (cassette === null || one.cause === null || !('exchange' in one.cause))
    return explainCommand(one, context);
  return `npx assay show ${cassette} ${one.cause.exchange}`;
}

function explainCommand({ id }: ReportedRequirement, { reportDir, baseUrl }: FailureContext): string {
  const report = reportDir == null ? '' : ` --report ${shellQuote(reportDir)}`;
  const target = baseUrl === null ? '' : ` --base-url ${shellQuote(baseUrl)}`;
  return `npx assay explain ${shellQuote(id)}${extensionFlags()}${report}${target}`;
}

/** Entries that still apply keep their reasons. */
function rewriteBaselineCommand(
  { side }: Report,
  { cassette, judgingFlags = '', baselineFile, newBaselineFile }: FailureContext,
  entries: 'extended' | 'renewed' = 'extended',
): string {
  const sideFlag = side === 'client' ? ' --side client' : '';
  const strictFlag = entries === 'renewed' ? ' --strict-baseline' : '';
  const traffic = `npx assay check ${cassette ?? 'CASSETTE'}${sideFlag}${judgingFlags}${strictFlag}`;
  // Without a reason, every new entry would have to be edited before the next run accepts the file.
  const reasonFlag = ` --baseline-reason ${shellQuote(REASON_EXAMPLE)}`;
  if (newBaselineFile != null)
    return `${traffic} --baseline-write ${shellQuote(newBaselineFile)}${reasonFlag}`;
  const file = baselineFile == null ? 'FILE' : shellQuote(baselineFile);
  return `${traffic} --baseline ${file} --baseline-write ${file}${reasonFlag}`;
}
