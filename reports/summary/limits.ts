// Limits of a report, and hints. Both are shown first, because they can make a pass meaningless.
import { asksForKey } from '../../explain/rejected-configuration.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import { countKnownFailures } from '../../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { countUndecidedOthers, isOpenAllowed, unclaimedFamilies, undecided } from '../counts.ts';
import { lackingCapabilities, scenarioOf } from '../effects.ts';
import type { FailureContext } from '../failure/failure.ts';
import { countVerdicts, type Report, requirementsInScope } from '../report.ts';
import { blockerWords } from '../words/cause.ts';
import { withSharedCause } from '../words/gate-reason.ts';
import { formatNumber, plural, present, shortList } from '../words/text.ts';

export function caveats(report: Report): readonly string[] {
  return [
    ...stopCaveats(report),
    ...undecidedCaveats(report),
    ...coverageCaveats(report),
    ...unjudgedCaveats(report),
    ...leniencyCaveats(report),
  ];
}

function stopCaveats(report: Report): string[] {
  return report.stopReason === 'completed' ? [] : [`The run ended early: ${report.stopReason}.`];
}

/** Maximum number of ids or names that are listed; the others are counted. */
const MAX_NAMED = 6;

function coverageCaveats(report: Report): string[] {
  const claimed = report.operations.filter((operation) => operation.claimed);
  // An operation with two variants is idle only if neither was exercised.
  const active = new Set(claimed.filter(({ exercised }) => exercised > 0).map(({ id }) => id));
  const idle = new Set(claimed.map(({ id }) => id).filter((id) => !active.has(id)));
  // Always stated, because a narrow claim is the usual reason for a good score on few requirements.
  const left = unclaimedFamilies(report);
  const all = new Set(report.operations.map(({ family }) => family)).size;
  const names = left.length > MAX_NAMED ? `${left.length} of ${all} families` : left.join(', ');
  const isIdle = claimed.length > 0 && report.summary.operations.exercised === 0;
  return present(
    isIdle && 'No operation was ever answered with success: nothing here shows that the target works.',
    !isIdle &&
      idle.size > 0 &&
      `${plural(idle.size, 'claimed operation')} never succeeded: ${[...idle].join(', ')}.`,
    left.length > 0 && `Not claimed, so not judged: ${names}.`,
  );
}

function unjudgedCaveats(report: Report): string[] {
  const scope = requirementsInScope(report.requirements);
  const { error } = countVerdicts(scope);
  return present(
    ...untestedCaveats(scope),
    error > 0 && `${plural(error, 'requirement')} met a defect of assay itself.`,
    ...report.blockers.map((blocker) => `${blockerWords(blocker)}.`),
  );
}

/** Lines on undecided MUSTs and what accepts them, then on consequences of failures, then on SHOULDs. */
function undecidedCaveats(report: Report): string[] {
  const { musts: byBaseline, shoulds, consequences } = countUndecidedOthers(report);
  const musts = undecided(report).open.length + byBaseline;
  const noun = musts === 0 ? 'MUST' : 'more MUST';
  return present(
    musts > 0 && `${plural(musts, 'MUST')} could not be decided${whoAccepts(report)}.`,
    consequences > 0 && `${plural(consequences, noun)} could not be decided because of failures.`,
    shoulds > 0 && `${plural(shoulds, 'SHOULD')} could not be decided, which does not affect the verdict.`,
  );
}

/** `: 4 accepted by the baseline, 2 by --allow-inconclusive (IDS)`; only the ids if nothing is accepted. */
function whoAccepts(report: Report): string {
  const { open } = undecided(report);
  const { musts: byBaseline } = countUndecidedOthers(report);
  const ids = open.map(({ id }) => id);
  const names = shortList(ids, MAX_NAMED);
  const isAllowed = isOpenAllowed(report);
  if (open.length === 0) return ', which the baseline accepts';
  if (byBaseline === 0) return `${isAllowed ? ', which --allow-inconclusive accepts' : ''}: ${names}`;
  const rest = isAllowed ? 'by --allow-inconclusive' : 'by nothing';
  return `: ${formatNumber(byBaseline)} accepted by the baseline, ${formatNumber(open.length)} ${rest} (${names})`;
}

/** Reasons for untested requirements, except blocked scenarios, which are listed by obstacle. */
const UNTESTED = {
  'no-evidence': 'found no evidence to judge',
  'not-allowed': 'cost more than --allow lets a run spend',
  'not-configured': 'need a model or a key that was not given',
  'not-implemented': 'are of operations that the target does not offer',
  'not-feasible': 'can be shown on no target',
  stopped: 'were not reached before the run ended',
} as const;

function untestedCaveats(scope: Report['requirements']): string[] {
  const untested = scope.filter(({ verdict }) => verdict === 'untested');
  return Object.entries(UNTESTED).flatMap(([kind, words]) => {
    const count = untested.filter(({ cause }) => cause?.kind === kind).length;
    return count === 0 ? [] : [`${plural(count, 'requirement')} of ${scope.length} ${words}.`];
  });
}

function leniencyCaveats(report: Report): string[] {
  const known = countKnownFailures(report);
  const { excused, name } = report.dialect;
  return present(
    known.count + known.consequences > 0 &&
      `${withSharedCause(plural(known.count, 'known failure'), known)}, accepted by the baseline.`,
    excused.length > 0 && `${plural(excused.length, 'requirement')} excused by dialect ${name}.`,
  );
}

interface MissingCapability {
  readonly says: string;
  readonly follows: readonly RequirementVerdict[];
}

