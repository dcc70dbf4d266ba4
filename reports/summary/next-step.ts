// The most useful next step after a run, as a command to paste.
import { claimedNames, claimsNamed } from '../../exchange/claims.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import type { Stop, StopReason } from '../../exchange/note.ts';
import { asksForKey } from '../../explain/rejected-configuration.ts';
import { isOnClient } from '../../judge/requirements/claimed.ts';
import type { DiagnosisVerdict } from '../../judge/verdict/verdict.ts';
import { breakdownsAmong, passingCauseWords, undecided, withPassingCause } from '../counts.ts';
import { extensionFlags, shellQuote } from '../failure/curl-command.ts';
import { brokenItems, type FailureContext, shownEvidence } from '../failure/failure.ts';
import { formatNumber, plural, type Report, type ReportedRequirement } from '../report.ts';
import { failsWords } from '../words/cause.ts';
import { type Columns, wrapCommand, wrapText } from '../words/layout.ts';
import { shortList } from '../words/text.ts';

const CLAIM_COMMAND_INTRO = 'to judge only what this target offers:';

export interface NextStepOptions
  extends Pick<
    FailureContext,
    | 'claiming'
    | 'again'
    | 'exchange'
    | 'baseUrl'
    | 'keyVariable'
    | 'cassette'
    | 'judgingFlags'
    | 'reportDir'
    | 'baselineFile'
    | 'newBaselineFile'
    | 'gateLacks'
    | 'only'
  > {
  readonly columns: Columns;
}

/**
 * For a partial target: the command that claims only what it offers; by operation if a family is incomplete.
 * Null if it offers all that is claimed.
 */
function claimCommand(report: Report, options: Pick<FailureContext, 'claiming'>): string | null {
  const missing = report.operations.filter((row) => row.claimed && row.notImplemented).map(({ id }) => id);
  return missing.length === 0 ? null : claimWithout(missing, report, options);
}

/** The command that claims what was exercised, by operation in families that have one of `ids`; null if nothing was. */
function claimWithout(
  ids: readonly string[],
  { operations }: Pick<Report, 'operations'>,
  { claiming }: Pick<FailureContext, 'claiming'>,
): string | null {
  const claimed = operations.filter((operation) => operation.claimed);
  const incomplete = new Set(claimed.filter(({ id }) => ids.includes(id)).map(({ family }) => family));
  const used = claimed.filter(({ exercised }) => exercised > 0);
  if (used.length === 0) return null;
  const names = new Set(used.map(({ id, family }) => (incomplete.has(family) ? id : family)));
  return claiming(claimedNames(claimsNamed([...names])));
}

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

type CommandSource = Omit<NextStepOptions, 'columns'>;

/** Null only for a target that conforms and leaves nothing open, without an extension. */
export function nextStep(report: Report, options: CommandSource): NextStep | null {
  const stop = afterStop(report, options);
  if (stop !== null) return stop;
  const claim = claimCommand(report, options);
  if (claim !== null) return { intro: CLAIM_COMMAND_INTRO, command: claim };
  return (
    refusedKey(report, options) ??
    firstFailure(report, options) ??
    staleBaseline(report, options) ??
    unexercisedClaim(report, options) ??
    firstUndecided(report, options) ??
    unclaimedSelection(report, options) ??
    proveExtension(report, options) ??
    lookAtTraffic(report, options)
  );
}

const AFTER_STOP: Readonly<Partial<Record<StopReason, string>>> = {
  interrupted: 'next: run it again to its end',
  budget: 'next: run it again with a larger --max-requests or --max-tokens, or with fewer --claim',
  deadline: 'next: run it again with a larger --timeout',
};

function afterStop(report: Report, options: CommandSource): NextStep | null {
  const { stopReason } = report;
  if (stopReason === 'target-died') return afterDeath(report, options);
  const intro = stopReason === 'target-unreachable' ? unreachedWords(report) : AFTER_STOP[stopReason];
  return intro === undefined ? null : { intro, command: null };
}

/** If only refusals of the key came back, no baseline helps: nothing is known that it could accept. */
function refusedKey(report: Report, { keyVariable, cassette }: CommandSource): NextStep | null {
  const { summary, target, hints } = report;
  const refused = hints.find((hint) => hint.kind === 'models-refused');
  if (summary.operations.exercised > 0 || !(asksForKey(report) || refused !== undefined)) return null;
  const isSent = refused?.key === 'sent' || hints.some(({ kind }) => kind === 'key-refused');
  const advice = isSent ? 'give the right key' : 'give the key';
  return {
    intro: `next: ${advice} of ${target.baseUrl} in ${keyVariable}, or name its variable with --api-key-env, and run it again; what was answered:`,
    command: cassette === null ? null : `npx assay show ${cassette}`,
  };
}

function firstFailure(report: Report, options: CommandSource): NextStep | null {
  const isWarningShown = report.summary.verdict === 'does-not-conform';
  const [first] = brokenItems(report).flatMap((item) => {
    if (item.kind === 'cause') return brokenBy(item.diagnosis);
    const { first: one } = item.group;
    if (one.verdict === 'warn' && !isWarningShown) return [];
    return [{ id: one.id, exchange: shownEvidence(one, options).exchanges[0] }];
  });
  if (first === undefined) return null;
  const { id, exchange } = first;
  // The exchange that the failure shows, so that both print the same command.
  const command = options.again(id, exchange === undefined ? undefined : options.exchange(exchange));
  const how = isOnClient(id) ? 'run the client again' : 'judge it alone';
  const shared = sharedBy(id, report);
  const what =
    shared === null
      ? `fix the first failure, then ${how}`
      : `${shared}; fix it, then judge the first of them alone`;
  const step = { intro: `next: ${what}:`, command };
  // A baseline accepts no choice.
  const isPinned = report.choices.some((one) => one.id === id && one.pinned !== undefined);
  const { baselineFile = null, newBaselineFile, gateLacks = [] } = options;
  // With a baseline in force, all known failures are in it.
  if (isPinned || (baselineFile === null && newBaselineFile === undefined)) return step;
  const accepted = baselineFile === null ? 'what is known' : 'what is new';
  // To the gate, entries of an extension that it does not load are unknown ids.
  const needed =
    gateLacks.length === 0
      ? ''
      : `; first add ${gateLacks.join(', ')} to "extension" in the configuration, or the gate fails for entries that it does not know`;
  const intro = `or accept ${accepted}, and fill in the reasons${needed}:`;
  return { ...step, alternative: { intro, command: rewriting(report, options) } };
}

/**
 * The cause that the first failure shares with others: `15 requirements fail because the service answers 500
 * to tools`.
 */
function sharedBy(id: string, { requirements, summary }: Report): string | null {
  const own = new Set(requirements.find((one) => one.id === id)?.faults?.map((fault) => fault.id));
  const shared = summary.causes
    .flatMap((one) => (one.kind === 'broken' ? (one.faults ?? []) : []))
    .find(({ fault }) => own.has(fault.id));
  if (shared === undefined) return null;
  const { fault, requirements: count } = shared;
  return `${formatNumber(count)} requirements fail because the service ${failsWords(fault)}`;
}

function staleBaseline(report: Report, options: CommandSource): NextStep | null {
  const { exitCode, causes } = report.summary;
  // An intermittent failure that did not show may return, and one of another scenario is still there.
  const isStale = (cause: Report['summary']['causes'][number]) =>
    cause.kind === 'baseline' && !['not-shown', 'selection-passes'].includes(cause.problem.why);
  if (!causes.some(isStale)) return null;
  // If the exit code is 0, the entries are only mentioned: a failure may show in some runs only.
  const intro =
    exitCode === 0
      ? 'next: if these failures are gone for good, write the baseline again without their entries:'
      : 'next: take these entries out of the baseline, or write it again without them:';
  return { intro, command: rewriting(report, options, 'renewed') };
}

/** If claimed operations were never exercised because the target lacks them, or because calls of them cost more than is allowed. */
function unexercisedClaim(report: Report, options: CommandSource): NextStep | null {
  const idle = report.summary.causes.flatMap((cause) =>
    cause.kind === 'not-exercised' ? cause.operations : [],
  );
  const lacking = report.hints.flatMap((hint) => (hint.kind === 'claim-not-offered' ? hint.names : []));
  const rows = report.operations.filter(({ id, claimed }) => claimed && idle.includes(id));
  const command = claimWithout(idle, report, options);
  if (rows.some(({ id, family }) => lacking.includes(id) || lacking.includes(family))) {
    const rest =
      command === null ? 'run without --claim, which judges what is offered' : 'claim what is offered:';
    return { intro: `next: implement ${shortList(lacking, NAMED)}, or ${rest}`, command };
  }
  const costs = report.requirements.flatMap(({ operations, cause }) =>
    cause?.kind === 'not-allowed' && operations.some((id) => idle.includes(id)) ? [cause.cost] : [],
  );
  if (costs.length === 0) return null;
  const rest = command === null ? '' : ', or claim the rest:';
  return {
    intro: `next: calls of ${shortList(idle, NAMED)} cost more than is allowed: add --allow ${[...new Set(costs)].join(',')}${rest}`,
    command,
  };
}