function missingCapabilities({ requirements }: Report): readonly MissingCapability[] {
  const verdicts = new Map(requirements.map((one) => [one.id, one]));
  const unseen = requirements.filter((one) => one.verdict === 'inconclusive' && scenarioOf(one) !== null);
  return [
    ...requirements.flatMap((one): readonly MissingCapability[] =>
      streamingLine(one, verdicts).map((says) => ({
        says,
        follows: unseen.filter((other) => other.family === one.family && /stream|chunk|delta/.test(other.id)),
      })),
    ),
    ...lackingCapabilities({ requirements }).map(({ neededBy, says }) => ({
      says,
      follows: unseen.filter((one) => neededBy.test(scenarioOf(one) ?? '')),
    })),
  ];
}

/** One line per missing capability, with the number of requirements without evidence because of it. */
export function obviousLines(report: Report): readonly string[] {
  return missingCapabilities(report).map(({ says, follows }) => {
    if (follows.length === 0) return says;
    const cause = causeAccountingFor(follows, report);
    const count = plural(follows.length, 'requirement');
    return cause === undefined
      ? `${says}; ${count} without evidence for it`
      : `${says}; ${count} without evidence for it, among the ${cause.withoutEvidence?.length} that could not be judged for ${cause.operations[0]?.id}`;
  });
}

/** The cause of refusals whose count already includes all of these requirements. */
function causeAccountingFor(
  follows: readonly RequirementVerdict[],
  { diagnoses = [] }: Report,
): DiagnosisVerdict | undefined {
  return diagnoses.find(({ withoutEvidence }) => {
    const counted = new Set(withoutEvidence);
    return follows.every(({ id }) => counted.has(id));
  });
}

/** Requirements whose missing evidence a cause of refusals or a missing capability explains. */
export function explainedIds(report: Report): ReadonlySet<string> {
  return new Set([
    ...(report.diagnoses ?? []).flatMap(({ withoutEvidence = [] }) => withoutEvidence),
    ...missingCapabilities(report).flatMap(({ follows }) => follows.map(({ id }) => id)),
  ]);
}

/** Suffix of the requirements on the media type of streams. */
const STREAM_TYPE = ':stream#contentType';

/** The line about requests for a stream that got no event: their responses had another media type, or were errors. */
function streamingLine(
  { id, verdict, observations }: RequirementVerdict,
  verdicts: ReadonlyMap<string, RequirementVerdict>,
): readonly string[] {
  // Few of the thousands of ids match, so the cheap test comes first.
  if (!id.endsWith(STREAM_TYPE)) return [];
  const operation = id.slice(0, -STREAM_TYPE.length);
  if (verdicts.get(`${operation}:stream#json`)?.observations !== 0) return [];
  const intro = `streaming does not work at all in ${operation}:`;
  if (verdict === 'fail') return [`${intro} no answer to "stream": true contains an event`];
  const asked = verdicts.get(`${operation}:body.stream#type.accepted`);
  const isRefused = observations === 0 && asked?.verdict === 'fail';
  return isRefused
    ? [`${intro} "stream": true is answered ${asked.findings[0]?.actual ?? 'with an error'}`]
    : [];
}

/** Likely mistakes in the configuration, with the option to change. */
export function hints(
  report: Report,
  { keyVariable }: Pick<FailureContext, 'keyVariable'>,
): readonly string[] {
  return [...report.remarks, ...unansweredHints(report, keyVariable), ...unnamedModelHints(report)];
}

function unansweredHints(
  { summary, operations, requirements, blockers, target, hints: known }: Report,
  keyVariable: string,
): string[] {
  if (summary.operations.exercised > 0) return [];
  if (known.some(({ kind }) => kind === 'key-refused' || kind === 'models-refused')) return [];
  if (asksForKey({ blockers }))
    return [
      `every request was refused: put the key in ${keyVariable}, or name its variable with --api-key-env`,
    ];
  const absent = operations.filter(({ claimed, notImplemented }) => claimed && notImplemented);
  if (absent.length === 0 || known.length > 0) return [];
  // With a filter, few requests are sent, so missing operations say nothing about the path.
  if (requirements.some(({ cause }) => cause?.kind === 'filtered')) return [];
  const [first] = absent;
  const where = `below ${target.baseUrl}, not even ${first?.method} ${pathPrefixOf(target.baseUrl)}${first?.path}`;
  const path = 'is the path of --base-url right? it comes before /v1, as in http://host/api/v1';
  // Parts of the API may be missing although the path is right.
  if (operations.some(({ claimed }) => !claimed))
    return [
      `nothing that is claimed was found ${where}: does the service offer it? without --claim, a run judges what it offers. If it does, ${path}`,
    ];
  return [`nothing was found ${where}: ${path}`];
}

function pathPrefixOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/v1\/?$/, '').replace(/\/$/, '') : '';
}

/** Model roles that scenarios need but that are not named; roles searched by trial are in another hint. */
function unnamedModelHints({ requirements, hints: known }: Report): string[] {
  if (known.some(({ kind }) => kind === 'models-found')) return [];
  const roles = new Set(requirements.flatMap(({ cause }) => roleOf(cause) ?? []));
  if (roles.size === 0) return [];
  const keyed = [...roles].toSorted().map((role) => `--model ${role}=…`);
  return [`to judge what needs another model, name it in addition to those given: ${keyed.join(' ')}`];
}

function roleOf(cause: Cause | null): string | null {
  if (cause?.kind !== 'not-configured') return null;
  return cause.missing.what === 'model' ? cause.missing.role : null;
}