/** If nothing was judged because what --only names is not claimed. */
function unclaimedSelection(
  { requirements, claims, summary }: Report,
  { only = [], claiming }: CommandSource,
): NextStep | null {
  if (!summary.causes.some(({ kind }) => kind === 'nothing-judged')) return null;
  const unclaimed = requirements.filter(
    ({ id, cause }) => cause?.kind === 'not-claimed' && only.some((glob) => matchesGlob(glob, id)),
  );
  // A family of the requirement; a requirement of several families holds in each of them.
  const missing = [...new Set(unclaimed.map(({ family }) => family))];
  const [first] = unclaimed;
  if (first === undefined) return null;
  const what =
    unclaimed.length === 1
      ? `${first.id} was not judged, because it is`
      : `${plural(unclaimed.length, 'requirement')} of --only were not judged, because they are`;
  return {
    intro: `next: ${what} not claimed: claim ${shortList(missing, NAMED)}, too:`,
    command: `${claiming([...claims, ...missing])}${only.map((glob) => ` --only ${shellQuote(glob)}`).join('')}`,
  };
}

/** Everything claimed costs more than is allowed, or filters left nothing. */
function withoutRequests({ requirements }: Report): string {
  const costs = requirements.flatMap(({ cause }) => (cause?.kind === 'not-allowed' ? [cause.cost] : []));
  if (costs.length === 0) return 'next: no request was sent: widen --claim, --only or --scenario';
  return `next: no request was sent, because each would cost more than is allowed: pass --allow ${[...new Set(costs)].join(',')}`;
}

/** A run that conforms is what the proof of an extension needs. */
function proveExtension({ extensions, summary, side }: Report, { cassette }: CommandSource): NextStep | null {
  if (extensions === undefined || cassette === null || side !== undefined) return null;
  if (summary.verdict !== 'conforms') return null;
  return {
    intro: 'next: prove that each requirement of the extension can fail:',
    command: `npx assay prove ${cassette}${extensionFlags()}`,
  };
}

function lookAtTraffic(report: Report, { cassette }: CommandSource): NextStep | null {
  if (report.summary.verdict === 'conforms') return null;
  if (report.cost.requests === 0) return { intro: withoutRequests(report), command: null };
  return cassette === null
    ? { intro: 'next: see the requirements in the report', command: null }
    : { intro: 'next: see what the service answered:', command: `npx assay show ${cassette}` };
}

function brokenBy({ operations }: DiagnosisVerdict): readonly { id: string; exchange: string | undefined }[] {
  return operations.map(({ requirement, exchanges }) => ({ id: requirement, exchange: exchanges[0] }));
}

function firstUndecided(report: Report, options: CommandSource): NextStep | null {
  const { open } = undecided(report);
  const [first] = open;
  if (first === undefined) return null;
  if (report.summary.verdict === 'conforms') return afterPass(report, open, options);
  const isOpen = report.summary.verdict === 'cannot-tell';
  if (isOpen) {
    const step = lookAtBreakdown(open, options) ?? runAgain(open, options);
    if (step !== null) return step;
  }
  const how = isOpen ? `, or accept those of today with ${acceptingFlags(options)}` : '';
  return { intro: `next: see why one could not be decided${how}:`, command: explaining(first, options) };
}

/** After a pass that only --allow-inconclusive gives. Null if only another run can decide. */
function afterPass(
  report: Report,
  open: readonly ReportedRequirement[],
  options: CommandSource,
): NextStep | null {
  const passing = new Set(withPassingCause(open));
  const lasting = open.filter((one) => !passing.has(one));
  const unexplained = lasting.find(({ cause }) => cause?.kind !== 'breakdown');
  if (unexplained !== undefined)
    return { intro: 'next: see why one could not be decided:', command: explaining(unexplained, options) };
  if (lasting.length === 0) return null;
  return {
    intro: `next: accept ${plural(lasting.length, 'MUST')} without a decision by name, so that --allow-inconclusive does not accept those of other runs, too:`,
    command: rewriting(report, options),
  };
}

/** A consistent failure will recur: fix it, or accept it. */
function lookAtBreakdown(open: readonly ReportedRequirement[], options: CommandSource): NextStep | null {
  const broken = open.filter(({ cause }) => cause?.kind === 'breakdown');
  const [first] = broken;
  if (first?.cause?.kind !== 'breakdown') return null;
  const [fault] = first.cause.faults;
  const why = fault === undefined ? 'fails' : failsWords(fault);
  const others = breakdownsAmong(broken).length - 1;
  const more = others === 0 ? '' : `, and ${plural(others, 'more such fault')}`;
  return {
    intro:
      `next: see why the service ${why}${more}: ${countOf(broken, open)} could not be decided for that reason, and running it again will not help ` +
      `(${acceptingFlags(options)} accepts it until it is fixed); the answer:`,
    command: showCommand(first, options),
  };
}

/** A baseline accepts no transient causes: writing one would lead back to this step. */
function runAgain(open: readonly ReportedRequirement[], options: CommandSource): NextStep | null {
  const passing = withPassingCause(open);
  const [first] = passing;
  if (first === undefined) return null;
  const why = passingCauseWords(first.cause?.kind ?? 'capacity');
  const isLimited = passing.some(
    ({ cause }) =>
      cause?.kind === 'capacity' && cause.arrival?.what === 'answered' && cause.arrival.status === 429,
  );
  const when = isLimited ? 'with fewer requests per second (--rate-limit N)' : 'when the service is healthy';
  return {
    intro:
      `next: run it again ${when}: ${countOf(passing, open)} could not be decided because ${why}, ` +
      'which no baseline accepts (--allow-inconclusive passes all the same); the answer:',
    command: showCommand(first, options),
  };
}

/** `6 MUSTs`, or `6 of 27 MUSTs`. */
function countOf(some: readonly unknown[], { length }: readonly unknown[]): string {
  const all = plural(length, 'MUST');
  return some.length === length ? all : `${formatNumber(some.length)} of ${all}`;
}

function acceptingFlags({ baselineFile, newBaselineFile }: CommandSource): string {
  const file = baselineFile ?? newBaselineFile;
  return `--baseline-write ${file === undefined ? 'FILE' : shellQuote(file)}`;
}

function showCommand(one: ReportedRequirement, options: CommandSource): string {
  const { cassette } = options;
  return cassette === null || one.cause === null || !('exchange' in one.cause)
    ? explaining(one, options)
    : `npx assay show ${cassette} ${one.cause.exchange}`;
}

function explaining({ id }: ReportedRequirement, { reportDir, baseUrl }: CommandSource): string {
  const report = reportDir == null ? '' : ` --report ${shellQuote(reportDir)}`;
  return `npx assay explain ${shellQuote(id)}${extensionFlags()}${report}${baseUrl === null ? '' : ` --base-url ${shellQuote(baseUrl)}`}`;
}

const NAMED = 6;
/** Seconds to propose for --wait-for; twice the previous wait if that one timed out. */
const USUAL_WAIT = 60;

/** One of the requests in flight may have killed the target. */
function afterDeath(report: Report, { cassette }: Pick<FailureContext, 'cassette'>): NextStep {
  const stop = stopOf(report, 'target-died');
  const calls = stop?.reason === 'target-died' ? stop.underWay : [];
  const shown = calls.map(({ exchange }) => exchange).slice(0, NAMED);
  const intro = 'next: start the service again, and run it again';
  if (cassette === null || shown.length === 0) return { intro, command: null };
  const first = calls.some(({ invalid }) => invalid === true) ? ', invalid requests first' : '';
  return {
    intro: `${intro}; what was in flight when it stopped answering${first}:`,
    command: `npx assay show ${cassette} ${shown.join(' ')}`,
  };
}

function unreachedWords(report: Report): string {
  const stop = stopOf(report, 'target-unreachable');
  const waited = stop?.reason === 'target-unreachable' ? (stop.waited ?? 0) : 0;
  const wait = `--wait-for ${waited * 2 > USUAL_WAIT ? waited * 2 : USUAL_WAIT}`;
  const how = waited > 0 ? `${wait} waits longer than ${waited} s` : `${wait} waits`;
  return `next: start the service or fix --base-url, and run it again (${how} for a service that is starting)`;
}

function stopOf({ summary }: Report, reason: StopReason): Stop | null {
  const found = summary.causes.find((one) => one.kind === 'stopped' && one.reason === reason);
  return found?.kind === 'stopped' ? found.stop : null;
}

/** A step, and a command to paste; null if none fits. */
export interface NextStep {
  readonly intro: string;
  readonly command: string | null;
  readonly alternative?: { readonly intro: string; readonly command: string };
}

/**
 * Rewrites the baseline from recorded traffic. It sends nothing, so it is safe to paste; entries that still
 * hold keep their reasons.
 */
function rewriting(
  { side }: Pick<Report, 'side'>,
  {
    cassette,
    judgingFlags = '',
    baselineFile,
    newBaselineFile,
  }: Pick<FailureContext, 'cassette' | 'judgingFlags' | 'baselineFile' | 'newBaselineFile'>,
  entries: 'extended' | 'renewed' = 'extended',
): string {
  const traffic = `npx assay check ${cassette ?? 'CASSETTE'}${side === 'client' ? ' --side client' : ''}${judgingFlags}${entries === 'renewed' ? ' --strict-baseline' : ''}`;
  if (newBaselineFile != null) return `${traffic} --baseline-write ${shellQuote(newBaselineFile)}`;
  const file = baselineFile == null ? 'FILE' : shellQuote(baselineFile);
  return `${traffic} --baseline ${file} --baseline-write ${file}`;
}
